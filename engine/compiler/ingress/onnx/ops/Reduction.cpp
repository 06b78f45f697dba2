// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduce*, ArgMax, ArgMin.
#include "compiler/ingress/onnx/ops/Reduction.h"

#include "compiler/gaps/Marks.h"
#include "compiler/ingress/onnx/ops/ArgExtreme.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

Value lh::emitSum(NodeContext &node, Value tensor, ArrayRef<bool> axes,
                  DType dtype) {
  return node.emit.reduce(tensor, axes, node.scalars(dtype).number(0),
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            return Scalars(b, loc, dtype).add(v[0], v[1]);
                          });
}

Value lh::emitSum(NodeContext &node, Value tensor, ArrayRef<bool> axes) {
  return emitSum(node, tensor, axes, node.dtype());
}

Value lh::emitMax(NodeContext &node, Value tensor, ArrayRef<bool> axes,
                  DType dtype) {
  return node.emit.reduce(tensor, axes, node.scalars(dtype).lowest(),
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            return Scalars(b, loc, dtype).max(v[0], v[1]);
                          });
}

Value lh::emitMax(NodeContext &node, Value tensor, ArrayRef<bool> axes) {
  return emitMax(node, tensor, axes, node.dtype());
}

Value lh::emitMean(NodeContext &node, Value tensor, ArrayRef<bool> axes) {
  return emitMean(node, tensor, axes, node.dtype());
}

Value lh::emitMean(NodeContext &node, Value tensor, ArrayRef<bool> axes,
                   DType dtype) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(tensor), removed;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (axes[dim])
      removed.push_back(size);
  OpFoldResult count = emit.product(removed);
  Value sum = emitSum(node, tensor, axes, dtype);
  std::optional<int64_t> known = emit.known(count);
  Value divisor =
      known ? node.scalars(dtype).number(static_cast<double>(*known))
            : convertScalar(emit.builder, emit.loc,
                            fromIndex(emit.builder, emit.loc,
                                      emit.asValue(count), DType::Int64),
                            DType::Int64, dtype);
  return emit.map({sum}, node.typeOf(dtype),
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    return Scalars(b, loc, dtype).div(v[0], divisor);
                  });
}

/// Which axes a Reduce* removes. `axes` is an attribute or an input known at
/// import; none means all, or none of them with noop_with_empty_axes.
static FailureOr<SmallVector<bool>> reducedAxes(NodeContext &node,
                                                bool &isNoop) {
  std::vector<int64_t> axes =
      node.integers("axes").value_or(std::vector<int64_t>());
  if (node.has(1) && !(tensorTypeOf(node.in(1)).hasStaticShape() &&
                       tensorTypeOf(node.in(1)).getNumElements() == 0)) {
    FailureOr<std::vector<int64_t>> given = node.knownIntegers(1, "axes");
    if (failed(given))
      return failure();
    axes = *given;
  }
  isNoop = axes.empty() && node.integer("noop_with_empty_axes", 0) != 0;
  int64_t rank = node.rank(0);
  if (axes.empty())
    return SmallVector<bool>(static_cast<size_t>(rank), !isNoop);
  return node.axisMask(axes, rank);
}

/// A reduction: a function of each element, a combination, a function of the
/// total.
struct Reduction {
  using Step = Value (*)(const Scalars &, Value);
  using Combine = Value (Scalars::*)(Value, Value) const;
  Step before = nullptr;
  Combine combine = nullptr;
  Step after = nullptr;
  Value (*init)(const Scalars &) = nullptr;
};

static Value zero(const Scalars &s) { return s.number(0); }
static Value one(const Scalars &s) { return s.number(1); }
static Value lowest(const Scalars &s) { return s.lowest(); }
static Value highest(const Scalars &s) { return s.highest(); }
static Value squareOf(const Scalars &s, Value a) { return s.mul(a, a); }
static Value absoluteOf(const Scalars &s, Value a) { return s.abs(a); }
/// A square root or a logarithm. Integers go through float64, where it is exact
/// enough.
template <typename Op> static Value inFloat(const Scalars &s, Value a) {
  if (s.isFloating())
    return Op::create(s.builder, s.loc, a);
  Value wide = convertScalar(s.builder, s.loc, a, s.dtype, DType::Float64);
  Value result = Op::create(s.builder, s.loc, wide);
  return convertScalar(s.builder, s.loc, result, DType::Float64, s.dtype);
}

