// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that change a tensor's shape or tell it, not its elements.
#include "compiler/ingress/onnx/ops/Families.h"

using namespace lh;
using namespace mlir;

/// numerators / denominators of sizes, cancelled so that a size known only at
/// run time keeps its identity: (b*4*4) / 16 is b.
static OpFoldResult quotient(Emitter &emit, Sizes numerators,
                             Sizes denominators) {
  // By the emitter, which wraps where a hostile model's sizes overflow.
  OpFoldResult above = emit.index(1), below = emit.index(1);
  Sizes unknownAbove;
  for (OpFoldResult size : numerators) {
    if (emit.known(size))
      above = emit.mul(above, size);
    else
      unknownAbove.push_back(size);
  }
  OpFoldResult unknownBelow = emit.index(1);
  for (OpFoldResult size : denominators) {
    if (emit.known(size)) {
      below = emit.mul(below, size);
      continue;
    }
    auto *match = llvm::find(unknownAbove, size);
    if (match != unknownAbove.end())
      unknownAbove.erase(match);
    else
      unknownBelow = emit.mul(unknownBelow, size);
  }
  OpFoldResult rest = emit.product(unknownAbove);
  int64_t divisor = *emit.known(below);
  if (divisor > 0 && *emit.known(above) % divisor == 0 &&
      emit.known(unknownBelow) == 1)
    return emit.mul(rest, emit.divide(above, below));
  return emit.divide(emit.mul(rest, above), emit.mul(unknownBelow, below));
}

/// The largest number of elements the importer reasons about.
static constexpr int64_t mostElements = int64_t(1) << 40;

static LogicalResult checkReshape(NodeContext &node, const Sizes &wanted) {
  unsigned inferred = 0;
  for (OpFoldResult size : wanted) {
    std::optional<int64_t> value = node.emit.known(size);
    inferred += value == -1 ? 1 : 0;
    if (value && (*value < -1 || *value > mostElements))
      return node.error("the target shape holds " + Twine(*value),
                        DiagKind::IngressShapeMismatch);
  }
  if (inferred > 1)
    return node.error("the target shape holds -1 more than once",
                      DiagKind::IngressShapeMismatch);
  return success();
}

static FailureOr<Sizes> resolveReshape(NodeContext &node, Sizes wanted) {
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(node.in(0));
  bool zeroIsZero = node.integer("allowzero", 0) != 0;
  if (failed(checkReshape(node, wanted)))
    return failure();
  for (size_t dim = 0; dim < wanted.size() && !zeroIsZero; ++dim) {
    if (dim < own.size())
      wanted[dim] =
          emit.selectEqual(wanted[dim], emit.index(0), own[dim], wanted[dim]);
    else if (emit.known(wanted[dim]) == 0)
      return node.error("the target shape copies dimension " + Twine(dim) +
                            ", which " + shapeText(node.in(0)) +
                            " does not have",
                        DiagKind::IngressShapeMismatch);
  }
  // A value that is some tensor's size is never -1.
  auto mayBeInferred = [&](OpFoldResult size) {
    if (std::optional<int64_t> value = emit.known(size))
      return *value == -1;
    return !llvm::is_contained(own, size) && !emit.isTensorSize(size);
  };
  Sizes others; // -1 counts as 1
  for (OpFoldResult size : wanted)
    others.push_back(
        mayBeInferred(size)
            ? emit.selectEqual(size, emit.index(-1), emit.index(1), size)
            : size);
  OpFoldResult inferred;
  for (OpFoldResult &size : wanted) {
    if (!mayBeInferred(size))
      continue;
    if (!inferred)
      inferred = quotient(emit, own, others);
    size = emit.selectEqual(size, emit.index(-1), inferred, size);
  }
  return wanted;
}

/// Both element counts, where known, must agree.
static LogicalResult checkCounts(NodeContext &node, const Sizes &sizes) {
  std::optional<int64_t> before =
      node.emit.known(node.emit.product(node.emit.sizesOf(node.in(0))));
  std::optional<int64_t> after = node.emit.known(node.emit.product(sizes));
  if (!before || !after || *before == *after)
    return success();
  return node.error("cannot reshape " + shapeText(node.in(0)) + " with " +
                        Twine(*before) + " elements to " + Twine(*after) +
                        " elements",
                    DiagKind::IngressShapeMismatch);
}

