// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of sliding windows.
#include "compiler/ingress/onnx/ops/Window.h"

using namespace lh;
using namespace mlir;

/// Beyond this, window arithmetic could overflow; no real model comes near.
static constexpr int64_t maxWindowValue = int64_t(1) << 24;

static LogicalResult readList(NodeContext &node, StringRef name, size_t length,
                              int64_t least, std::vector<int64_t> &values) {
  std::optional<std::vector<int64_t>> given = node.integers(name);
  if (!given || given->empty())
    return success();
  if (given->size() != length)
    return node.error("'" + name + "' has " + Twine(given->size()) +
                      " values, " + Twine(length) + " are needed");
  for (int64_t value : *given)
    if (value < least || value > maxWindowValue)
      return node.error("'" + name + "' holds " + Twine(value) +
                        ", which is out of range");
  values = *given;
  return success();
}

FailureOr<Window> lh::readWindow(NodeContext &node, ArrayRef<int64_t> kernel) {
  Window window;
  size_t rank = kernel.size();
  window.kernel.assign(kernel.begin(), kernel.end());
  window.strides.assign(rank, 1);
  window.dilations.assign(rank, 1);
  std::vector<int64_t> pads(2 * rank, 0);
  std::vector<int64_t> declared = window.kernel;
  if (failed(readList(node, "kernel_shape", rank, 1, declared)) ||
      failed(readList(node, "strides", rank, 1, window.strides)) ||
      failed(readList(node, "dilations", rank, 1, window.dilations)) ||
      failed(readList(node, "pads", 2 * rank, 0, pads)))
    return failure();
  if (declared != window.kernel)
    return node.error("'kernel_shape' differs from the shape of W",
                      DiagKind::IngressShapeMismatch);
  for (int64_t size : kernel)
    if (size < 1 || size > maxWindowValue)
      return node.error("the kernel has a dimension of " + Twine(size));
  int64_t area = 1;
  for (int64_t size : kernel) {
    area *= size; // both are at most maxWindowValue
    if (area > maxWindowValue)
      return node.error("the kernel has more than " + Twine(maxWindowValue) +
                        " elements");
  }
  window.low.assign(pads.begin(), pads.begin() + static_cast<long>(rank));
  window.high.assign(pads.begin() + static_cast<long>(rank), pads.end());
  std::string mode = node.text("auto_pad", "NOTSET");
  if (mode == "SAME_UPPER")
    window.autoPad = Window::AutoPad::SameUpper;
  else if (mode == "SAME_LOWER")
    window.autoPad = Window::AutoPad::SameLower;
  else if (mode == "VALID")
    window.autoPad = Window::AutoPad::Valid;
  else if (mode != "NOTSET" && !mode.empty())
    return node.error("unknown auto_pad '" + mode + "'");
  window.roundsUp = node.integer("ceil_mode", 0) != 0;
  return window;
}

Padding lh::resolvePadding(Emitter &emit, const Sizes &sizes,
                           const Window &window) {
  Padding padding;
  for (size_t i = 0; i < window.rank(); ++i) {
    if (window.autoPad == Window::AutoPad::None ||
        window.autoPad == Window::AutoPad::Valid) {
      bool none = window.autoPad == Window::AutoPad::Valid;
      padding.low.push_back(emit.index(none ? 0 : window.low[i]));
      padding.high.push_back(emit.index(none ? 0 : window.high[i]));
      continue;
    }
    // SAME: ceil(size / stride) positions, the odd element at one end.
    int64_t stride = window.strides[i];
    OpFoldResult count = emit.ceilDiv(sizes[2 + i], stride);
    OpFoldResult span =
        emit.add(emit.mul(emit.sub(count, emit.index(1)), emit.index(stride)),
                 emit.index(window.extent(i)));
    OpFoldResult total = emit.max(emit.sub(span, sizes[2 + i]), emit.index(0));
    OpFoldResult smaller = emit.floorDiv(total, 2);
    OpFoldResult larger = emit.sub(total, smaller);
    bool upper = window.autoPad == Window::AutoPad::SameUpper;
    padding.low.push_back(upper ? smaller : larger);
    padding.high.push_back(upper ? larger : smaller);
  }
  return padding;
}

LogicalResult lh::checkWindowFits(NodeContext &node, const Sizes &sizes,
                                  const Window &window,
                                  const Padding &padding) {
  Emitter &emit = node.emit;
  for (size_t i = 0; i < window.rank(); ++i) {
    std::optional<int64_t> size = emit.known(
        emit.add(emit.add(sizes[2 + i], padding.low[i]), padding.high[i]));
    if (size && *size < window.extent(i))
      return node.error("the window spans " + Twine(window.extent(i)) +
                            " elements of spatial dimension " + Twine(i) +
                            ", the padded input has " + Twine(*size),
                        DiagKind::IngressShapeMismatch);
  }
  return success();
}

LogicalResult lh::checkFilters(NodeContext &node) {
  RankedTensorType filters = tensorTypeOf(node.in(1));
  if (node.rank(0) >= 3 && filters.getRank() == node.rank(0) &&
      filters.hasStaticShape())
    return success();
  return node.error("X of shape " + shapeText(node.in(0)) + " and W of shape " +
                        shapeText(node.in(1)) +
                        " must have one rank of at least 3, W a static shape",
                    DiagKind::IngressShapeMismatch);
}

Value lh::channelBias(NodeContext &node, size_t i, const Sizes &sizes) {
  Emitter &emit = node.emit;
  Value zeros = emit.filled(sizes, node.scalars(node.dtype()).number(0));
  if (!node.has(i))
    return zeros;
  Sizes spread(sizes.size() - 1, emit.index(1));
  spread[0] = sizes[1];
  return emit.broadcastTo(emit.reshape(node.in(i), spread), sizes);
}
