// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad: constant, edge, reflect and wrap, with pads that may be negative.
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

struct PadAmounts {
  Sizes low, high;
  bool areKnown = true;
};

/// Larger amounts are mistakes, and sums of them could overflow.
static constexpr int64_t maxPad = int64_t(1) << 30;

/// Input 3, non-negative; all dimensions when it is absent.
static FailureOr<Sizes> padAxes(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t rank = node.rank(0);
  Sizes axes;
  for (int64_t dim = 0; dim < rank && !node.has(3); ++dim)
    axes.push_back(emit.index(dim));
  if (!node.has(3))
    return axes;
  FailureOr<Sizes> given = node.elements(3);
  if (failed(given))
    return failure();
  std::vector<int64_t> known;
  for (OpFoldResult axis : *given) {
    if (std::optional<int64_t> value = emit.known(axis))
      known.push_back(*value);
    axes.push_back(emit.selectLess(axis, emit.index(0),
                                   emit.add(axis, emit.index(rank)), axis));
  }
  if (failed(node.axisMask(known, rank)))
    return failure();
  return axes;
}

/// The amounts of every dimension.
static PadAmounts spreadPads(NodeContext &node, const Sizes &pads,
                             const Sizes &axes) {
  Emitter &emit = node.emit;
  PadAmounts amounts;
  for (int64_t dim = 0; dim < node.rank(0); ++dim) {
    OpFoldResult low = emit.index(0), high = emit.index(0);
    for (auto [i, axis] : llvm::enumerate(axes)) {
      low = emit.selectEqual(axis, emit.index(dim), pads[i], low);
      high =
          emit.selectEqual(axis, emit.index(dim), pads[i + axes.size()], high);
    }
    amounts.areKnown &= emit.known(low) && emit.known(high);
    amounts.low.push_back(low);
    amounts.high.push_back(high);
  }
  return amounts;
}

/// `pads` holds the low amounts of `axes` (default: all), then the high ones.
static FailureOr<PadAmounts> padAmounts(NodeContext &node) {
  Emitter &emit = node.emit;
  Sizes pads;
  if (node.has(1)) {
    FailureOr<Sizes> elements = node.elements(1);
    if (failed(elements))
      return failure();
    pads = *elements;
  } else {
    const char *name = node.attribute("pads") ? "pads" : "paddings";
    pads =
        emit.staticSizes(node.integers(name).value_or(std::vector<int64_t>()));
  }
  FailureOr<Sizes> axes = padAxes(node);
  if (failed(axes))
    return failure();
  if (pads.size() != 2 * axes->size())
    return node.error("'pads' has " + Twine(pads.size()) + " values, " +
                      Twine(2 * axes->size()) + " are needed");
  PadAmounts amounts = spreadPads(node, pads, *axes);
  for (OpFoldResult amount : pads) {
    std::optional<int64_t> value = emit.known(amount);
    if (value && (*value > maxPad || *value < -maxPad))
      return node.error("'pads' holds " + Twine(*value));
  }
  return amounts;
}

static FailureOr<Value> padValue(NodeContext &node) {
  if (node.has(2)) {
    if (node.dtype(2) != node.dtype())
      return node.error("the padding value must have the type of the input");
    return node.scalar(2);
  }
  return node.scalars(node.dtype()).number(node.number("value", 0.0));
}

/// Known amounts: what is negative is cut off, the rest is padded.
static Value padConstant(NodeContext &node, const PadAmounts &amounts,
                         Value scalar) {
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(node.in(0)), offsets, sizes, low, high;
  OpFoldResult zero = emit.index(0);
  bool cuts = false;
  for (size_t dim = 0; dim < own.size(); ++dim) {
    OpFoldResult cutLow = emit.max(emit.sub(zero, amounts.low[dim]), zero);
    OpFoldResult cutHigh = emit.max(emit.sub(zero, amounts.high[dim]), zero);
    cuts |= emit.known(cutLow) != 0 || emit.known(cutHigh) != 0;
    offsets.push_back(cutLow);
    sizes.push_back(emit.sub(emit.sub(own[dim], cutLow), cutHigh));
    low.push_back(emit.max(amounts.low[dim], zero));
    high.push_back(emit.max(amounts.high[dim], zero));
  }
  Value input = node.in(0);
  if (cuts)
    input = emit.slice(input, offsets, sizes, Sizes(own.size(), emit.index(1)));
  return emit.pad(input, low, high, scalar);
}

