// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting by comparisons: the first k of n items, in n log k steps.
#ifndef LH_COMPILER_INGRESS_EMIT_SORT_H
#define LH_COMPILER_INGRESS_EMIT_SORT_H

#include "compiler/ingress/emit/Emitter.h"

namespace lh {

/// i1: whether item `i` comes before item `j` (index values). Must order any
/// two distinct items.
using ComesBefore =
    llvm::function_ref<mlir::Value(mlir::Value i, mlir::Value j)>;

/// Where place `p` of the list lies in the tensor that holds it.
using PlaceOf =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value p)>;

struct SortSize {
  mlir::Value items; ///< index: items to choose from, 0 ... items - 1
  mlir::Value kept;  ///< index: how many are wanted, at most `items`
};

/// Writes the numbers of the first `size.kept` items, in order, to the places
/// of `list`, a tensor of int64, which is returned changed. Sequential: a heap
/// of the items kept so far, the last one on top.
mlir::Value emitSort(Emitter &emit, mlir::Value list, const SortSize &size,
                     PlaceOf placeOf, ComesBefore comesBefore);

/// i1: `a` is less than `b`, where NaN is greater than all else and equal to
/// itself.
mlir::Value lessWithNaN(const Scalars &s, mlir::Value a, mlir::Value b);

} // namespace lh

#endif // LH_COMPILER_INGRESS_EMIT_SORT_H
