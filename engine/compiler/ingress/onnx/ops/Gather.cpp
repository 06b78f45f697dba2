// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads at computed positions: Gather*, OneHot, ReverseSequence.
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

static LogicalResult checkIndices(NodeContext &node, size_t i) {
  DType dtype = node.dtype(i);
  if (dtype == DType::Int64 || dtype == DType::Int32)
    return success();
  return node.error("indices must be int32 or int64, not '" + dtypeName(dtype) +
                    "'");
}

/// Picks known elements of a shape by known indices.
static bool gatherElements(NodeContext &node) {
  if (!node.hasKnownElements(0) || node.raw(0).isScalar ||
      !node.hasKnownElements(1))
    return false;
  const Sizes &data = *node.raw(0).elements;
  auto count = static_cast<int64_t>(data.size());
  Sizes picked;
  for (OpFoldResult index : *node.raw(1).elements) {
    std::optional<int64_t> value = node.emit.known(index);
    if (!value || *value < -count || *value >= count)
      return false;
    picked.push_back(
        data[static_cast<size_t>(*value < 0 ? *value + count : *value)]);
  }
  (void)node.resultElements(picked, node.raw(1).isScalar, node.dtype());
  return true;
}

static LogicalResult gather(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (failed(axis) || failed(checkIndices(node, 1)))
    return failure();
  if (gatherElements(node))
    return success();
  Value data = node.in(0), indices = node.in(1);
  Sizes own = emit.sizesOf(data), picks = emit.sizesOf(indices), sizes;
  auto along = static_cast<size_t>(*axis);
  sizes.append(own.begin(), own.begin() + *axis);
  sizes.append(picks.begin(), picks.end());
  sizes.append(own.begin() + *axis + 1, own.end());
  Value limit = emit.asValue(own[along]);
  DType dtype = node.dtype(1);
  return node.resultByPlace(
      sizes, node.dtype(), [&](OpBuilder &b, Location loc, ValueRange at) {
        ValueRange position = at.slice(along, picks.size());
        Value raw = extractElement(b, loc, indices, position);
        Value index =
            normalizeIndex(b, loc, toIndex(b, loc, raw, dtype), limit);
        SmallVector<Value> from(at.begin(), at.begin() + *axis);
        from.push_back(index);
        ValueRange rest = at.drop_front(along + picks.size());
        from.append(rest.begin(), rest.end());
        return extractElement(b, loc, data, from);
      });
}

static LogicalResult gatherPerElement(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (failed(axis) || failed(checkIndices(node, 1)))
    return failure();
  if (node.rank(0) != node.rank(1))
    return node.error("data and indices must have one rank",
                      DiagKind::IngressShapeMismatch);
  Value data = node.in(0);
  auto along = static_cast<size_t>(*axis);
  Value limit = emit.asValue(emit.sizesOf(data)[along]);
  DType dtype = node.dtype(1);
  auto rank = static_cast<unsigned>(node.rank(0));
  return node.resultOfMap({node.in(1)}, node.dtype(),
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            SmallVector<Value> from;
                            for (unsigned dim = 0; dim < rank; ++dim)
                              from.push_back(Emitter::loopIndex(b, loc, dim));
                            from[along] = normalizeIndex(
                                b, loc, toIndex(b, loc, v[0], dtype), limit);
                            return extractElement(b, loc, data, from);
                          });
}

static LogicalResult gatherND(NodeContext &node) {
  Emitter &emit = node.emit;
  Value data = node.in(0), indices = node.in(1);
  int64_t batch = node.integer("batch_dims", 0);
  Sizes own = emit.sizesOf(data), picks = emit.sizesOf(indices);
  std::optional<int64_t> depth =
      picks.empty() ? std::nullopt : emit.known(picks.back());
  bool fits = depth && batch >= 0 &&
              batch < static_cast<int64_t>(picks.size()) && *depth >= 0 &&
              batch + *depth <= static_cast<int64_t>(own.size());
  if (!fits)
    return node.error("indices of shape " + shapeText(indices) +
                          " do not address data of shape " + shapeText(data),
                      DiagKind::IngressShapeMismatch);
  if (failed(checkIndices(node, 1)))
    return failure();
  size_t prefix = picks.size() - 1;
  auto first = static_cast<size_t>(batch);
  auto count = static_cast<size_t>(*depth);
  Sizes sizes(picks.begin(), picks.end() - 1);
  sizes.append(own.begin() + batch + *depth, own.end());
  SmallVector<Value> limits = emit.asValues(own);
  DType dtype = node.dtype(1);
  return node.resultByPlace(
      sizes, node.dtype(), [&](OpBuilder &b, Location loc, ValueRange at) {
        SmallVector<Value> from(at.begin(), at.begin() + batch);
        SmallVector<Value> position(at.take_front(prefix));
        position.push_back(Value());
        for (size_t k = 0; k < count; ++k) {
          position.back() = indexConstant(b, loc, static_cast<int64_t>(k));
          Value raw = extractElement(b, loc, indices, position);
          from.push_back(normalizeIndex(b, loc, toIndex(b, loc, raw, dtype),
                                        limits[first + k]));
        }
        ValueRange rest = at.drop_front(prefix);
        from.append(rest.begin(), rest.end());
        return extractElement(b, loc, data, from);
      });
}

