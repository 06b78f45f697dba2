// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a loop's iteration reads and writes, as far as its indices say.
#ifndef LH_COMPILER_GAPS_MEMORY_ITERATIONRANGES_H
#define LH_COMPILER_GAPS_MEMORY_ITERATIONRANGES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/Interfaces/VectorInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <optional>

namespace lh {

/// The values of an index in one iteration: `factor` times the loop's own
/// index, and something from `low` to `high`, both included.
struct IterationRange {
  int64_t factor = 0, low = 0, high = 0;
};

/// One for each dimension of a tensor or a buffer; none where nothing is known.
using IterationSlab = llvm::SmallVector<std::optional<IterationRange>>;

/// Ranges of indices in one iteration of a loop.
class IterationRanges {
public:
  explicit IterationRanges(mlir::scf::ForOp loop) : loop(loop) {}

  std::optional<IterationRange> of(mlir::Value index);
  std::optional<IterationRange> of(mlir::OpFoldResult index);

  /// The element at these indices, those of a vector, and those of a slice.
  IterationSlab slab(mlir::ValueRange indices);
  IterationSlab slab(mlir::VectorTransferOpInterface transfer);
  IterationSlab slab(mlir::OffsetSizeAndStrideOpInterface slice);

private:
  std::optional<IterationRange> compute(mlir::Value index);
  std::optional<IterationRange> of(mlir::AffineMap map, mlir::ValueRange values,
                                   bool isLeast);
  std::optional<IterationRange>
  of(mlir::AffineExpr expression, unsigned dimensions, mlir::ValueRange values);
  std::optional<IterationRange> ofInner(mlir::scf::ForOp inner);

  mlir::scf::ForOp loop;
  llvm::DenseMap<mlir::Value, std::optional<IterationRange>> known;
};

/// Both: where they go with the loop's index alike.
IterationSlab joinSlabs(const IterationSlab &a, const IterationSlab &b);

/// Whether slabs of different iterations, whose index goes up by `step`, have
/// no element in common.
bool areApart(const IterationSlab &slab, int64_t step);

} // namespace lh

#endif
