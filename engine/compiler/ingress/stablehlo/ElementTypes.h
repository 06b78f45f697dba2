// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO's element types, and what values of them are computed in.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_ELEMENTTYPES_H
#define LH_COMPILER_INGRESS_STABLEHLO_ELEMENTTYPES_H

#include "core/numerics/Tensor.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>
#include <vector>

namespace lh {

/// A value of the program. Quantised ones hold what they stand for, as floats:
/// operations on them dequantise, compute and quantise (spec, "dequantize_op_
/// quantize"), and what they hold is a multiple of the scale at any time.
struct HloValue {
  mlir::Value tensor; ///< null for tokens and tuples
  DType dtype = DType::Float32;
  std::shared_ptr<const std::vector<HloValue>> parts = {}; ///< of a tuple
  /// Of a broadcast: what is repeated, with ones in place of the new sizes.
  /// Loops read this: a broadcast that several of them use would be written to
  /// memory for them.
  mlir::Value repeated = {};
};

/// The type of elements, or nothing for those that aren't supported (complex
/// numbers, formats that nothing computes in). Of quantised ones, the type that
/// they stand for.
std::optional<DType> dtypeOf(mlir::Type element);

/// Null for types that aren't quantised.
mlir::quant::QuantizedType quantisedTypeOf(mlir::Type type);

/// Arithmetic on half types is in float32, on integers of two and four bits in
/// eight; the result is rounded or wrapped.
DType computeTypeOf(DType dtype);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_ELEMENTTYPES_H