static LogicalResult oneHot(NodeContext &node) {
  Emitter &emit = node.emit;
  Value indices = node.in(0), values = node.in(2);
  int64_t rank = node.rank(0) + 1;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", -1), rank);
  if (failed(axis))
    return failure();
  if (rankOf(values) != 1)
    return node.error("'values' must hold the off and the on value");
  OpBuilder &b = emit.builder;
  Value depthIndex;
  if (node.hasKnownElements(1)) {
    depthIndex = emit.asValue(node.raw(1).elements->front());
  } else {
    Value raw = emit.scalarOf(node.in(1));
    Value wide = convertScalar(b, emit.loc, raw, node.dtype(1), DType::Int64);
    depthIndex = toIndex(b, emit.loc, wide, DType::Int64);
  }
  OpFoldResult depth = depthIndex;
  if (node.hasKnownElements(1))
    depth = node.raw(1).elements->front();
  std::optional<int64_t> known = emit.known(depth);
  if (known && (*known < 0 || *known > (int64_t(1) << 40)))
    return node.error("'depth' is " + Twine(*known));
  if (!known)
    depth = emit.max(depth, emit.index(0));
  Sizes sizes = emit.sizesOf(indices);
  sizes.insert(sizes.begin() + *axis, depth);
  Value off = emit.extract(values, {indexConstant(b, emit.loc, 0)});
  Value on = emit.extract(values, {indexConstant(b, emit.loc, 1)});
  DType dtype = node.dtype(0);
  return node.resultByPlace(
      sizes, node.dtype(2),
      [&](OpBuilder &at, Location loc, ValueRange position) {
        SmallVector<Value> from(position);
        from.erase(from.begin() + *axis);
        Value raw = extractElement(at, loc, indices, from);
        Value index = convertScalar(at, loc, raw, dtype, DType::Int64);
        Scalars s(at, loc, DType::Int64);
        Value size = fromIndex(at, loc, depthIndex, DType::Int64);
        Value wrapped =
            s.select(s.less(index, s.integer(0)), s.add(index, size), index);
        Value here = fromIndex(at, loc, position[static_cast<size_t>(*axis)],
                               DType::Int64);
        return s.select(s.equal(wrapped, here), on, off);
      });
}

static LogicalResult reverseSequence(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t batch = node.integer("batch_axis", 1);
  int64_t time = node.integer("time_axis", 0);
  bool fits = node.rank(0) >= 2 && node.rank(1) == 1 && batch >= 0 &&
              time >= 0 && batch < node.rank(0) && time < node.rank(0) &&
              batch != time;
  if (!fits || failed(checkIndices(node, 1)))
    return fits ? failure()
                : node.error("'batch_axis' and 'time_axis' do not fit");
  Value data = node.in(0), lengths = node.in(1);
  auto along = static_cast<size_t>(time);
  Value limit = emit.asValue(emit.sizesOf(data)[along]);
  DType dtype = node.dtype(1);
  return node.resultByPlace(
      emit.sizesOf(data), node.dtype(),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Value raw =
            extractElement(b, loc, lengths, at[static_cast<size_t>(batch)]);
        Value length = toIndex(b, loc, raw, dtype);
        Value here = at[along];
        Value one = indexConstant(b, loc, 1);
        Value mirrored = indexSub(b, loc, indexSub(b, loc, length, one), here);
        Value index = indexSelect(b, loc, indexLess(b, loc, here, length),
                                  mirrored, here);
        SmallVector<Value> from(at);
        from[along] = normalizeIndex(b, loc, index, limit);
        return extractElement(b, loc, data, from);
      });
}

void lh::addGatherOps(OpTable &table) {
  using namespace OpRule;
  table.add("Gather", {1, 2, None, gather});
  table.add("GatherElements", {11, 2, None, gatherPerElement});
  table.add("GatherND", {11, 2, None, gatherND});
  table.add("OneHot", {9, 3, Numeric, oneHot});
  table.add("ReverseSequence", {10, 2, None, reverseSequence});
}
