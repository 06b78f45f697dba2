// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maxima and minima by comparing and selecting, and the NaNs beside them.
#ifndef LH_COMPILER_GAPS_ROWS_EXTREMES_H
#define LH_COMPILER_GAPS_ROWS_EXTREMES_H

#include "mlir/IR/Builders.h"

namespace lh {

/// `one` where it is better than `best`: larger for a maximum, else smaller.
/// One instruction of x86's (vmaxps). A NaN is never better, and a best that is
/// one stays.
mlir::Value selectBetter(mlir::OpBuilder &builder, mlir::Location loc,
                         bool isMaximum, mlir::Value one, mlir::Value best);

/// Where one of the vectors is NaN, two of them in one comparison; null for no
/// vectors.
mlir::Value findNaNs(mlir::OpBuilder &builder, mlir::Location loc,
                     llvm::ArrayRef<mlir::Value> vectors);

} // namespace lh

#endif // LH_COMPILER_GAPS_ROWS_EXTREMES_H