static constexpr Reduction sumReduction{nullptr, &Scalars::add, nullptr, zero};
static constexpr Reduction prodReduction{nullptr, &Scalars::mul, nullptr, one};
static constexpr Reduction maxReduction{nullptr, &Scalars::max, nullptr,
                                        lowest};
static constexpr Reduction minReduction{nullptr, &Scalars::min, nullptr,
                                        highest};
static constexpr Reduction l1Reduction{absoluteOf, &Scalars::add, nullptr,
                                       zero};
static constexpr Reduction l2Reduction{squareOf, &Scalars::add,
                                       inFloat<math::SqrtOp>, zero};
static constexpr Reduction squareReduction{squareOf, &Scalars::add, nullptr,
                                           zero};
static constexpr Reduction logSumReduction{nullptr, &Scalars::add,
                                           inFloat<math::LogOp>, zero};

static Value finishReduction(NodeContext &node, Value reduced,
                             ArrayRef<bool> axes) {
  bool keeps = node.integer("keepdims", 1) != 0;
  return keeps ? node.emit.unreduce(reduced, axes) : reduced;
}

/// Axes that only the run knows: one dimension after the other is reduced or
/// copied. The result keeps all dimensions.
static Value reduceAtRunTime(NodeContext &node, Value tensor, const Sizes &axes,
                             const Reduction &r) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  auto rank = static_cast<unsigned>(rankOf(tensor));
  MLIRContext *context = emit.builder.getContext();
  AffineMap result = AffineMap::getMultiDimIdentityMap(rank, context)
                         .replaceDimsAndSymbols({}, {}, rank + 1, 0);
  AffineMap along = AffineMap::get(
      rank + 1, 0, {emit.builder.getAffineDimExpr(rank)}, context);
  SmallVector<bool> loops(rank + 1, false);
  loops.back() = true;
  for (unsigned dim = 0; dim < rank; ++dim) {
    Sizes sizes = emit.sizesOf(tensor);
    OpFoldResult one = emit.index(1), size = sizes[dim];
    OpFoldResult removed = isOneOf(emit, emit.index(dim), axes);
    Value isKept = indexLess(emit.builder, emit.loc, emit.asValue(removed),
                             emit.asValue(one));
    sizes[dim] = emit.selectEqual(removed, one, one, size);
    OpFoldResult length = emit.selectEqual(removed, one, size, one);
    Value shape = emit.empty({length}, node.typeOf(dtype));
    Value source = tensor;
    tensor = emit.generic(
        {shape}, {along, result},
        emit.filled(sizes, r.init(node.scalars(dtype))), loops,
        [&](OpBuilder &b, Location loc, ValueRange v) {
          SmallVector<Value> from;
          for (unsigned i = 0; i < rank; ++i)
            from.push_back(Emitter::loopIndex(b, loc, i));
          Value inside = Emitter::loopIndex(b, loc, rank);
          from[dim] = indexSelect(b, loc, isKept, from[dim], inside);
          Value element = extractElement(b, loc, source, from);
          return (Scalars(b, loc, dtype).*r.combine)(element, v[1]);
        });
  }
  return tensor;
}

static Value mapped(NodeContext &node, Value tensor, Reduction::Step step) {
  DType dtype = node.dtype();
  if (!step)
    return tensor;
  return node.emit.map({tensor}, node.typeOf(dtype),
                       [&](OpBuilder &b, Location loc, ValueRange v) {
                         return step(Scalars(b, loc, dtype), v[0]);
                       });
}

