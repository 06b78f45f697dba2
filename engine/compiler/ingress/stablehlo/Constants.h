// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of the program, in the types that elements are kept in.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_CONSTANTS_H
#define LH_COMPILER_INGRESS_STABLEHLO_CONSTANTS_H

#include "compiler/ingress/stablehlo/OpContext.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace lh {

/// `value`, the attribute of an operation with one result, as a tensor of that
/// result's type. Quantised values come as the integers that store them.
FailureOr<HloValue> emitConstant(const OpContext &context,
                                 mlir::Attribute value);

/// Elements as they are kept: signless, truth values and all small types in a
/// byte. Null for what has no such form.
mlir::DenseElementsAttr asKept(mlir::DenseElementsAttr value, DType dtype);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_CONSTANTS_H
