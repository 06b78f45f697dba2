// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions as products for GPUs: the windows are a matrix that is never in
// memory. What is there is the image, so that threads can copy 16 bytes of it
// at once: channels innermost, as many as fill a copy, between zeros.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/gpu/ProductLayout.h"
#include "compiler/gaps/windows/PaddedImage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace lh;
using namespace mlir;

/// What a thread copies at once, and the least that it can copy in the
/// background.
static constexpr int64_t copyBytes = 16, leastCopyBytes = 4;

/// Elements in so many bytes.
static int64_t elementsIn(int64_t bytes, Type element) {
  return std::max<int64_t>(1, bytes * 8 / element.getIntOrFloatBitWidth());
}

/// Channels in memory: so many that copies don't cross a pixel's end.
static int64_t wholeChannels(int64_t channels, Type element) {
  int64_t most = elementsIn(copyBytes, element);
  if (channels > most)
    return roundUp(channels, most);
  auto wanted = std::max(channels, elementsIn(leastCopyBytes, element));
  return static_cast<int64_t>(
      llvm::PowerOf2Ceil(static_cast<uint64_t>(wanted)));
}

/// With one dimension instead of the `leading` first.
static Value collapse(TensorBuilder &tensors, Value tensor, int64_t leading) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < typeOf(tensor).getRank(); ++i) {
    if (i == 0 || i >= leading)
      groups.emplace_back();
    groups.back().push_back(i);
  }
  return tensors.collapsed(tensor, groups);
}

namespace {
/// An image as the windows are read from it.
struct Image {
  Value elements; ///< in one dimension
  int64_t height, width, channels;
  int64_t top; ///< rows of zeros before the ones that windows begin at
};
} // namespace

/// The input of the convolution in memory. Where `needsZeros`, its first pixel
/// is zeros.
static Image imageOf(TensorBuilder &tensors, Value input, bool needsZeros) {
  int64_t top = 0, left = 0, added = 0;
  SmallVector<int64_t> shape(typeOf(input).getShape());
  if (std::optional<PaddedImage> padding = paddedImage(input, 4);
      padding && isZero(padding->value)) {
    input = padding->pad.getSource();
    top = padding->top;
    left = padding->left;
  }
  if (needsZeros && top == 0 && left == 0)
    added = 1;
  shape[1] += added;
  shape[3] = wholeChannels(shape[3], typeOf(input).getElementType());
  Value image = padded(tensors, input, shape, {0, top + added, left, 0});
  return {collapse(tensors, image, 4), shape[1], shape[2], shape[3], added};
}

/// The places of `value` in a box of these sizes, the last varying fastest.
static SmallVector<AffineExpr> digits(AffineExpr value,
                                      ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> places(sizes.size(), value * 0);
  for (size_t at = sizes.size(); at-- > 0;) {
    bool isFirst = llvm::all_of(sizes.take_front(at),
                                [](int64_t size) { return size == 1; });
    if (sizes[at] != 1)
      places[at] = isFirst ? value : value % sizes[at];
    value = isFirst ? value * 0 : value.floorDiv(sizes[at]);
  }
  return places;
}

/// The element of `image` at (pixel of the result, element of its window), the
/// loops' indices; beyond the window zeros. convert-vector-to-gpu takes arith's
/// additions and divisions of single numbers for elementwise ops on fragments,
/// and fails: index and affine have others.
static Value elementAt(OpBuilder &builder, Location loc, const Image &image,
                       const Windows &w, ArrayRef<int64_t> shape) {
  MLIRContext *context = builder.getContext();
  TensorBuilder tensors(builder, loc);
  auto loopAtMost = [&](uint64_t loop, int64_t most) -> Value {
    return index::MinUOp::create(builder, loc,
                                 linalg::IndexOp::create(builder, loc, loop),
                                 tensors.index(most));
  };
  // Rows beyond the last pixel are cut off; the rest is to tell LLVM how few
  // bits the divisions need.
  Value row = loopAtMost(0, w.count() - 1);
  Value place = loopAtMost(1, shape[1] - 1);
  AffineExpr d0 = getAffineDimExpr(0, context);
  SmallVector<AffineExpr> corner = digits(d0, {w.batch, w.height, w.width});
  SmallVector<AffineExpr> inside =
      digits(d0, {w.rows, w.columns, image.channels});
  // Apart, so that the first needn't be computed for each place.
  Value pixel = index::AddOp::create(
      builder, loc,
      tensors.apply(linearize(context, corner,
                              {image.height * image.width,
                               w.rowStride * image.width, w.columnStride}) +
                        image.top * image.width,
                    row),
      tensors.apply(inside[0] * (w.rowDilation * image.width) +
                        inside[1] * w.columnDilation,
                    place));
  int64_t size = w.rows * w.columns * image.channels;
  if (shape[1] > size) {
    Value isInside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, place, tensors.index(size));
    pixel = arith::SelectOp::create(builder, loc, isInside, pixel,
                                    tensors.index(0));
  }
  Value at = index::AddOp::create(
      builder, loc,
      index::MulOp::create(builder, loc, pixel, tensors.index(image.channels)),
      tensors.apply(inside[2], place));
  return tensor::ExtractOp::create(builder, loc, image.elements, at);
}

/// The windows as rows of a matrix of this shape.
static Value windowsOf(TensorBuilder &tensors, const Windows &windows,
                       const Image &image, ArrayRef<int64_t> shape) {
  Type element = typeOf(image.elements).getElementType();
  linalg::GenericOp rows =
      tensors.generic({}, {}, tensors.empty(shape, element),
                      [&](OpBuilder &b, Location at, ValueRange) {
                        return elementAt(b, at, image, windows, shape);
                      });
  int64_t run = std::min(image.channels, elementsIn(copyBytes, element));
  Builder attributes(rows.getContext());
  rows->setAttr(gatherMark, attributes.getUnitAttr());
  rows->setAttr(contiguousMark, attributes.getI64IntegerAttr(run));
  return rows.getResult(0);
}

/// The filters as columns of a matrix of `length` rows.
static Value filtersOf(TensorBuilder &tensors, const Convolution &convolution,
                       int64_t channels, int64_t length) {
  Value filters = orderFilters(tensors, convolution);
  SmallVector<int64_t> shape(typeOf(filters).getShape());
  shape[2] = channels;
  Value matrix = collapse(tensors, padded(tensors, filters, shape), 3);
  return padded(tensors, matrix, {length, convolution.filters});
}

MatrixOperands lh::windowOperands(TensorBuilder &tensors,
                                  const Convolution &convolution,
                                  const ProductLayout &layout) {
  const Windows &w = convolution.windows;
  linalg::GenericOp op = convolution.op;
  Value input = op.getInputs()[0];
  if (w.isWholePixels())
    return {collapse(tensors, input, 3),
            filtersOf(tensors, convolution, w.channels, w.channels)};
  int64_t channels = wholeChannels(w.channels, typeOf(input).getElementType());
  int64_t size = w.rows * w.columns * channels;
  int64_t length = roundUp(size, layout.sumMultiple(size));
  Image image = imageOf(tensors, input, /*needsZeros=*/length > size);
  int64_t count = roundUp(w.count(), layout.tile[0]);
  return {windowsOf(tensors, w, image, {count, length}),
          filtersOf(tensors, convolution, channels, length)};
}