static LogicalResult finishAtRunTime(NodeContext &node, Value total,
                                     const Sizes &axes) {
  if (node.integer("keepdims", 1) == 0)
    total = node.emit.reshape(
        total, keptSizes(node.emit, node.emit.sizesOf(node.in(0)), axes));
  return node.result(total, node.dtype());
}

/// The axes as run-time values; empty when they are known at import.
static FailureOr<std::optional<Sizes>> runTimeAxes(NodeContext &node) {
  if (!node.has(1) || node.hasKnownElements(1))
    return std::optional<Sizes>();
  FailureOr<Sizes> axes = node.elements(1);
  if (failed(axes))
    return failure();
  if (axes->empty()) // an axes input of length 0 is known after all
    return std::optional<Sizes>();
  if (axes->size() > static_cast<size_t>(node.rank(0)))
    return node.error("more axes than dimensions");
  Emitter &emit = node.emit;
  for (OpFoldResult &axis : *axes)
    axis = emit.selectLess(axis, emit.index(0),
                           emit.add(axis, emit.index(node.rank(0))), axis);
  return std::optional<Sizes>(*axes);
}

static LogicalResult reduceWith(NodeContext &node, const Reduction &r) {
  FailureOr<std::optional<Sizes>> dynamic = runTimeAxes(node);
  if (failed(dynamic))
    return failure();
  if (*dynamic) {
    Value terms = mapped(node, node.in(0), r.before);
    Value total = reduceAtRunTime(node, terms, **dynamic, r);
    return finishAtRunTime(node, mapped(node, total, r.after), **dynamic);
  }
  bool isNoop = false;
  FailureOr<SmallVector<bool>> axes = reducedAxes(node, isNoop);
  if (failed(axes))
    return failure();
  DType dtype = node.dtype();
  // A reduction over no axes still does what it does to each element.
  if (isNoop)
    return node.result(
        mapped(node, mapped(node, node.in(0), r.before), r.after), dtype);
  Value total = node.emit.reduce(
      node.in(0), *axes, r.init(node.scalars(dtype)),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype);
        return (s.*r.combine)(r.before ? r.before(s, v[0]) : v[0], v[1]);
      });
  total = mapped(node, total, r.after);
  return node.result(finishReduction(node, total, *axes), dtype);
}

template <const Reduction &r> static LogicalResult reduce(NodeContext &node) {
  return reduceWith(node, r);
}

static LogicalResult meanAtRunTime(NodeContext &node, const Sizes &axes) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  OpFoldResult count = emit.index(1);
  for (auto [dim, size] : llvm::enumerate(emit.sizesOf(node.in(0)))) {
    OpFoldResult removed =
        isOneOf(emit, emit.index(static_cast<int64_t>(dim)), axes);
    count = emit.mul(
        count, emit.selectEqual(removed, emit.index(1), size, emit.index(1)));
  }
  Value divisor = convertScalar(
      emit.builder, emit.loc,
      fromIndex(emit.builder, emit.loc, emit.asValue(count), DType::Int64),
      DType::Int64, dtype);
  Value sum = reduceAtRunTime(node, node.in(0), axes, sumReduction);
  Value mean = emit.map({sum}, node.typeOf(dtype),
                        [&](OpBuilder &b, Location loc, ValueRange v) {
                          return Scalars(b, loc, dtype).div(v[0], divisor);
                        });
  return finishAtRunTime(node, mean, axes);
}

static LogicalResult reduceMean(NodeContext &node) {
  FailureOr<std::optional<Sizes>> dynamic = runTimeAxes(node);
  if (failed(dynamic))
    return failure();
  if (*dynamic)
    return meanAtRunTime(node, **dynamic);
  bool isNoop = false;
  FailureOr<SmallVector<bool>> axes = reducedAxes(node, isNoop);
  if (failed(axes))
    return failure();
  if (isNoop)
    return node.result(node.in(0), node.dtype());
  Value mean = emitMean(node, node.in(0), *axes);
  return node.result(finishReduction(node, mean, *axes), node.dtype());
}

