// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concat, Slice and Range; gathers the operators that move elements.
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace lh;
using namespace mlir;

FailureOr<Value> lh::emitConcat(NodeContext &node, int64_t axis,
                                ArrayRef<Value> tensors) {
  Emitter &emit = node.emit;
  Sizes first = emit.sizesOf(tensors.front());
  for (Value tensor : tensors) {
    Sizes sizes = emit.sizesOf(tensor);
    bool fits = sizes.size() == first.size();
    for (size_t dim = 0; fits && dim < sizes.size(); ++dim) {
      std::optional<int64_t> a = emit.known(first[dim]);
      std::optional<int64_t> b = emit.known(sizes[dim]);
      fits = static_cast<int64_t>(dim) == axis || !a || !b || *a == *b;
    }
    if (!fits)
      return node.error("cannot join " + shapeText(tensors.front()) + " and " +
                            shapeText(tensor) + " along axis " + Twine(axis),
                        DiagKind::IngressShapeMismatch);
  }
  return emit.concat(axis, tensors);
}

static LogicalResult concat(NodeContext &node) {
  if (node.opset >= 4 && !node.attribute("axis"))
    return node.error("'axis' is missing");
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 1), node.rank(0));
  if (failed(axis))
    return failure();
  Sizes elements;
  bool areElements = true;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    areElements &= node.hasKnownElements(i) && !node.raw(i).isScalar;
    if (areElements)
      elements.append(*node.raw(i).elements);
  }
  if (areElements && elements.size() <= 64)
    return node.resultElements(elements, false, node.dtype());
  FailureOr<SmallVector<Value>> inputs = node.allInputs();
  if (failed(inputs))
    return failure();
  FailureOr<Value> joined = emitConcat(node, *axis, *inputs);
  return failed(joined) ? failure() : node.result(*joined, node.dtype());
}

/// One dimension of a Slice: first index, number of elements, step.
struct SliceRange {
  OpFoldResult start, size, step;
};

/// Steps beyond any size are as good as that far, and do not overflow.
static OpFoldResult nearStep(Emitter &emit, OpFoldResult step) {
  OpFoldResult far = emit.index(int64_t(1) << 40);
  return emit.max(emit.min(step, far), emit.sub(emit.index(0), far));
}

/// The spec's clamping, with everything possibly known only at run time.
static SliceRange sliceRange(Emitter &emit, OpFoldResult size,
                             OpFoldResult start, OpFoldResult end,
                             OpFoldResult step) {
  OpFoldResult zero = emit.index(0), one = emit.index(1);
  OpFoldResult last = emit.sub(size, one);
  step = nearStep(emit, step);
  auto wrap = [&](OpFoldResult x) {
    return emit.selectLess(x, zero, emit.add(x, size), x);
  };
  auto clamp = [&](OpFoldResult x, OpFoldResult low, OpFoldResult high) {
    return emit.max(emit.min(x, high), low);
  };
  start = wrap(start);
  end = wrap(end);
  OpFoldResult forward = clamp(start, zero, size);
  OpFoldResult backward = clamp(start, zero, last);
  OpFoldResult first = emit.selectLess(step, zero, backward, forward);
  OpFoldResult stop = emit.selectLess(
      step, zero, clamp(end, emit.index(-1), last), clamp(end, zero, size));
  OpFoldResult distance =
      emit.selectLess(step, zero, emit.sub(first, stop), emit.sub(stop, first));
  OpFoldResult stride = emit.selectLess(step, zero, emit.sub(zero, step), step);
  OpFoldResult count =
      emit.divide(emit.add(distance, emit.sub(stride, one)), stride);
  return {first, emit.max(count, zero), step};
}

/// starts, ends, axes, steps: attributes before opset 10, inputs after.
struct SliceArguments {
  Sizes starts, ends, axes, steps;
};

