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

using namespace lh;
using namespace mlir;

/// What a thread copies at once, and the least that it can copy in the
/// background.
static constexpr int64_t copyBytes = 16, leastCopyBytes = 4;

/// Elements in so many bytes.
static int64_t elementsIn(int64_t bytes, Type element) {
  return std::max<int64_t>(1, bytes * 8 / element.getIntOrFloatBitWidth());
}

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
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
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t i = 0; i < typeOf(tensor).getRank(); ++i)
    if (i < leading)
      groups[0].push_back(i);
    else
      groups.push_back({i});
  return tensors.collapsed(tensor, groups);
}

namespace {
/// An image as the windows are read from it.
struct Image {
  Value elements; ///< in one dimension
  int64_t height, width, channels;
  int64_t top; ///< rows of zeros before the ones that windows begin at
};

/// Computes with indices. convert-vector-to-gpu takes arith's additions and
/// divisions of single numbers for elementwise ops on fragments, and fails.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value loop(unsigned dimension) {
    return linalg::IndexOp::create(builder, loc, dimension);
  }
  Value add(Value a, Value b) {
    return index::AddOp::create(builder, loc, a, b);
  }
  Value times(Value a, int64_t by) {
    return by == 1 ? a : index::MulOp::create(builder, loc, a, number(by));
  }
  Value atMost(Value a, int64_t most) {
    return index::MinUOp::create(builder, loc, a, number(most));
  }
  /// `value` where `at` is less than `end`, zero elsewhere.
  Value before(Value at, int64_t end, Value value) {
    Value isBefore = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, at, number(end));
    return arith::SelectOp::create(builder, loc, isBefore, value, number(0));
  }

  /// The places of `value` in a box of these sizes, the last varying fastest;
  /// zeros are left out.
  SmallVector<Value> digits(Value value, ArrayRef<int64_t> sizes) {
    SmallVector<Value> places(sizes.size());
    for (size_t at = sizes.size(); at-- > 0;) {
      bool isFirst = llvm::all_of(sizes.take_front(at),
                                  [](int64_t size) { return size == 1; });
      if (sizes[at] == 1)
        continue;
      places[at] = isFirst ? value
                           : index::RemUOp::create(builder, loc, value,
                                                   number(sizes[at]));
      if (isFirst)
        break;
      value = index::DivUOp::create(builder, loc, value, number(sizes[at]));
    }
    return places;
  }

  /// `start` and what these places weigh.
  Value sum(int64_t start, ArrayRef<Value> places, ArrayRef<int64_t> weights) {
    Value total = start ? number(start) : Value();
    for (auto [place, weight] : llvm::zip_equal(places, weights)) {
      if (!place)
        continue;
      Value part = times(place, weight);
      total = total ? add(total, part) : part;
    }
    return total ? total : number(0);
  }

private:
  OpBuilder &builder;
  Location loc;
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

/// The element of `image` at (pixel of the result, element of its window), the
/// loops' indices; beyond the window zeros.
static Value elementAt(OpBuilder &builder, Location loc, const Image &image,
                       const Windows &w, ArrayRef<int64_t> shape) {
  int64_t size = w.rows * w.columns * image.channels;
  Arithmetic math(builder, loc);
  // Rows beyond the last pixel are cut off; the rest is to tell LLVM how few
  // bits the divisions need.
  Value row = math.atMost(math.loop(0), w.count() - 1);
  Value place = math.atMost(math.loop(1), shape[1] - 1);
  SmallVector<Value> corner = math.digits(row, {w.batch, w.height, w.width});
  SmallVector<Value> inside =
      math.digits(place, {w.rows, w.columns, image.channels});
  Value pixel =
      math.add(math.sum(image.top * image.width, corner,
                        {image.height * image.width, w.rowStride * image.width,
                         w.columnStride}),
               math.sum(0, ArrayRef(inside).drop_back(),
                        {w.rowDilation * image.width, w.columnDilation}));
  if (shape[1] > size)
    pixel = math.before(place, size, pixel);
  Value at = math.times(pixel, image.channels);
  if (Value channel = inside.back())
    at = math.add(at, channel);
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
