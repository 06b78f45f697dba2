// Pad: constant, edge, reflect and wrap, with pads that may be negative.
#include "ingress/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

struct PadAmounts {
  Sizes low, high;
  bool areKnown = true;
};

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
  auto rank = static_cast<size_t>(node.rank(0));
  std::vector<int64_t> axes;
  for (size_t dim = 0; dim < rank; ++dim)
    axes.push_back(static_cast<int64_t>(dim));
  if (node.has(3)) {
    FailureOr<std::vector<int64_t>> given = node.knownIntegers(3, "axes");
    if (failed(given))
      return failure();
    axes = *given;
  }
  if (failed(node.axisMask(axes, node.rank(0))))
    return failure();
  if (pads.size() != 2 * axes.size())
    return node.error("'pads' has " + Twine(pads.size()) + " values, " +
                      Twine(2 * axes.size()) + " are needed");
  PadAmounts amounts;
  amounts.low.assign(rank, emit.index(0));
  amounts.high.assign(rank, emit.index(0));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    auto dim = static_cast<size_t>(axis < 0 ? axis + node.rank(0) : axis);
    amounts.low[dim] = pads[i];
    amounts.high[dim] = pads[i + axes.size()];
  }
  for (OpFoldResult amount : pads) {
    std::optional<int64_t> value = emit.known(amount);
    amounts.areKnown &= value.has_value();
    if (value && std::abs(*value) > (int64_t(1) << 30))
      return node.error("'pads' holds " + Twine(*value));
  }
  return amounts;
}

static FailureOr<Value> padValue(NodeContext &node) {
  if (node.has(2)) {
    if (node.dtype(2) != node.dtype())
      return node.error("the padding value must have the type of the input");
    return node.emit.scalarOf(node.in(2));
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
    Value low = indexSub(b, loc, zero, position);
    result =
        indexSelect(b, loc, indexLess(b, loc, position, zero), low, position);
    Value twice = indexMul(b, loc, last, indexConstant(b, loc, 2));
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