static FailureOr<SliceArguments> sliceArguments(NodeContext &node) {
  Emitter &emit = node.emit;
  SliceArguments arguments;
  Sizes *lists[] = {&arguments.starts, &arguments.ends, &arguments.axes,
                    &arguments.steps};
  const char *names[] = {"starts", "ends", "axes", "steps"};
  for (size_t i = 0; i < 4; ++i) {
    if (node.has(i + 1)) {
      FailureOr<Sizes> elements = node.elements(i + 1);
      if (failed(elements))
        return failure();
      *lists[i] = *elements;
    } else if (std::optional<std::vector<int64_t>> values =
                   node.integers(names[i])) {
      *lists[i] = emit.staticSizes(*values);
    } else if (i == 2) {
      for (size_t axis = 0; axis < arguments.starts.size(); ++axis)
        arguments.axes.push_back(emit.index(static_cast<int64_t>(axis)));
    } else if (i == 3) {
      arguments.steps.assign(arguments.starts.size(), emit.index(1));
    }
  }
  size_t count = arguments.starts.size();
  if (arguments.ends.size() != count || arguments.axes.size() != count ||
      arguments.steps.size() != count)
    return node.error("'starts', 'ends', 'axes' and 'steps' differ in length");
  std::vector<int64_t> axes;
  for (OpFoldResult axis : arguments.axes)
    if (std::optional<int64_t> value = emit.known(axis))
      axes.push_back(*value);
  if (failed(node.axisMask(axes, node.rank(0))))
    return failure();
  for (OpFoldResult step : arguments.steps)
    if (emit.known(step) == 0)
      return node.error("'steps' holds 0");
  return arguments;
}

static SmallVector<SliceRange> sliceRanges(NodeContext &node,
                                           const SliceArguments &arguments) {
  Emitter &emit = node.emit;
  SmallVector<SliceRange> ranges;
  int64_t rank = node.rank(0);
  for (auto [dim, size] : llvm::enumerate(emit.sizesOf(node.in(0)))) {
    OpFoldResult start = emit.index(0), step = emit.index(1), end = size;
    for (size_t i = 0; i < arguments.axes.size(); ++i) {
      OpFoldResult axis = arguments.axes[i];
      axis = emit.selectLess(axis, emit.index(0),
                             emit.add(axis, emit.index(rank)), axis);
      OpFoldResult here = emit.index(static_cast<int64_t>(dim));
      start = emit.selectEqual(axis, here, arguments.starts[i], start);
      end = emit.selectEqual(axis, here, arguments.ends[i], end);
      step = emit.selectEqual(axis, here, arguments.steps[i], step);
    }
    ranges.push_back(sliceRange(emit, size, start, end, step));
  }
  return ranges;
}

static bool sliceElements(NodeContext &node, const SliceRange &range) {
  std::optional<int64_t> start = node.emit.known(range.start);
  std::optional<int64_t> size = node.emit.known(range.size);
  std::optional<int64_t> step = node.emit.known(range.step);
  if (!node.hasKnownElements(0) || !start || !size || !step)
    return false;
  Sizes picked;
  for (int64_t i = 0; i < *size; ++i)
    picked.push_back(
        (*node.raw(0).elements)[static_cast<size_t>(*start + i * *step)]);
  (void)node.resultElements(picked, false, node.dtype());
  return true;
}

static LogicalResult slice(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<SliceArguments> arguments = sliceArguments(node);
  if (failed(arguments))
    return failure();
  SmallVector<SliceRange> ranges = sliceRanges(node, *arguments);
  if (ranges.size() == 1 && sliceElements(node, ranges.front()))
    return success();
  Sizes starts, sizes, steps;
  bool isForward = true;
  for (const SliceRange &range : ranges) {
    starts.push_back(range.start);
    sizes.push_back(range.size);
    steps.push_back(range.step);
    std::optional<int64_t> step = emit.known(range.step);
    // A slice of nothing may start at the end, which no subview may.
    isForward &= step && *step > 0 && emit.known(range.size) != 0;
  }
  if (isForward)
    return node.result(emit.slice(node.in(0), starts, sizes, steps),
                       node.dtype());
  Value input = node.in(0);
  SmallVector<Value> first, step;
  for (size_t dim = 0; dim < ranges.size(); ++dim) {
    first.push_back(emit.asValue(starts[dim]));
    step.push_back(emit.asValue(steps[dim]));
  }
  return node.resultByPlace(
      sizes, node.dtype(), [&](OpBuilder &b, Location loc, ValueRange indices) {
        SmallVector<Value> from;
        for (size_t dim = 0; dim < first.size(); ++dim)
          from.push_back(indexAdd(b, loc, first[dim],
                                  indexMul(b, loc, indices[dim], step[dim])));
        return extractElement(b, loc, input, from);
      });
}

