// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads operations in StableHLO's short forms.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_TEXTREADER_H
#define LH_COMPILER_INGRESS_STABLEHLO_TEXTREADER_H

#include "mlir/IR/OpImplementation.h"

namespace lh {

/// Reads what follows an operation's name into `state`, whose operation is
/// registered nowhere: its attributes are builtin ones. Reports operations
/// that have no short form.
mlir::ParseResult readShortForm(mlir::OpAsmParser &parser,
                                mlir::OperationState &state);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_TEXTREADER_H
