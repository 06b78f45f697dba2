// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between quantised values and the numbers that they stand for.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_QUANTISATION_H
#define LH_COMPILER_INGRESS_STABLEHLO_QUANTISATION_H

#include "compiler/ingress/stablehlo/ElementTypes.h"

namespace lh {

class Emitter;

/// The type of the integers that store values of `type`; nothing where it is
/// none of ours.
std::optional<DType> dtypeOfStorage(mlir::quant::QuantizedType type);

/// (stored - zero point) * scale, in the type that values stand for.
mlir::Value emitDequantised(Emitter &emit, mlir::Value stored,
                            mlir::quant::QuantizedType type);

/// round(number / scale) + zero point, cut to the range of the storage.
mlir::Value emitQuantised(Emitter &emit, mlir::Value number,
                          mlir::quant::QuantizedType type);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_QUANTISATION_H
