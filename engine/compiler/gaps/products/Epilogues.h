// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What elementwise ops compute of a product's sums, by the names that libraries
// of kernels have for it.
#ifndef LH_COMPILER_GAPS_PRODUCTS_EPILOGUES_H
#define LH_COMPILER_GAPS_PRODUCTS_EPILOGUES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// "bias", "relu", "bias-gelu", ... of the sums.
struct Epilogue {
  std::string name;
  mlir::Value bias; ///< a number for each column; null: none
};

/// What `op` computes of its input number `sums`, which it reads at each point
/// of its loops; nothing where that has no name here.
///
/// ReLU is max(x, 0) with NaN for NaN, in any spelling that gives that; GELU is
/// x (1 + erf(x / sqrt 2)) / 2 (Hendrycks and Gimpel 2016), SiLU x / (1 +
/// exp(-x)) (Elfwing et al. 2017).
std::optional<Epilogue> epilogueOf(mlir::linalg::GenericOp op, unsigned sums);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_EPILOGUES_H