/// Where a padded position lies in the input; `isInside` becomes false where
/// the padding value is wanted.
static Value sourceIndex(OpBuilder &b, Location loc, StringRef mode,
                         Value position, Value size, Value &isInside) {
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  Value last = indexSub(b, loc, size, one);
  Value result = position;
  if (mode == "constant") {
    Value fits = arith::AndIOp::create(
        b, loc, indexLess(b, loc, position, size),
        indexLess(b, loc, indexConstant(b, loc, -1), position));
    isInside =
        isInside ? Value(arith::AndIOp::create(b, loc, isInside, fits)) : fits;
  } else if (mode == "reflect") {
    // Back and forth: the elements repeat after 2 * last positions.
    Value twice = indexMul(b, loc, last, indexConstant(b, loc, 2));
    Value period = arith::MaxSIOp::create(b, loc, twice, one);
    result = indexRem(b, loc, position, period);
    result = indexSelect(b, loc, indexLess(b, loc, result, zero),
                         indexAdd(b, loc, result, period), result);
    result = indexSelect(b, loc, indexLess(b, loc, last, result),
                         indexSub(b, loc, twice, result), result);
  } else if (mode == "wrap") {
    Value safe = arith::MaxSIOp::create(b, loc, size, one);
    Value rest = indexRem(b, loc, position, safe);
    result = indexSelect(b, loc, indexLess(b, loc, rest, zero),
                         indexAdd(b, loc, rest, size), rest);
  }
  result = arith::MinSIOp::create(b, loc, result, last);
  return arith::MaxSIOp::create(b, loc, result, zero);
}

static Value padGenerally(NodeContext &node, const PadAmounts &amounts,
                          StringRef mode, Value scalar) {
  Emitter &emit = node.emit;
  Value input = node.in(0);
  Sizes sizes = emit.sizesOf(input);
  SmallVector<Value> own, low;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    own.push_back(emit.asValue(sizes[dim]));
    low.push_back(emit.asValue(amounts.low[dim]));
    sizes[dim] =
        emit.add(emit.add(sizes[dim], amounts.low[dim]), amounts.high[dim]);
  }
  return emit.generate(
      sizes, node.elementType(),
      [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        SmallVector<Value> from;
        Value isInside;
        for (size_t dim = 0; dim < own.size(); ++dim)
          from.push_back(sourceIndex(b, loc, mode,
                                     indexSub(b, loc, indices[dim], low[dim]),
                                     own[dim], isInside));
        Value element = extractElement(b, loc, input, from);
        if (!isInside)
          return element;
        return arith::SelectOp::create(b, loc, isInside, element, scalar);
      });
}

static LogicalResult pad(NodeContext &node) {
  FailureOr<PadAmounts> amounts = padAmounts(node);
  FailureOr<Value> scalar = padValue(node);
  if (failed(amounts) || failed(scalar))
    return failure();
  std::string mode = node.text("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" &&
      mode != "wrap")
    return node.error("unknown mode '" + mode + "'");
  Sizes own = node.emit.sizesOf(node.in(0));
  for (size_t dim = 0; dim < own.size(); ++dim) {
    std::optional<int64_t> size = node.emit.known(node.emit.add(
        node.emit.add(own[dim], amounts->low[dim]), amounts->high[dim]));
    bool repeatsNothing = mode != "constant" && node.emit.known(own[dim]) == 0;
    if (repeatsNothing && size != 0)
      return node.error("dimension " + Twine(dim) +
                            " has no elements to pad with",
                        DiagKind::IngressShapeMismatch);
    if (size && *size < 0)
      return node.error("'pads' cut off more than dimension " + Twine(dim) +
                            " has",
                        DiagKind::IngressShapeMismatch);
  }
  bool isSimple = mode == "constant" && amounts->areKnown;
  Value result = isSimple ? padConstant(node, *amounts, *scalar)
                          : padGenerally(node, *amounts, mode, *scalar);
  return node.result(result, node.dtype());
}

void lh::addPadOps(OpTable &table) {
  table.add("Pad", {1, 1, OpRule::None, pad});
}