static LogicalResult reshapeTo(NodeContext &node, const Sizes &sizes) {
  if (failed(checkCounts(node, sizes)))
    return failure();
  return node.result(node.emit.reshape(node.in(0), sizes), node.dtype());
}

static LogicalResult reshape(NodeContext &node) {
  Sizes wanted;
  if (node.has(1)) {
    FailureOr<Sizes> elements = node.elements(1);
    if (failed(elements))
      return failure();
    wanted = *elements;
  } else {
    for (int64_t size : node.integers("shape").value_or(std::vector<int64_t>()))
      wanted.push_back(node.emit.index(size));
  }
  FailureOr<Sizes> sizes = resolveReshape(node, wanted);
  return failed(sizes) ? failure() : reshapeTo(node, *sizes);
}

static LogicalResult flatten(NodeContext &node) {
  int64_t axis = node.integer("axis", 1), rank = node.rank(0);
  if (axis < -rank || axis > rank)
    return node.error("axis " + Twine(axis) +
                      " is outside of a tensor of rank " + Twine(rank));
  axis += axis < 0 ? rank : 0;
  Sizes own = node.emit.sizesOf(node.in(0));
  ArrayRef<OpFoldResult> all(own);
  return reshapeTo(
      node, {node.emit.product(all.take_front(static_cast<size_t>(axis))),
             node.emit.product(all.drop_front(static_cast<size_t>(axis)))});
}

static LogicalResult transpose(NodeContext &node) {
  int64_t rank = node.rank(0);
  std::vector<int64_t> order;
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    order.push_back(dim);
  order = node.integers("perm").value_or(order);
  if (static_cast<int64_t>(order.size()) != rank)
    return node.error("'perm' has " + Twine(order.size()) +
                      " values for a tensor of rank " + Twine(rank));
  FailureOr<SmallVector<bool>> mask = node.axisMask(order, rank);
  if (failed(mask))
    return failure();
  for (int64_t &dim : order)
    dim += dim < 0 ? rank : 0;
  return node.result(node.emit.transpose(node.in(0), order), node.dtype());
}

/// `axes` from the attribute (before opset 13) or from input 1.
static FailureOr<std::optional<Sizes>> axesOf(NodeContext &node) {
  if (node.has(1)) {
    FailureOr<Sizes> elements = node.elements(1);
    if (failed(elements))
      return failure();
    return std::optional<Sizes>(*elements);
  }
  std::optional<std::vector<int64_t>> axes = node.integers("axes");
  if (!axes)
    return std::optional<Sizes>();
  return std::optional<Sizes>(node.emit.staticSizes(*axes));
}

/// Axes that are known must be valid; all become non-negative.
static LogicalResult normalizeAxes(NodeContext &node, Sizes &axes,
                                   int64_t rank) {
  std::vector<int64_t> known;
  for (OpFoldResult &axis : axes) {
    if (std::optional<int64_t> value = node.emit.known(axis))
      known.push_back(*value);
    axis =
        node.emit.selectLess(axis, node.emit.index(0),
                             node.emit.add(axis, node.emit.index(rank)), axis);
  }
  return success(succeeded(node.axisMask(known, rank)));
}

OpFoldResult lh::isOneOf(Emitter &emit, OpFoldResult position,
                         const Sizes &axes) {
  OpFoldResult result = emit.index(0);
  for (OpFoldResult axis : axes)
    result = emit.selectEqual(axis, position, emit.index(1), result);
  return result;
}

static LogicalResult unsqueeze(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<std::optional<Sizes>> given = axesOf(node);
  if (failed(given))
    return failure();
  if (!*given)
    return node.error("'axes' is missing");
  Sizes axes = **given, own = emit.sizesOf(node.in(0)), sizes;
  size_t rank = own.size() + axes.size();
  if (failed(normalizeAxes(node, axes, static_cast<int64_t>(rank))))
    return failure();
  bool isVector =
      node.hasKnownElements(0) && node.raw(0).isScalar && axes.size() == 1;
  if (isVector)
    return node.resultElements(*node.raw(0).elements, false, node.dtype());
  OpFoldResult next = emit.index(0); // the input's dimension to place
  for (size_t dim = 0; dim < rank; ++dim) {
    OpFoldResult isNew =
        isOneOf(emit, emit.index(static_cast<int64_t>(dim)), axes);
    OpFoldResult size = emit.index(1);
    for (size_t i = 0; i < own.size(); ++i)
      size = emit.selectEqual(next, emit.index(static_cast<int64_t>(i)), own[i],
                              size);
    sizes.push_back(
        emit.selectEqual(isNew, emit.index(1), emit.index(1), size));
    next = emit.add(next, emit.sub(emit.index(1), isNew));
  }
  return reshapeTo(node, sizes);
}