/// i1: whether `x` takes the place of `best`.
static Value isBetter(const Scalars &s, Value x, Value best, ArgExtreme kind) {
  Value low = kind.isMax ? best : x, high = kind.isMax ? x : best;
  Value better = kind.takesLast ? s.lessEqual(low, high) : s.less(low, high);
  if (!s.isFloating())
    return better;
  Value isNew = s.isNaN(x);
  if (!kind.takesLast)
    isNew = arith::AndIOp::create(s.builder, s.loc, isNew, s.equal(best, best));
  return arith::OrIOp::create(s.builder, s.loc, better, isNew);
}

void lh::markPicks(Value positions, int64_t axis) {
  if (Operation *maker = positions.getDefiningOp())
    maker->setAttr(picksMark,
                   Builder(maker->getContext()).getI64IntegerAttr(axis));
}

/// A reduction over (value, index) pairs.
Value lh::emitArgExtreme(NodeContext &node, Value tensor, int64_t axis,
                         DType dtype, ArgExtreme kind) {
  Emitter &emit = node.emit;
  SmallVector<bool> axes(static_cast<size_t>(rankOf(tensor)), false);
  axes[static_cast<size_t>(axis)] = true;
  Sizes kept;
  SmallVector<AffineExpr> exprs;
  for (auto [dim, size] : llvm::enumerate(emit.sizesOf(tensor))) {
    if (axes[dim])
      continue;
    kept.push_back(size);
    exprs.push_back(emit.builder.getAffineDimExpr(static_cast<unsigned>(dim)));
  }
  auto rank = static_cast<unsigned>(axes.size());
  AffineMap identity = emit.builder.getMultiDimIdentityMap(rank);
  AffineMap result = AffineMap::get(rank, 0, exprs, identity.getContext());
  Scalars s = node.scalars(dtype);
  Value best = emit.filled(kept, kind.isMax ? s.lowest() : s.highest());
  Value where = emit.filled(kept, node.scalars(DType::Int64).integer(0));
  SmallVector<Value> found = emit.genericMany(
      {tensor}, {identity, result, result}, {best, where}, axes,
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars at(b, loc, dtype);
        Value better = isBetter(at, v[0], v[1], kind);
        Value index = fromIndex(
            b, loc, Emitter::loopIndex(b, loc, static_cast<unsigned>(axis)),
            DType::Int64);
        return SmallVector<Value>{at.select(better, v[0], v[1]),
                                  at.select(better, index, v[2])};
      });
  markPicks(found[1], axis);
  return found[1];
}

template <bool isMax> static LogicalResult argExtreme(NodeContext &node) {
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (failed(axis))
    return failure();
  bool takesLast = node.integer("select_last_index", 0) != 0;
  Value found =
      emitArgExtreme(node, node.in(0), *axis, node.dtype(), {isMax, takesLast});
  SmallVector<bool> axes(static_cast<size_t>(node.rank(0)), false);
  axes[static_cast<size_t>(*axis)] = true;
  return node.result(finishReduction(node, found, axes), DType::Int64);
}

void lh::addReductionOps(OpTable &table) {
  using namespace OpRule;
  unsigned any = Numeric | WidenHalf;
  table.add("ReduceSum", {1, 1, any, reduce<sumReduction>});
  table.add("ReduceProd", {1, 1, any, reduce<prodReduction>});
  table.add("ReduceMax", {1, 1, WidenHalf, reduce<maxReduction>});
  table.add("ReduceMin", {1, 1, WidenHalf, reduce<minReduction>});
  table.add("ReduceL1", {1, 1, any, reduce<l1Reduction>});
  table.add("ReduceL2", {1, 1, any, reduce<l2Reduction>});
  table.add("ReduceSumSquare", {1, 1, any, reduce<squareReduction>});
  table.add("ReduceLogSum", {1, 1, any, reduce<logSumReduction>});
  table.add("ReduceMean", {1, 1, any, reduceMean});
  table.add("ArgMax", {1, 1, any, argExtreme<true>});
  table.add("ArgMin", {1, 1, any, argExtreme<false>});
}
