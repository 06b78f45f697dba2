// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes at computed positions: Scatter*, one after the other; TensorScatter.
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

/// How an update meets the element that is there.
static FailureOr<Value (*)(const Scalars &, Value, Value)>
combinerOf(NodeContext &node) {
  using Combiner = Value (*)(const Scalars &, Value, Value);
  std::string reduction = node.text("reduction", "none");
  if (reduction == "none")
    return Combiner(
        [](const Scalars &, Value, Value update) { return update; });
  if (reduction == "add")
    return Combiner([](const Scalars &s, Value old, Value update) {
      return s.add(old, update);
    });
  if (reduction == "mul")
    return Combiner([](const Scalars &s, Value old, Value update) {
      return s.mul(old, update);
    });
  if (reduction == "max")
    return Combiner([](const Scalars &s, Value old, Value update) {
      return s.max(old, update);
    });
  if (reduction == "min")
    return Combiner([](const Scalars &s, Value old, Value update) {
      return s.min(old, update);
    });
  return node.error("unknown reduction '" + reduction + "'");
}

using TargetOf = llvm::function_ref<SmallVector<Value>(
    OpBuilder &, Location, ArrayRef<Value> position)>;

/// For every element of `updates` in order: combine it into `data` at the
/// indices that `target` computes from its position.
static LogicalResult scatter(NodeContext &node, Value updates,
                             TargetOf target) {
  auto combiner = combinerOf(node);
  if (failed(combiner))
    return failure();
  Emitter &emit = node.emit;
  OpBuilder &b = emit.builder;
  DType dtype = node.dtype();
  Sizes sizes = emit.sizesOf(updates);
  SmallVector<Value> extents = emit.asValues(sizes);
  Value zero = indexConstant(b, emit.loc, 0);
  Value one = indexConstant(b, emit.loc, 1);
  Value count = emit.asValue(emit.product(sizes));
  auto loop = scf::ForOp::create(
      b, emit.loc, zero, count, one, ValueRange{node.in(0)},
      [&](OpBuilder &at, Location loc, Value flat, ValueRange carried) {
        SmallVector<Value> position(extents.size());
        for (size_t dim = extents.size(); dim-- > 0;) {
          position[dim] = indexRem(at, loc, flat, extents[dim]);
          flat = indexDiv(at, loc, flat, extents[dim]);
        }
        Value update = extractElement(at, loc, updates, position);
        SmallVector<Value> where = target(at, loc, position);
        Value old = extractElement(at, loc, carried[0], where);
        Value merged = (*combiner)(Scalars(at, loc, dtype), old, update);
        Value inserted =
            tensor::InsertOp::create(at, loc, merged, carried[0], where);
        scf::YieldOp::create(at, loc, inserted);
      });
  Value result = emit.remember(loop.getResult(0), emit.sizesOf(node.in(0)));
  return node.result(result, dtype);
}

static LogicalResult checkIndices(NodeContext &node) {
  DType dtype = node.dtype(1);
  bool fits = (dtype == DType::Int64 || dtype == DType::Int32) &&
              node.dtype(2) == node.dtype(0);
  return fits ? success()
              : node.error("indices must be int32 or int64, updates of the "
                           "type of the data");
}

static LogicalResult scatterElements(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (failed(axis) || failed(checkIndices(node)))
    return failure();
  if (node.rank(0) != node.rank(1) || node.rank(1) != node.rank(2))
    return node.error("data, indices and updates must have one rank",
                      DiagKind::IngressShapeMismatch);
  auto along = static_cast<size_t>(*axis);
  Value indices = node.in(1);
  Value limit = emit.asValue(emit.sizesOf(node.in(0))[along]);
  DType dtype = node.dtype(1);
  return scatter(node, node.in(2),
                 [&](OpBuilder &b, Location loc, ArrayRef<Value> position) {
                   Value raw = extractElement(b, loc, indices, position);
                   SmallVector<Value> where(position);
                   where[along] = normalizeIndex(
                       b, loc, toIndex(b, loc, raw, dtype), limit);
                   return where;
                 });
}

