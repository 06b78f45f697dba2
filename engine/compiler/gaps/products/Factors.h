// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factors of a product, as the narrow numbers that they are made of.
#ifndef LH_COMPILER_GAPS_PRODUCTS_FACTORS_H
#define LH_COMPILER_GAPS_PRODUCTS_FACTORS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// A factor as the widened tensor of narrow numbers that it is: bytes less a
/// zero point, such bytes times a scale in f32, or bf16.
struct Factor {
  mlir::Value narrow;
  bool isSigned = false; ///< of bytes
  mlir::Value zero;      ///< i32 subtracted from each byte; null: nothing
  mlir::Value scale;     ///< a number, or a tensor of one for each of `channel`
  std::optional<int64_t> channel; ///< a dimension of the factor
};

/// `operand` as such a factor, which needs nothing between it and the narrow
/// numbers, or with a known zero point pads and reshapes of scaled numbers. New
/// ops stand where `builder` is.
std::optional<Factor> readFactor(mlir::OpBuilder &builder, mlir::Value operand);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_FACTORS_H