Sizes lh::keptSizes(Emitter &emit, const Sizes &own, const Sizes &axes) {
  Sizes kept(own.size() - axes.size(), emit.index(1));
  OpFoldResult next = emit.index(0); // the result's dimension to fill
  for (size_t dim = 0; dim < own.size(); ++dim) {
    OpFoldResult removed =
        isOneOf(emit, emit.index(static_cast<int64_t>(dim)), axes);
    for (size_t i = 0; i < kept.size(); ++i) {
      OpFoldResult filled = emit.selectEqual(
          next, emit.index(static_cast<int64_t>(i)), own[dim], kept[i]);
      kept[i] = emit.selectEqual(removed, emit.index(1), kept[i], filled);
    }
    next = emit.add(next, emit.sub(emit.index(1), removed));
  }
  return kept;
}

static LogicalResult squeeze(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<std::optional<Sizes>> given = axesOf(node);
  if (failed(given))
    return failure();
  Sizes own = emit.sizesOf(node.in(0)), axes;
  if (*given) {
    axes = **given;
  } else {
    for (auto [dim, size] : llvm::enumerate(own)) {
      emit.requireSame(emit.equals(size, emit.index(1)), emit.index(0),
                       "without 'axes' a size that only the run shows must "
                       "not be 1");
      if (emit.known(size) == 1)
        axes.push_back(emit.index(static_cast<int64_t>(dim)));
    }
  }
  if (axes.size() > own.size())
    return node.error("more axes than dimensions");
  if (failed(normalizeAxes(node, axes, static_cast<int64_t>(own.size()))))
    return failure();
  if (node.hasKnownElements(0) && own.size() == 1 && axes.size() == 1)
    return node.resultElements(*node.raw(0).elements, true, node.dtype());
  return reshapeTo(node, keptSizes(emit, own, axes));
}

static LogicalResult shape(NodeContext &node) {
  Sizes sizes = node.emit.sizesOf(node.in(0));
  auto rank = static_cast<int64_t>(sizes.size());
  auto clamp = [&](int64_t position) {
    position += position < 0 ? rank : 0;
    return std::min(std::max<int64_t>(position, 0), rank);
  };
  int64_t start = clamp(node.integer("start", 0));
  int64_t end = std::max(start, clamp(node.integer("end", rank)));
  return node.resultElements(Sizes(sizes.begin() + start, sizes.begin() + end),
                             false, DType::Int64);
}

static LogicalResult size(NodeContext &node) {
  OpFoldResult count = node.emit.product(node.emit.sizesOf(node.in(0)));
  return node.resultElements({count}, true, DType::Int64);
}

static LogicalResult identity(NodeContext &node) {
  node.results.front() = node.raw(0);
  return success();
}

/// In inference Dropout keeps everything; training is refused.
static LogicalResult dropout(NodeContext &node) {
  if (node.opset < 7 && node.integer("is_test", 0) == 0 &&
      node.number("ratio", 0.5) != 0)
    return node.error("training (is_test = 0) is not supported",
                      DiagKind::IngressUnsupportedOp);
  if (node.has(2)) {
    std::optional<std::vector<double>> training = node.knownNumbers(2);
    std::optional<std::vector<double>> ratio =
        node.has(1) ? node.knownNumbers(1) : std::nullopt;
    bool keepsAll = training && !training->empty() && training->front() == 0;
    keepsAll |= ratio && !ratio->empty() && ratio->front() == 0;
    if (!keepsAll)
      return node.error("training is not supported",
                        DiagKind::IngressUnsupportedOp);
  }
  if (node.wants(1)) {
    DType mask = node.opset >= 10 ? DType::Bool : node.dtype();
    node.set(1,
             node.emit.filled(node.emit.sizesOf(node.in(0)),
                              node.scalars(mask).number(1)),
             mask);
  }
  return identity(node);
}

