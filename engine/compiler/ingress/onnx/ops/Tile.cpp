// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile: a tensor repeated along its axes.
#include "compiler/ingress/onnx/ops/Families.h"

using namespace lh;
using namespace mlir;

/// Known counts: every axis gets one in front of it, along which the tensor is
/// broadcast; then the pairs are merged.
static Value tileByBroadcast(Emitter &emit, Value input, const Sizes &repeats) {
  Sizes spread, wide, merged;
  for (auto [size, count] : llvm::zip(emit.sizesOf(input), repeats)) {
    spread.append({emit.index(1), size});
    wide.append({count, size});
    merged.push_back(emit.mul(count, size));
  }
  return emit.reshape(emit.broadcastTo(emit.reshape(input, spread), wide),
                      merged);
}

/// Counts that only the run shows: every element is looked up.
static Value tileByIndex(Emitter &emit, Value input, const Sizes &repeats) {
  Sizes own = emit.sizesOf(input), sizes;
  SmallVector<Value> period;
  for (auto [size, count] : llvm::zip(own, repeats)) {
    sizes.push_back(emit.mul(size, emit.max(count, emit.index(0))));
    period.push_back(emit.asValue(emit.max(size, emit.index(1))));
  }
  return emit.generate(sizes, tensorTypeOf(input).getElementType(),
                       [&](OpBuilder &b, Location loc, ValueRange indices) {
                         SmallVector<Value> from;
                         for (size_t dim = 0; dim < period.size(); ++dim)
                           from.push_back(
                               indexRem(b, loc, indices[dim], period[dim]));
                         return extractElement(b, loc, input, from);
                       });
}

static LogicalResult tileBy(NodeContext &node, const Sizes &repeats) {
  Emitter &emit = node.emit;
  Value input = node.in(0);
  bool isKnown = tensorTypeOf(input).hasStaticShape();
  bool repeatsAll = true;
  for (auto [size, repeat] : llvm::zip(emit.sizesOf(input), repeats)) {
    std::optional<int64_t> count = emit.known(repeat);
    if (count && (*count < 0 || *count > (1 << 24)))
      return node.error("the repeats hold " + Twine(*count));
    isKnown &= count && *count > 0 && emit.known(size) != 0;
    repeatsAll &= count == 1;
  }
  if (repeatsAll)
    return node.result(input, node.dtype());
  return node.result(isKnown ? tileByBroadcast(emit, input, repeats)
                             : tileByIndex(emit, input, repeats),
                     node.dtype());
}

static LogicalResult tile(NodeContext &node) {
  FailureOr<Sizes> repeats = node.elements(1);
  if (failed(repeats))
    return failure();
  if (static_cast<int64_t>(repeats->size()) != node.rank(0))
    return node.error("'repeats' needs one value per dimension");
  return tileBy(node, *repeats);
}

/// Before opset 6: how often along which one axis, as numbers of any type.
static LogicalResult tileOneAxis(NodeContext &node) {
  std::optional<std::vector<double>> count = node.knownNumbers(1);
  std::optional<std::vector<double>> along = node.knownNumbers(2);
  if (!count || !along || count->size() != 1 || along->size() != 1)
    return node.error("'tiles' and 'axis' must be numbers known at import",
                      DiagKind::IngressUnsupportedOp);
  bool fits = std::abs(count->front()) < 1e9 && std::abs(along->front()) < 1e9;
  FailureOr<int64_t> axis =
      node.axis(fits ? static_cast<int64_t>(along->front()) : -1, node.rank(0));
  if (failed(axis))
    return failure();
  if (!fits)
    return node.error("'tiles' is too large");
  Sizes repeats(static_cast<size_t>(node.rank(0)), node.emit.index(1));
  repeats[static_cast<size_t>(*axis)] =
      node.emit.index(static_cast<int64_t>(count->front()));
  return tileBy(node, repeats);
}

void lh::addTileOps(OpTable &table) {
  table.add("Tile", {1, 3, OpRule::None, tileOneAxis});
  table.add("Tile", {6, 2, OpRule::None, tile});
}