static LogicalResult rangeFromElements(NodeContext &node) {
  int64_t start = *node.emit.known((*node.raw(0).elements)[0]);
  int64_t limit = *node.emit.known((*node.raw(1).elements)[0]);
  int64_t delta = *node.emit.known((*node.raw(2).elements)[0]);
  if (delta == 0)
    return node.error("'delta' is 0");
  double count = (static_cast<double>(limit) - static_cast<double>(start)) /
                 static_cast<double>(delta);
  if (count > 64)
    return failure();
  Sizes elements;
  for (int64_t i = 0; static_cast<double>(i) < count; ++i)
    elements.push_back(node.emit.add(
        node.emit.index(start),
        node.emit.mul(node.emit.index(i), node.emit.index(delta))));
  return node.resultElements(elements, false, node.dtype());
}

/// Range with run-time operands: the length is computed in float64. Half types
/// came with opset 27, which computes their elements in a wider one.
static LogicalResult range(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t stash = node.integer("stash_type", 1);
  if (stash != 1 && stash != 11)
    return node.error("stash_type is " + Twine(stash) +
                      "; it can be 1 (float) and 11 (double)");
  bool isKnown = true;
  for (size_t i = 0; i < 3; ++i) {
    std::optional<int64_t> value;
    if (node.hasKnownElements(i) && node.raw(i).elements->size() == 1)
      value = emit.known((*node.raw(i).elements)[0]);
    isKnown &= value.has_value();
  }
  unsigned before = node.sink.errorCount();
  if (isKnown && succeeded(rangeFromElements(node)))
    return success();
  if (node.sink.errorCount() != before)
    return failure();
  DType dtype = node.dtype();
  OpBuilder &b = emit.builder;
  SmallVector<Value> scalars, wide;
  for (size_t i = 0; i < 3; ++i) {
    scalars.push_back(emit.scalarOf(node.in(i)));
    wide.push_back(
        convertScalar(b, emit.loc, scalars[i], dtype, DType::Float64));
  }
  Scalars s = node.scalars(DType::Float64);
  Value steps = s.div(s.sub(wide[1], wide[0]), wide[2]);
  Value rounded = math::CeilOp::create(b, emit.loc, steps);
  Value positive = s.max(rounded, s.number(0));
  // A step of 0 gives no elements rather than endless ones.
  Value isZero = s.equal(wide[2], s.number(0));
  Value count =
      convertScalar(b, emit.loc, s.select(isZero, s.number(0), positive),
                    DType::Float64, DType::Int64);
  OpFoldResult size = toIndex(b, emit.loc, count, DType::Int64);
  return node.resultByPlace(
      {size}, dtype, [&](OpBuilder &at, Location loc, ValueRange indices) {
        Scalars element(at, loc, dtype);
        Value i = fromIndex(at, loc, indices[0], DType::Int64);
        i = convertScalar(at, loc, i, DType::Int64, dtype);
        return element.add(scalars[0], element.mul(i, scalars[2]));
      });
}

void lh::addDataOps(OpTable &table) {
  using namespace OpRule;
  table.add("Concat", {1, 1, Same, concat});
  table.add("Slice", {1, 1, None, slice});
  table.add("Range", {11, 3, Numeric | Same, range});
  table.add("Range", {27, 3, Numeric | Same | WidenHalf, range});
}