static LogicalResult expand(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> wanted = node.elements(1);
  if (failed(wanted))
    return failure();
  Sizes own = emit.sizesOf(node.in(0)), sizes = *wanted;
  while (sizes.size() < own.size())
    sizes.insert(sizes.begin(), emit.index(1));
  size_t offset = sizes.size() - own.size();
  for (size_t dim = 0; dim < own.size(); ++dim) {
    OpFoldResult &size = sizes[offset + dim];
    std::optional<int64_t> a = emit.known(own[dim]), b = emit.known(size);
    if (a && b && *a != 1 && *b != 1 && *a != *b)
      return node.error("cannot expand dimension " + Twine(dim) + " of " +
                            shapeText(node.in(0)) + " to " + Twine(*b),
                        DiagKind::IngressShapeMismatch);
    OpFoldResult asked = size;
    size = emit.selectEqual(own[dim], emit.index(1), size, own[dim]);
    emit.requireBroadcast(asked, size);
  }
  for (OpFoldResult size : sizes)
    if (std::optional<int64_t> value = emit.known(size))
      if (*value < 0 || *value > mostElements)
        return node.error("the target shape holds " + Twine(*value),
                          DiagKind::IngressShapeMismatch);
  return node.result(emit.broadcastTo(node.in(0), sizes), node.dtype());
}

/// DepthToSpace and SpaceToDepth: split, transpose, merge.
static LogicalResult depthToSpace(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t block = node.integer("blocksize", 0);
  RankedTensorType type = tensorTypeOf(node.in(0));
  bool fits =
      type.getRank() == 4 && block > 0 && block < (1 << 16) &&
      (type.isDynamicDim(1) || type.getDimSize(1) % (block * block) == 0);
  if (!fits)
    return node.error("the channels of " + shapeText(node.in(0)) +
                      " do not split into blocks of " + Twine(block));
  Sizes own = emit.sizesOf(node.in(0));
  OpFoldResult size = emit.index(block);
  OpFoldResult channels = emit.floorDiv(own[1], block * block);
  bool isCrd = node.text("mode", "DCR") == "CRD";
  Sizes split = isCrd ? Sizes{own[0], channels, size, size, own[2], own[3]}
                      : Sizes{own[0], size, size, channels, own[2], own[3]};
  SmallVector<int64_t> order = isCrd ? SmallVector<int64_t>{0, 1, 4, 2, 5, 3}
                                     : SmallVector<int64_t>{0, 3, 4, 1, 5, 2};
  Value moved = emit.transpose(emit.reshape(node.in(0), split), order);
  return node.result(
      emit.reshape(moved, {own[0], channels, emit.mul(own[2], size),
                           emit.mul(own[3], size)}),
      node.dtype());
}

static LogicalResult spaceToDepth(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t block = node.integer("blocksize", 0);
  RankedTensorType type = tensorTypeOf(node.in(0));
  bool fits = type.getRank() == 4 && block > 0 && block < (1 << 16);
  for (unsigned dim = 2; fits && dim < 4; ++dim)
    fits = type.isDynamicDim(dim) || type.getDimSize(dim) % block == 0;
  if (!fits)
    return node.error("the image of " + shapeText(node.in(0)) +
                      " does not split into blocks of " + Twine(block));
  Sizes own = emit.sizesOf(node.in(0));
  OpFoldResult size = emit.index(block);
  OpFoldResult height = emit.floorDiv(own[2], block);
  OpFoldResult width = emit.floorDiv(own[3], block);
  Value split =
      emit.reshape(node.in(0), {own[0], own[1], height, size, width, size});
  Value moved = emit.transpose(split, {0, 3, 5, 1, 2, 4});
  OpFoldResult channels = emit.mul(own[1], emit.index(block * block));
  return node.result(emit.reshape(moved, {own[0], channels, height, width}),
                     node.dtype());
}

void lh::addShapeOps(OpTable &table) {
  using namespace OpRule;
  table.add("Reshape", {1, 1, None, reshape});
  table.add("Flatten", {1, 1, None, flatten});
  table.add("Transpose", {1, 1, None, transpose});
  table.add("Unsqueeze", {1, 1, None, unsqueeze});
  table.add("Squeeze", {1, 1, None, squeeze});
  table.add("Shape", {1, 1, None, shape});
  table.add("Size", {1, 1, None, size});
  table.add("Identity", {1, 1, Sequences, identity});
  table.add("Dropout", {1, 1, None, dropout});
  table.add("Expand", {8, 2, None, expand});
  table.add("DepthToSpace", {1, 1, None, depthToSpace});
  table.add("SpaceToDepth", {1, 1, None, spaceToDepth});
}
