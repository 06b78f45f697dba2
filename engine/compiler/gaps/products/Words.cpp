// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of narrow numbers: how tensors are packed into them, and the bodies
// that compute with them.
#include "compiler/gaps/products/Words.h"

#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// `word` moved by `bits`.
template <typename Op>
static Value moved(OpBuilder &builder, Location loc, Value word, int64_t bits) {
  if (bits == 0)
    return word;
  Value by = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(word.getType(), bits));
  return Op::create(builder, loc, word, by);
}

/// Number `index` of a word, the first in its low bits, as i32 or f32.
static Value numberIn(OpBuilder &builder, Location loc, Value word,
                      int64_t index, const WordFormat &format, bool isSigned) {
  int64_t bits = format.numberBits();
  word = moved<arith::ShRUIOp>(builder, loc, word, index * bits);
  Value number = arith::TruncIOp::create(
      builder, loc, builder.getIntegerType(static_cast<unsigned>(bits)), word);
  if (format.kind == WordKind::Bytes)
    return convertScalarToDtype(builder, loc, number, builder.getI32Type(),
                                !isSigned);
  number =
      arith::BitcastOp::create(builder, loc, builder.getBF16Type(), number);
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), number);
}

Value lh::addDotOfWords(OpBuilder &builder, Location loc, Value sum, Value left,
                        Value right, const WordFormat &format) {
  ArithBuilder arith(builder, loc);
  Value dot;
  for (int64_t i = 0; i < format.length(); ++i) {
    Value a = numberIn(builder, loc, left, i, format, format.isLeftSigned);
    Value b = numberIn(builder, loc, right, i, format, format.isRightSigned);
    Value product = arith.mul(a, b);
    dot = dot ? arith.add(dot, product) : product;
  }
  return arith.add(sum, dot);
}

Value lh::addBytes(OpBuilder &builder, Location loc, Value sum, Value word,
                   bool isSigned) {
  WordFormat format{WordKind::Bytes, word.getType().getIntOrFloatBitWidth()};
  ArithBuilder arith(builder, loc);
  for (int64_t i = 0; i < format.length(); ++i)
    sum = arith.add(sum, numberIn(builder, loc, word, i, format, isSigned));
  return sum;
}

Value lh::spreadByte(OpBuilder &builder, Location loc, const APInt &byte,
                     int64_t bits) {
  auto width = static_cast<unsigned>(bits);
  return arith::ConstantOp::create(
      builder, loc,
      IntegerAttr::get(builder.getIntegerType(width),
                       APInt::getSplat(width, byte)));
}

//===----------------------------------------------------------------------===//
// Tensors of words
//===----------------------------------------------------------------------===//

namespace {
/// Packs one tensor; its methods are the steps.
struct Packer {
  OpBuilder &builder;
  Location loc;
  Value tensor;
  unsigned dim;
  bool flip;
  WordFormat format;

  Value run();

private:
  Value slice(Value of, int64_t first, int64_t size, int64_t stride);
  Value partOf(Value words, int64_t first, int64_t size);
  Value fill(Value destination, int64_t first, int64_t width);
  Value word(OpBuilder &b, Location at, ValueRange numbers);
  Type wordType() {
    return builder.getIntegerType(static_cast<unsigned>(format.bits));
  }
};
} // namespace

/// `size` elements of `of` along the dimension, `stride` apart.
Value Packer::slice(Value of, int64_t first, int64_t size, int64_t stride) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, of);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  sizes[dim] = builder.getIndexAttr(size);
  offsets[dim] = builder.getIndexAttr(first);
  strides[dim] = builder.getIndexAttr(stride);
  return tensor::ExtractSliceOp::create(builder, loc, of, offsets, sizes,
                                        strides);
}

/// The body: numbers side by side, the first in the low bits.
Value Packer::word(OpBuilder &b, Location at, ValueRange numbers) {
  Value result;
  for (auto [index, number] : llvm::enumerate(numbers)) {
    if (format.kind == WordKind::Halves)
      number = arith::BitcastOp::create(b, at, b.getI16Type(), number);
    Value wide = arith::ExtUIOp::create(b, at, wordType(), number);
    wide = moved<arith::ShLIOp>(
        b, at, wide, format.numberBits() * static_cast<int64_t>(index));
    result = result ? arith::OrIOp::create(b, at, result, wide) : wide;
  }
  if (!flip)
    return result;
  Value signs = spreadByte(b, at, APInt::getSignMask(8), format.bits);
  return arith::XOrIOp::create(b, at, result, signs);
}

/// Words of `width` numbers each into `destination`, from element `first` on.
/// Along the innermost dimension a word's numbers are neighbours, and machine
/// code loads them at once; along others, words are neighbours.
Value Packer::fill(Value destination, int64_t first, int64_t width) {
  auto rank = static_cast<unsigned>(typeOf(tensor).getRank());
  int64_t count = typeOf(destination).getDimSize(dim);
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  AffineExpr along = builder.getAffineDimExpr(dim);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  Value part = slice(tensor, first, (count - 1) * format.length() + width, 1);
  for (int64_t i = 0; i < width; ++i)
    if (dim + 1 == rank) {
      inputs.push_back(part);
      maps.push_back(all.replace(along, along * format.length() + i, rank, 0));
    } else {
      inputs.push_back(slice(tensor, first + i, count, format.length()));
      maps.push_back(all);
    }
  return TensorBuilder(builder, loc)
      .generic(inputs, maps, destination,
               [&](OpBuilder &b, Location at, ValueRange values) {
                 return word(b, at, values.drop_back());
               })
      .getResult(0);
}

/// `words` with `size` of them, from `first` on, packed.
Value Packer::partOf(Value words, int64_t first, int64_t size) {
  int64_t length = format.length();
  int64_t left = typeOf(tensor).getDimSize(dim) - first * length;
  Value into = slice(words, first, size, 1);
  Value part = fill(into, first * length, std::min(left, length));
  auto old = into.getDefiningOp<tensor::ExtractSliceOp>();
  return tensor::InsertSliceOp::create(
      builder, loc, part, words, old.getMixedOffsets(), old.getMixedSizes(),
      old.getMixedStrides());
}

Value Packer::run() {
  int64_t length = format.length(), size = typeOf(tensor).getDimSize(dim);
  int64_t whole = size / length, rest = size % length;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  sizes[dim] = builder.getIndexAttr(whole + (rest != 0));
  Value words = tensor::EmptyOp::create(builder, loc, sizes, wordType());
  if (rest == 0)
    return fill(words, 0, length);
  if (whole != 0)
    words = partOf(words, 0, whole);
  return partOf(words, whole, 1);
}

Value lh::packWords(OpBuilder &builder, Location loc, Value tensor,
                    unsigned dim, int64_t bits, bool flip) {
  bool ofBytes = getElementTypeOrSelf(tensor).isInteger(8);
  WordFormat format{ofBytes ? WordKind::Bytes : WordKind::Halves, bits};
  return Packer{builder, loc, tensor, dim, flip, format}.run();
}
