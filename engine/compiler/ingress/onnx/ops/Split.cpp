// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Split: a tensor in pieces along one axis.
#include "compiler/ingress/onnx/ops/Families.h"

using namespace lh;
using namespace mlir;

Value lh::emitPiece(NodeContext &node, size_t axis, const Sizes &offsets,
                    const Sizes &sizes) {
  Emitter &emit = node.emit;
  // A piece of nothing may start at the end, which no subview may.
  if (emit.known(sizes[axis]) == 0)
    return emit.empty(sizes, node.elementType());
  return emit.slice(node.in(0), offsets, sizes,
                    Sizes(sizes.size(), emit.index(1)));
}

/// Equal pieces; where they don't come out even the last is smaller. Sizes
/// known only at run time are shared out from the front.
static FailureOr<Sizes> equalPieces(NodeContext &node, OpFoldResult total) {
  Emitter &emit = node.emit;
  auto pieces = static_cast<int64_t>(node.node.outputs.size());
  if (node.integer("num_outputs", pieces) != pieces)
    return node.error("'num_outputs' is " +
                      Twine(node.integer("num_outputs", 0)) +
                      ", but the node has " + Twine(pieces) + " outputs");
  OpFoldResult each = emit.ceilDiv(total, pieces);
  OpFoldResult last = emit.sub(total, emit.mul(each, emit.index(pieces - 1)));
  if (std::optional<int64_t> size = emit.known(last); size && *size < 0)
    return node.error("dimension of size " + Twine(*emit.known(total)) +
                          " does not split into " + Twine(pieces) + " pieces",
                      DiagKind::IngressShapeMismatch);
  Sizes sizes(static_cast<size_t>(pieces), each);
  sizes.back() = last;
  return sizes;
}

/// Known pieces must add up; `total` may be unknown.
static LogicalResult checkPieces(NodeContext &node, const Sizes &pieces,
                                 OpFoldResult total) {
  std::optional<int64_t> size = node.emit.known(total);
  int64_t sum = 0;
  bool isKnown = size.has_value(), fits = true;
  for (OpFoldResult piece : pieces) {
    std::optional<int64_t> value = node.emit.known(piece);
    isKnown &= value.has_value();
    fits &= !value || (*value >= 0 && *value <= (int64_t(1) << 40));
    sum += fits ? value.value_or(0) : 0;
  }
  fits &= pieces.size() == node.node.outputs.size();
  const char *rule = "the pieces do not add up to the split dimension";
  if (!fits || (isKnown && sum != *size))
    return node.error(rule, DiagKind::IngressShapeMismatch);
  OpFoldResult all = node.emit.index(0);
  for (OpFoldResult piece : pieces) {
    node.emit.requireNotNegative(piece, rule);
    all = node.emit.add(all, piece);
  }
  node.emit.requireSame(all, total, rule);
  return success();
}

/// The sizes of the pieces, from input 1, an attribute, or equal ones.
static FailureOr<Sizes> splitSizes(NodeContext &node, OpFoldResult total) {
  std::optional<std::vector<int64_t>> given = node.integers("split");
  Sizes pieces;
  if (node.has(1)) {
    FailureOr<Sizes> elements = node.elements(1);
    if (failed(elements))
      return failure();
    pieces = *elements;
  } else if (given) {
    pieces = node.emit.staticSizes(*given);
  } else {
    return equalPieces(node, total);
  }
  if (failed(checkPieces(node, pieces, total)))
    return failure();
  return pieces;
}

/// Sizes that are split stay sizes.
static bool splitElements(NodeContext &node, const Sizes &pieces) {
  if (!node.hasKnownElements(0) || node.raw(0).isScalar)
    return false;
  ArrayRef<OpFoldResult> rest(*node.raw(0).elements);
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    std::optional<int64_t> length = node.emit.known(piece);
    if (!length || static_cast<size_t>(*length) > rest.size())
      return false;
    auto count = static_cast<size_t>(*length);
    node.results[i] = ImportedValue{Value(), node.dtype(),
                                    Sizes(rest.take_front(count)), false};
    rest = rest.drop_front(count);
  }
  return true;
}

static LogicalResult split(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (failed(axis))
    return failure();
  auto along = static_cast<size_t>(*axis);
  Sizes sizes = emit.sizesOf(node.in(0));
  OpFoldResult total = sizes[along], zero = emit.index(0), start = zero;
  FailureOr<Sizes> pieces = splitSizes(node, total);
  if (failed(pieces))
    return failure();
  if (splitElements(node, *pieces))
    return success();
  Sizes offsets(sizes.size(), zero);
  for (auto [i, piece] : llvm::enumerate(*pieces)) {
    // What only the run shows must not reach beyond the end.
    OpFoldResult rest = emit.sub(total, start);
    sizes[along] = emit.known(piece) && emit.known(rest)
                       ? piece
                       : emit.max(emit.min(piece, rest), zero);
    offsets[along] = start;
    start = emit.add(start, sizes[along]);
    node.set(i, emitPiece(node, along, offsets, sizes), node.dtype());
  }
  return success();
}

void lh::addSplitOps(OpTable &table) {
  table.add("Split", {1, 1, OpRule::None, split});
}