static LogicalResult scatterND(NodeContext &node) {
  Emitter &emit = node.emit;
  if (failed(checkIndices(node)))
    return failure();
  Sizes own = emit.sizesOf(node.in(0)), picks = emit.sizesOf(node.in(1));
  std::optional<int64_t> depth =
      picks.empty() ? std::nullopt : emit.known(picks.back());
  auto rank = static_cast<int64_t>(own.size());
  bool fits =
      depth && *depth <= rank &&
      node.rank(2) == static_cast<int64_t>(picks.size()) - 1 + rank - *depth;
  if (!fits)
    return node.error("indices of shape " + shapeText(node.in(1)) +
                          " and updates of shape " + shapeText(node.in(2)) +
                          " do not fit data of shape " + shapeText(node.in(0)),
                      DiagKind::IngressShapeMismatch);
  SmallVector<Value> limits = emit.asValues(own);
  Value indices = node.in(1);
  DType dtype = node.dtype(1);
  size_t prefix = picks.size() - 1;
  return scatter(node, node.in(2),
                 [&](OpBuilder &b, Location loc, ArrayRef<Value> position) {
                   SmallVector<Value> where;
                   SmallVector<Value> at(position.take_front(prefix));
                   at.push_back(Value());
                   for (int64_t k = 0; k < *depth; ++k) {
                     at.back() = indexConstant(b, loc, k);
                     Value raw = extractElement(b, loc, indices, at);
                     where.push_back(
                         normalizeIndex(b, loc, toIndex(b, loc, raw, dtype),
                                        limits[static_cast<size_t>(k)]));
                   }
                   ArrayRef<Value> rest = position.drop_front(prefix);
                   where.append(rest.begin(), rest.end());
                   return where;
                 });
}

static LogicalResult checkTensorScatter(NodeContext &node, int64_t axis) {
  Emitter &emit = node.emit;
  std::string mode = node.text("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return node.error("unknown mode '" + mode + "'");
  bool fits = node.rank(0) == node.rank(1) && node.dtype(1) == node.dtype();
  if (fits && node.has(2))
    fits = node.rank(2) == 1 && node.dtype(2) == DType::Int64;
  Sizes cache = emit.sizesOf(node.in(0)), update = emit.sizesOf(node.in(1));
  for (size_t dim = 0; fits && dim < cache.size(); ++dim) {
    std::optional<int64_t> a = emit.known(cache[dim]);
    std::optional<int64_t> b = emit.known(update[dim]);
    fits =
        !a || !b || *a == *b || (static_cast<int64_t>(dim) == axis && *b < *a);
  }
  if (fits && axis == 0)
    return node.error("'axis' is the batch dimension");
  return fits ? success()
              : node.error("an update of shape " + shapeText(node.in(1)) +
                               " does not fit a cache of shape " +
                               shapeText(node.in(0)),
                           DiagKind::IngressShapeMismatch);
}

/// Each element of the cache is an element of the update, if one is written
/// there, or stays.
static LogicalResult tensorScatter(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", -2), node.rank(0));
  if (failed(axis) || failed(checkTensorScatter(node, *axis)))
    return failure();
  auto along = static_cast<size_t>(*axis);
  auto rank = static_cast<unsigned>(node.rank(0));
  bool wraps = node.text("mode", "linear") == "circular";
  Value update = node.in(1), starts = node.has(2) ? node.in(2) : Value();
  Value length = emit.asValue(emit.sizesOf(update)[along]);
  Value capacity = emit.asValue(emit.sizesOf(node.in(0))[along]);
  Value written = emit.map(
      {node.in(0)}, node.elementType(),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        SmallVector<Value> from;
        for (unsigned dim = 0; dim < rank; ++dim)
          from.push_back(Emitter::loopIndex(b, loc, dim));
        Value zero = indexConstant(b, loc, 0), offset = from[along];
        if (starts) {
          Value raw = extractElement(b, loc, starts, {from[0]});
          offset = indexSub(b, loc, offset, toIndex(b, loc, raw, DType::Int64));
        }
        if (wraps) {
          offset = indexRem(b, loc, offset, capacity);
          Value isNegative = indexLess(b, loc, offset, zero);
          offset = indexSelect(b, loc, isNegative,
                               indexAdd(b, loc, offset, capacity), offset);
        }
        Value isBefore = indexLess(b, loc, offset, zero);
        Value isInside = indexLess(b, loc, offset, length);
        from[along] = normalizeIndex(b, loc, offset, length);
        Value element = extractElement(b, loc, update, from);
        element = indexSelect(b, loc, isInside, element, v[0]);
        return indexSelect(b, loc, isBefore, v[0], element);
      });
  return node.result(written, node.dtype());
}

void lh::addScatterOps(OpTable &table) {
  using namespace OpRule;
  table.add("Scatter", {9, 3, WidenHalf, scatterElements});
  table.add("ScatterElements", {11, 3, WidenHalf, scatterElements});
  table.add("ScatterND", {11, 3, WidenHalf, scatterND});
  table.add("TensorScatter", {24, 2, None, tensorScatter});
}
