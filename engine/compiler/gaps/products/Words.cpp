// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of narrow numbers: how tensors are packed into them, and the bodies
// that compute with them.
#include "compiler/gaps/products/Words.h"

#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace lh;
using namespace mlir;

namespace {
/// Integer expressions on words.
class WordBuilder {
public:
  WordBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value number(int64_t value, Type type) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  /// `Op` with a number of the word's type.
  template <typename Op> Value by(Value word, int64_t value) {
    return op<Op>(word, number(value, word.getType()));
  }
  Value left(Value word, int64_t bits) {
    return bits == 0 ? word : by<arith::ShLIOp>(word, bits);
  }
  /// The 32 bits of a word that hold its number `index`, which becomes the
  /// index in them.
  Value part(Value word, int64_t &index, int64_t perPart) {
    if (word.getType().isInteger(32))
      return word;
    Value low = index < perPart ? word : by<arith::ShRUIOp>(word, 32);
    index %= perPart;
    return arith::TruncIOp::create(builder, loc, builder.getI32Type(), low);
  }
  Value byte(Value word, int64_t index, bool isSigned) {
    word = part(word, index, 4);
    if (isSigned)
      return by<arith::ShRSIOp>(left(word, 24 - 8 * index), 24);
    Value low = index == 0 ? word : by<arith::ShRUIOp>(word, 8 * index);
    return index == 3 ? low : by<arith::AndIOp>(low, 255);
  }
  /// The first of two bf16 lies in the low bits.
  Value half(Value word, int64_t index) {
    word = part(word, index, 2);
    Value bits = index == 0 ? left(word, 16)
                            : by<arith::AndIOp>(word, int32_t(0xffff0000));
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  }
  template <typename Op> Value op(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value sum(Value a, Value b) {
    return a.getType().isF32() ? op<arith::AddFOp>(a, b)
                               : op<arith::AddIOp>(a, b);
  }

private:
  OpBuilder &builder;
  Location loc;
};
} // namespace

Value lh::addDotOfWords(OpBuilder &builder, Location loc, Value sum, Value left,
                        Value right, const WordFormat &format) {
  WordBuilder words(builder, loc);
  Value dot;
  for (int64_t i = 0; i < format.length(); ++i) {
    Value product = format.kind == WordKind::Bytes
                        ? words.op<arith::MulIOp>(
                              words.byte(left, i, format.isLeftSigned),
                              words.byte(right, i, format.isRightSigned))
                        : words.op<arith::MulFOp>(words.half(left, i),
                                                  words.half(right, i));
    dot = dot ? words.sum(dot, product) : product;
  }
  return words.sum(sum, dot);
}

Value lh::addBytes(OpBuilder &builder, Location loc, Value sum, Value word,
                   bool isSigned) {
  WordBuilder words(builder, loc);
  for (int64_t i = 0; i < word.getType().getIntOrFloatBitWidth() / 8; ++i)
    sum = words.op<arith::AddIOp>(sum, words.byte(word, i, isSigned));
  return sum;
}

//===----------------------------------------------------------------------===//
// Tensors of words
//===----------------------------------------------------------------------===//

namespace {
/// Packs one tensor; its methods are the steps.
class Packer {
public:
  Packer(OpBuilder &builder, Location loc, Value tensor, unsigned dim,
         int64_t bits, bool flip)
      : builder(builder), loc(loc), tensor(tensor), dim(dim), flip(flip),
        type(cast<RankedTensorType>(tensor.getType())),
        format{type.getElementType().isInteger(8) ? WordKind::Bytes
                                                  : WordKind::Halves,
               bits} {}

  Value run();

private:
  bool isInnermost() const {
    return dim + 1 == static_cast<unsigned>(type.getRank());
  }
  Value slice(Value of, int64_t first, int64_t size, int64_t stride);
  Value partOf(Value words, int64_t first, int64_t size);
  Value fill(Value destination, int64_t first, int64_t width);
  Value word(OpBuilder &b, Location at, ValueRange numbers);
  AffineMap everyWord(int64_t offset) const;
  Type wordsType() {
    return builder.getIntegerType(static_cast<unsigned>(format.bits));
  }

