// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Col2Im: overlapping blocks summed into an image.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Sampling.h"
#include "compiler/ingress/onnx/ops/Window.h"

using namespace lh;
using namespace mlir;

namespace {
/// Col2Im: how blocks lie on the image.
struct Blocks {
  Window window;       ///< without a kernel: blocks may be sized at run time
  Sizes kernel, image; ///< sizes of a block and of the image
  Sizes positions;     ///< blocks along each dimension
};
} // namespace

/// Beyond this no real image goes.
static constexpr int64_t maxSize = int64_t(1) << 24;

static FailureOr<Blocks> readBlocks(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> image = node.elements(1), kernel = node.elements(2);
  if (failed(image) || failed(kernel))
    return failure();
  size_t rank = image->size();
  if (rank == 0 || kernel->size() != rank || node.rank(0) != 3)
    return node.error("image_shape and block_shape must have one length, the "
                      "input of shape " +
                          shapeText(node.in(0)) + " three dimensions",
                      DiagKind::IngressShapeMismatch);
  FailureOr<Window> window = readWindow(node, std::vector<int64_t>(rank, 1));
  if (failed(window))
    return failure();
  Blocks blocks{*window, *kernel, *image, {}};
  for (size_t i = 0; i < rank; ++i) {
    std::optional<int64_t> block = emit.known((*kernel)[i]);
    std::optional<int64_t> size = emit.known((*image)[i]);
    if ((block && (*block < 1 || *block > maxSize)) ||
        (size && (*size < 0 || *size > maxSize)))
      return node.error("image_shape or block_shape is out of range",
                        DiagKind::IngressShapeMismatch);
    blocks.image[i] = emit.max((*image)[i], emit.index(0));
    blocks.kernel[i] = emit.max((*kernel)[i], emit.index(1));
    int64_t added = window->low[i] + window->high[i] - 1;
    OpFoldResult reach = emit.mul(emit.sub(blocks.kernel[i], emit.index(1)),
                                  emit.index(window->dilations[i]));
    OpFoldResult room =
        emit.sub(emit.add(blocks.image[i], emit.index(added)), reach);
    blocks.positions.push_back(
        emit.add(emit.floorDiv(room, window->strides[i]), emit.index(1)));
  }
  return blocks;
}

namespace {
/// The element of the input that one loop position adds.
struct BlockElement {
  Value row, column;
  Value matches; ///< i1: a block has an element there
};
} // namespace

/// Of the loops (n, c, image..., inside block...).
static BlockElement elementOf(OpBuilder &b, Location loc, const Blocks &blocks,
                              ArrayRef<Value> kernel,
                              ArrayRef<Value> positions) {
  auto loop = [&](unsigned i) { return Emitter::loopIndex(b, loc, i); };
  auto rank = static_cast<unsigned>(kernel.size());
  BlockElement element{loop(1), indexConstant(b, loc, 0), Value()};
  for (unsigned i = 0; i < rank; ++i) {
    Value k = loop(2 + rank + i);
    Value low = indexConstant(b, loc, blocks.window.low[i]);
    Source source =
        sourceOf(b, loc, loop(2 + i), low, k, positions[i],
                 blocks.window.strides[i], blocks.window.dilations[i]);
    Value row = indexMul(b, loc, element.row, kernel[i]);
    Value column = indexMul(b, loc, element.column, positions[i]);
    element.row = indexAdd(b, loc, row, k);
    element.column = indexAdd(b, loc, column, source.index);
    element.matches = andBits(b, loc, element.matches, source.matches);
  }
  return element;
}

/// Every pixel sums the blocks that cover it.
static Value sumBlocks(NodeContext &node, const Blocks &blocks,
                       OpFoldResult channels) {
  Emitter &emit = node.emit;
  auto rank = static_cast<unsigned>(blocks.image.size());
  unsigned loops = 2 + 2 * rank;
  Value input = node.in(0);
  Sizes own = emit.sizesOf(input), sizes{own[0], channels};
  sizes.append(blocks.image);
  SmallVector<Value> kernel = emit.asValues(blocks.kernel);
  SmallVector<Value> positions = emit.asValues(blocks.positions);
  Value rows = emit.asValue(own[1]), columns = emit.asValue(own[2]);
  SmallVector<AffineExpr> inside;
  for (unsigned i = 2 + rank; i < loops; ++i)
    inside.push_back(emit.builder.getAffineDimExpr(i));
  SmallVector<bool> reduces(loops, false);
  std::fill(reduces.begin() + 2 + rank, reduces.end(), true);
  MLIRContext *context = emit.builder.getContext();
  AffineMap result = AffineMap::getMultiDimIdentityMap(2 + rank, context)
                         .replaceDimsAndSymbols({}, {}, loops, 0);
  DType dtype = node.dtype();
  return emit.generic(
      {emit.empty(blocks.kernel, node.elementType())},
      {AffineMap::get(loops, 0, inside, context), result},
      emit.filled(sizes, node.scalars(dtype).number(0)), reduces,
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype);
        BlockElement at = elementOf(b, loc, blocks, kernel, positions);
        Value element = extractElement(
            b, loc, input,
            {Emitter::loopIndex(b, loc, 0), clampIndex(b, loc, at.row, rows),
             clampIndex(b, loc, at.column, columns)});
        return s.select(at.matches, s.add(v[1], element), v[1]);
      });
}

static LogicalResult col2Im(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Blocks> blocks = readBlocks(node);
  if (failed(blocks))
    return failure();
  Sizes own = emit.sizesOf(node.in(0));
  OpFoldResult block = emit.product(blocks->kernel);
  std::optional<int64_t> rows = emit.known(own[1]), each = emit.known(block);
  if (rows && each && *rows % *each != 0)
    return node.error("the input of shape " + shapeText(node.in(0)) +
                          " does not hold whole blocks of " + Twine(*each) +
                          " elements",
                      DiagKind::IngressShapeMismatch);
  std::optional<int64_t> columns = emit.known(own[2]);
  std::optional<int64_t> count = emit.known(emit.product(blocks->positions));
  if (columns && count && *columns != *count)
    return node.error("the input of shape " + shapeText(node.in(0)) +
                          " holds " + Twine(*columns) + " blocks, the image " +
                          Twine(*count),
                      DiagKind::IngressShapeMismatch);
  OpFoldResult channels = emit.divide(own[1], block);
  return node.result(sumBlocks(node, *blocks, channels), node.dtype());
}

void lh::addCol2ImOps(OpTable &table) {
  using namespace OpRule;
  table.add("Col2Im", {18, 3, Numeric | WidenHalf, col2Im});
}
