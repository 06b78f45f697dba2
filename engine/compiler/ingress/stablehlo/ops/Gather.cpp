// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather: each element of the result is one of the operand, at a place that
// indices and the position in a slice give.
#include "compiler/ingress/stablehlo/OpTable.h"

using namespace lh;
using namespace mlir;

namespace {
struct GatherDimensions {
  SmallVector<int64_t> offsets, collapsed, operandBatch, indexBatch, startMap;
  int64_t vectorDim = 0;
};
} // namespace

static FailureOr<GatherDimensions> gatherDimensionsOf(OpContext &c) {
  int64_t rank = c.rank(0), indexRank = c.rank(1);
  auto offsets = c.dimensions("offset_dims", c.declared().getRank());
  auto collapsed = c.dimensions("collapsed_slice_dims", rank);
  auto operandBatch = c.dimensions("operand_batching_dims", rank);
  auto indexBatch = c.dimensions("start_indices_batching_dims", indexRank);
  auto startMap = c.dimensions("start_index_map", rank);
  if (failed(offsets) || failed(collapsed) || failed(operandBatch) ||
      failed(indexBatch) || failed(startMap))
    return failure();
  GatherDimensions dims{*offsets,    *collapsed, *operandBatch,
                        *indexBatch, *startMap,  0};
  dims.vectorDim = c.integer("index_vector_dim", 0);
  int64_t vectorSize = 1;
  bool fits = dims.vectorDim >= 0 && dims.vectorDim <= indexRank;
  if (fits && dims.vectorDim < indexRank)
    vectorSize =
        tensorTypeOf(c.in(1)).getDimSize(static_cast<unsigned>(dims.vectorDim));
  auto kept = static_cast<size_t>(rank) - dims.collapsed.size() -
              dims.operandBatch.size();
  int64_t batches = indexRank - (dims.vectorDim < indexRank ? 1 : 0);
  fits = fits && vectorSize == static_cast<int64_t>(dims.startMap.size()) &&
         dims.operandBatch.size() == dims.indexBatch.size() &&
         !llvm::is_contained(dims.indexBatch, dims.vectorDim) &&
         dims.offsets.size() == kept &&
         c.declared().getRank() ==
             batches + static_cast<int64_t>(dims.offsets.size()) &&
         isInteger(c.dtype(1));
  for (int64_t dim : dims.collapsed)
    fits = fits && !llvm::is_contained(dims.operandBatch, dim);
  if (fits)
    return dims;
  return c.mismatch("its dimension numbers don't fit an operand of shape " +
                    shapeText(c.in(0)) + ", indices of shape " +
                    shapeText(c.in(1)) + " and a result of " +
                    Twine(c.declared().getRank()) + " dimensions");
}

/// The result's sizes: those of the indices without their vectors, and of the
/// slices without what is collapsed.
static Sizes resultSizes(OpContext &c, const GatherDimensions &dims,
                         const Sizes &slices) {
  Emitter &emit = c.emit;
  Sizes indices = emit.sizesOf(c.in(1)), batches, offsets;
  for (auto [dim, size] : llvm::enumerate(indices))
    if (static_cast<int64_t>(dim) != dims.vectorDim)
      batches.push_back(size);
  for (auto [dim, size] : llvm::enumerate(slices))
    if (!llvm::is_contained(dims.collapsed, static_cast<int64_t>(dim)) &&
        !llvm::is_contained(dims.operandBatch, static_cast<int64_t>(dim)))
      offsets.push_back(size);
  Sizes sizes;
  size_t nextBatch = 0, nextOffset = 0;
  auto rank = batches.size() + offsets.size();
  for (size_t dim = 0; dim < rank; ++dim)
    sizes.push_back(llvm::is_contained(dims.offsets, static_cast<int64_t>(dim))
                        ? offsets[nextOffset++]
                        : batches[nextBatch++]);
  return c.sizesOr(sizes);
}

/// How far slices can be moved along each dimension; fails on slices that don't
/// fit the operand.
static FailureOr<SmallVector<Value>>
roomOf(OpContext &c, const GatherDimensions &dims, const Sizes &slices) {
  Emitter &emit = c.emit;
  SmallVector<Value> room;
  for (auto [size, slice] : llvm::zip(emit.sizesOf(c.in(0)), slices)) {
    std::optional<int64_t> a = emit.known(size), b = emit.known(slice);
    if (b && (*b < 0 || (a && *b > *a)))
      return c.mismatch("slices of " + Twine(*b) +
                        " elements are not in shape " + shapeText(c.in(0)));
    room.push_back(emit.asValue(emit.sub(size, slice)));
  }
  for (const auto *fixed : {&dims.collapsed, &dims.operandBatch})
    for (int64_t dim : *fixed)
      if (std::optional<int64_t> size =
              emit.known(slices[static_cast<size_t>(dim)]);
          size && *size > 1)
        return c.mismatch("dimension " + Twine(dim) +
                          " is collapsed, but its slices have " + Twine(*size) +
                          " elements");
  return room;
}