  OpBuilder &builder;
  Location loc;
  Value tensor;
  unsigned dim;
  bool flip;
  RankedTensorType type;
  WordFormat format;
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

/// (d0, ..., length * dk + offset)
AffineMap Packer::everyWord(int64_t offset) const {
  AffineExpr along = builder.getAffineDimExpr(dim);
  AffineMap all =
      builder.getMultiDimIdentityMap(static_cast<unsigned>(type.getRank()));
  return all.replace(along, along * format.length() + offset, all.getNumDims(),
                     0);
}

/// The body: numbers side by side, the first in the low bits.
Value Packer::word(OpBuilder &b, Location at, ValueRange numbers) {
  WordBuilder words(b, at);
  Type wordType = wordsType();
  Value result;
  int64_t signs = 0;
  for (auto [index, number] : llvm::enumerate(numbers)) {
    auto shift = format.numberBits() * static_cast<int64_t>(index);
    if (format.kind == WordKind::Halves)
      number = arith::BitcastOp::create(b, at, b.getI16Type(), number);
    Value wide = arith::ExtUIOp::create(b, at, wordType, number);
    wide = words.left(wide, shift);
    result = result ? words.op<arith::OrIOp>(result, wide) : wide;
    signs |= int64_t(0x80) << shift;
  }
  return flip ? words.by<arith::XOrIOp>(
                    result,
                    llvm::SignExtend64(static_cast<uint64_t>(signs),
                                       static_cast<unsigned>(format.bits)))
              : result;
}

/// Words of `width` numbers each into `destination`, from element `first` on.
/// Along the innermost dimension a word's numbers are neighbours, and machine
/// code loads them at once; along others, words are neighbours.
Value Packer::fill(Value destination, int64_t first, int64_t width) {
  auto rank = static_cast<unsigned>(type.getRank());
  int64_t count = cast<RankedTensorType>(destination.getType()).getDimSize(dim);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  Value part = slice(tensor, first, (count - 1) * format.length() + width, 1);
  for (int64_t i = 0; i < width; ++i) {
    inputs.push_back(isInnermost()
                         ? part
                         : slice(tensor, first + i, count, format.length()));
    maps.push_back(isInnermost() ? everyWord(i)
                                 : builder.getMultiDimIdentityMap(rank));
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
  int64_t left = type.getDimSize(dim) - first * length;
  Value into = slice(words, first, size, 1);
  Value part = fill(into, first * length, std::min(left, length));
  auto old = into.getDefiningOp<tensor::ExtractSliceOp>();
  return tensor::InsertSliceOp::create(
      builder, loc, part, words, old.getMixedOffsets(), old.getMixedSizes(),
      old.getMixedStrides());
}

Value Packer::run() {
  int64_t length = format.length(), size = type.getDimSize(dim);
  int64_t whole = size / length, rest = size % length;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  sizes[dim] = builder.getIndexAttr(whole + (rest != 0));
  Value words = tensor::EmptyOp::create(builder, loc, sizes, wordsType());
  if (rest == 0)
    return fill(words, 0, length);
  if (whole != 0)
    words = partOf(words, 0, whole);
  return partOf(words, whole, 1);
}

Value lh::packWords(OpBuilder &builder, Location loc, Value tensor,
                    unsigned dim, int64_t bits, bool flip) {
  return Packer(builder, loc, tensor, dim, bits, flip).run();
}

//===----------------------------------------------------------------------===//
// Widened numbers
//===----------------------------------------------------------------------===//

bool lh::mapsFirstInput(linalg::GenericOp op) {
  return op && op.getNumDpsInputs() >= 1 && op->getNumResults() == 1 &&
         op.isAllParallelLoops() &&
         op.getIndexingMapsArray().front().isIdentity() &&
         op.getIndexingMapsArray().back().isIdentity();
}

std::optional<CentredNumber> lh::readCentred(Value number,
                                             linalg::GenericOp op) {
  CentredNumber result{};
  if (auto centred = number.getDefiningOp<arith::SubIOp>()) {
    number = centred.getLhs();
    result.zero = centred.getRhs();
  }
  Operation *widening = number.getDefiningOp();
  Value element = op.getBody()->getArgument(0);
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
          widening) ||
      widening->getOperand(0) != element ||
      !(element.getType().isInteger(8) || element.getType().isBF16()))
    return std::nullopt;
  result.isSigned = isa<arith::ExtSIOp>(widening);
  return result;
}

/// The number that each element of an operand of `op` is, if it is known.
static std::optional<int64_t> numberOf(Value value, linalg::GenericOp op) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == op.getBody() &&
      argument.getArgNumber() < op.getNumDpsInputs())
    value = op.getInputs()[argument.getArgNumber()];
  APInt number;
  DenseIntElementsAttr numbers;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  if (matchPattern(value, m_Constant(&numbers)) && numbers.isSplat())
    return numbers.getSplatValue<APInt>().getSExtValue();
  return std::nullopt;
}

std::optional<int64_t> lh::knownZeroPoint(Value value, linalg::GenericOp op) {
  Operation *extension = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension))
    return numberOf(value, op);
  std::optional<int64_t> byte = numberOf(extension->getOperand(0), op);
  if (!byte)
    return std::nullopt;
  return isa<arith::ExtSIOp>(extension) ? *byte : *byte & 255;
}
