// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of pools.
#include "compiler/ingress/onnx/ops/Pool.h"

using namespace lh;
using namespace mlir;

/// ceil_mode: the last window may hang over the end, but windows that would
/// start behind the input, in its high padding, are ignored.
static OpFoldResult roundedUpCount(Emitter &emit, OpFoldResult size,
                                   OpFoldResult low, OpFoldResult padded,
                                   const Window &window, size_t i) {
  int64_t stride = window.strides[i];
  OpFoldResult room = emit.sub(padded, emit.index(window.extent(i)));
  OpFoldResult count = emit.add(emit.ceilDiv(room, stride), emit.index(1));
  return emit.min(count, emit.ceilDiv(emit.add(size, low), stride));
}

/// Result sizes with ceil_mode, and the padding its last windows need.
static LogicalResult roundUp(NodeContext &node, Pool &pool) {
  Emitter &emit = node.emit;
  const Window &window = pool.window;
  Sizes input = emit.sizesOf(node.in(0));
  for (size_t i = 0; i < window.rank(); ++i) {
    OpFoldResult low = pool.padding.low[i], size = input[2 + i];
    OpFoldResult padded = emit.add(emit.add(size, low), pool.padding.high[i]);
    OpFoldResult count = roundedUpCount(emit, size, low, padded, window, i);
    std::optional<int64_t> known = emit.known(count);
    if (known && *known < 1)
      return node.error("no window starts in spatial dimension " + Twine(i) +
                            " of the input of shape " + shapeText(node.in(0)),
                        DiagKind::IngressShapeMismatch);
    pool.sizes.push_back(count);
    OpFoldResult span = emit.add(
        emit.mul(emit.sub(count, emit.index(1)), emit.index(window.strides[i])),
        emit.index(window.extent(i)));
    pool.extended.high[i] = emit.add(
        pool.padding.high[i], emit.max(emit.sub(span, padded), emit.index(0)));
  }
  return success();
}

FailureOr<Window> lh::poolWindow(NodeContext &node) {
  int64_t rank = node.rank(0) - 2;
  std::optional<std::vector<int64_t>> kernel = node.integers("kernel_shape");
  if (rank < 1 || !kernel || static_cast<int64_t>(kernel->size()) != rank)
    return node.error("'kernel_shape' must have a value per spatial dimension "
                      "of the input of shape " +
                      shapeText(node.in(0)));
  return readWindow(node, *kernel);
}

FailureOr<Pool> lh::readPool(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Window> window = poolWindow(node);
  if (failed(window))
    return failure();
  Pool pool{*window, {}, {}, {}};
  Sizes input = emit.sizesOf(node.in(0));
  pool.padding = resolvePadding(emit, input, pool.window);
  pool.extended = pool.padding;
  pool.sizes = {input[0], input[1]};
  if (pool.window.roundsUp) {
    if (failed(roundUp(node, pool)))
      return failure();
    return pool;
  }
  if (failed(checkWindowFits(node, input, pool.window, pool.padding)))
    return failure();
  for (size_t i = 0; i < pool.window.rank(); ++i) {
    OpFoldResult padded = emit.add(emit.add(input[2 + i], pool.padding.low[i]),
                                   pool.padding.high[i]);
    pool.sizes.push_back(windowCount(emit, padded, pool.window, i));
  }
  return pool;
}

FailureOr<SmallVector<bool>> lh::spatialAxes(NodeContext &node) {
  if (node.rank(0) < 2)
    return node.error("the input of shape " + shapeText(node.in(0)) +
                      " has no spatial dimension");
  SmallVector<bool> axes(static_cast<size_t>(node.rank(0)), true);
  axes[0] = axes[1] = false;
  return axes;
}
