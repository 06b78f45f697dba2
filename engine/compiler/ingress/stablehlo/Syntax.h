// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of StableHLO's syntax, read as builtin attributes.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_SYNTAX_H
#define LH_COMPILER_INGRESS_STABLEHLO_SYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace lh {

/// `[1, 2]`; open sizes are ShapedType::kDynamic where `?` may stand.
mlir::ParseResult readIntegers(mlir::AsmParser &parser,
                               llvm::SmallVector<int64_t> &values);

/// `<name = value, ...>` as a dictionary: numbers and lists of numbers become
/// arrays of i64, bare words strings, all else what MLIR reads.
mlir::ParseResult readStructure(mlir::AsmParser &parser,
                                mlir::Attribute &value);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]` as a dictionary with the names of
/// the fields of ConvDimensionNumbers (spec, "convolution").
mlir::ParseResult readConvolutionDimensions(mlir::AsmParser &parser,
                                            mlir::Attribute &value);

/// An attribute behind `#stablehlo.` or `#chlo.`.
mlir::Attribute readAttribute(mlir::AsmParser &parser);

/// The piece of a form that is called `<name>`; adds to `attributes`.
mlir::ParseResult readPart(mlir::AsmParser &parser, llvm::StringRef name,
                           mlir::NamedAttrList &attributes);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_SYNTAX_H
