// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many terms a sum over a sparse tensor has.
#ifndef LH_COMPILER_GAPS_ORACLE_STOREDTERMS_H
#define LH_COMPILER_GAPS_ORACLE_STOREDTERMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// A number of terms, an f64, and the op's dimensions that it counts.
struct StoredTerms {
  mlir::Value longest;
  llvm::SmallVector<unsigned, 2> dimensions;
};

/// Of a sum whose terms are `term`, which is 0 where an input, a mask, says
/// that something isn't stored (lh-scatter-sparse): how many are stored in the
/// longest row, computed in front of the op. None where there is no such mask.
std::optional<StoredTerms> countStored(mlir::linalg::GenericOp op,
                                       mlir::Value term, mlir::OpBuilder &b);

} // namespace lh

#endif // LH_COMPILER_GAPS_ORACLE_STOREDTERMS_H