/// Where the slice of a batch begins: moved so that it lies inside of the
/// operand.
static SmallVector<Value> sliceStart(OpContext &c, const GatherDimensions &dims,
                                     ArrayRef<Value> room,
                                     ArrayRef<Value> batch, OpBuilder &b,
                                     Location loc) {
  Value zero = indexConstant(b, loc, 0);
  SmallVector<Value> from(room.size(), zero);
  for (auto [k, dim] : llvm::enumerate(dims.startMap)) {
    SmallVector<Value> where(batch);
    if (dims.vectorDim < c.rank(1))
      where.insert(where.begin() + dims.vectorDim,
                   indexConstant(b, loc, static_cast<int64_t>(k)));
    Value start =
        toIndex(b, loc, extractElement(b, loc, c.in(1), where), c.dtype(1));
    auto d = static_cast<size_t>(dim);
    start =
        indexSelect(b, loc, indexLess(b, loc, start, room[d]), start, room[d]);
    from[d] = indexSelect(b, loc, indexLess(b, loc, start, zero), zero, start);
  }
  for (auto [own, index] : llvm::zip(dims.operandBatch, dims.indexBatch))
    from[static_cast<size_t>(own)] =
        batch[static_cast<size_t>(index - (index > dims.vectorDim))];
  return from;
}

static LogicalResult gatherSlices(OpContext &c, const Sizes &slices) {
  FailureOr<GatherDimensions> read = gatherDimensionsOf(c);
  if (failed(read))
    return failure();
  const GatherDimensions &dims = *read;
  FailureOr<SmallVector<Value>> room = roomOf(c, dims, slices);
  if (failed(room))
    return failure();
  Value operand = c.in(0);
  return c.resultByPlace(
      resultSizes(c, dims, slices),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        SmallVector<Value> batch, offset;
        for (auto [dim, place] : llvm::enumerate(at))
          (llvm::is_contained(dims.offsets, static_cast<int64_t>(dim)) ? offset
                                                                       : batch)
              .push_back(place);
        SmallVector<Value> from = sliceStart(c, dims, *room, batch, b, loc);
        size_t next = 0;
        for (size_t dim = 0; dim < from.size(); ++dim)
          if (!llvm::is_contained(dims.collapsed, static_cast<int64_t>(dim)) &&
              !llvm::is_contained(dims.operandBatch, static_cast<int64_t>(dim)))
            from[dim] = indexAdd(b, loc, from[dim], offset[next++]);
        return extractElement(b, loc, operand, from);
      });
}

static LogicalResult gather(OpContext &c) {
  auto sizes = c.integers("slice_sizes", static_cast<size_t>(c.rank(0)), 1);
  if (failed(sizes))
    return failure();
  return gatherSlices(c, c.emit.staticSizes(*sizes));
}

static LogicalResult dynamicGather(OpContext &c) {
  FailureOr<Sizes> sizes = c.indices(2, static_cast<size_t>(c.rank(0)));
  return failed(sizes) ? failure() : gatherSlices(c, *sizes);
}

/// Rows of operand 0 along 'dim', by indices; leading dimensions pair.
static LogicalResult torchIndexSelect(OpContext &c) {
  int64_t dim = c.integer("dim", 0), batches = c.integer("batch_dims", 0);
  bool fits = isInteger(c.dtype(1)) && batches >= 0 && batches <= dim &&
              dim < c.rank(0) && batches <= c.rank(1);
  if (!fits)
    return c.mismatch("'dim' and 'batch_dims' don't fit an operand of shape " +
                      shapeText(c.in(0)) + " and indices of shape " +
                      shapeText(c.in(1)));
  Emitter &emit = c.emit;
  Sizes own = emit.sizesOf(c.in(0)), picks = emit.sizesOf(c.in(1)), sizes;
  auto along = static_cast<size_t>(dim), shared = static_cast<size_t>(batches);
  sizes.append(own.begin(), own.begin() + dim);
  sizes.append(picks.begin() + batches, picks.end());
  sizes.append(own.begin() + dim + 1, own.end());
  Value operand = c.in(0), indices = c.in(1), limit = emit.asValue(own[along]);
  DType indexType = c.dtype(1);
  size_t count = picks.size() - shared;
  return c.resultByPlace(
      c.sizesOr(sizes), [&](OpBuilder &b, Location loc, ValueRange at) {
        SmallVector<Value> where(at.take_front(shared));
        auto own = at.drop_front(along).take_front(count);
        where.append(own.begin(), own.end());
        Value index =
            toIndex(b, loc, extractElement(b, loc, indices, where), indexType);
        SmallVector<Value> from(at.take_front(along));
        from.push_back(normalizeIndex(b, loc, index, limit));
        auto rest = at.drop_front(along + count);
        from.append(rest.begin(), rest.end());
        return extractElement(b, loc, operand, from);
      });
}

void lh::addGatherOps(HloTable &t) {
  t["stablehlo.gather"] = {2, 2, 1, 0, gather};
  t["stablehlo.dynamic_gather"] = {3, 3, 1, 0, dynamicGather};
  t["stablehlo.torch_index_select"] = {2, 2, 1, 0, torchIndexSelect};
}
