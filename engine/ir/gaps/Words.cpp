// Words of narrow numbers: how tensors are packed into them, and the bodies
// that compute with them.
#include "ir/gaps/Words.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

namespace {
/// Integer expressions on words.
class WordBuilder {
public:
  WordBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value number(int64_t value) {
    return arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value left(Value word, int64_t bits) {
    return bits == 0 ? word : op<arith::ShLIOp>(word, number(bits));
  }
  Value unsignedByte(Value word, int64_t index) {
    Value low = index == 0 ? word : op<arith::ShRUIOp>(word, number(8 * index));
    return index == 3 ? low : op<arith::AndIOp>(low, number(255));
  }
  Value signedByte(Value word, int64_t index) {
    return op<arith::ShRSIOp>(left(word, 24 - 8 * index), number(24));
  }
  /// The first of two bf16 lies in the low bits.
  Value half(Value word, int64_t index) {
    Value bits = index == 0 ? left(word, 16)
                            : op<arith::AndIOp>(word, number(~int64_t(0xffff)));
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  }
  template <typename Op> Value op(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }

private:
  OpBuilder &builder;
  Location loc;
};
} // namespace

Value lh::addDotOfWords(OpBuilder &builder, Location loc, Value sum, Value left,
                        Value right, WordKind kind) {
  WordBuilder words(builder, loc);
  Value dot;
  for (int64_t i = 0; i < wordLength(kind); ++i) {
    if (kind == WordKind::Bytes) {
      Value product = words.op<arith::MulIOp>(words.unsignedByte(left, i),
                                              words.signedByte(right, i));
      dot = dot ? words.op<arith::AddIOp>(dot, product) : product;
    } else {
      Value product =
          words.op<arith::MulFOp>(words.half(left, i), words.half(right, i));
      dot = dot ? words.op<arith::AddFOp>(dot, product) : product;
    }
  }
  return kind == WordKind::Bytes ? words.op<arith::AddIOp>(sum, dot)
                                 : words.op<arith::AddFOp>(sum, dot);
}

Value lh::addBytes(OpBuilder &builder, Location loc, Value sum, Value word,
                   bool isSigned) {
  WordBuilder words(builder, loc);
  for (int64_t i = 0; i < 4; ++i)
    sum = words.op<arith::AddIOp>(sum, isSigned ? words.signedByte(word, i)
                                                : words.unsignedByte(word, i));
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
         bool flip)
      : builder(builder), loc(loc), tensor(tensor), dim(dim), flip(flip),
        type(cast<RankedTensorType>(tensor.getType())),
        kind(type.getElementType().isInteger(8) ? WordKind::Bytes
                                                : WordKind::Halves) {}

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

  OpBuilder &builder;
  Location loc;
  Value tensor;
  unsigned dim;
  bool flip;
  RankedTensorType type;
  WordKind kind;
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
  auto rank = static_cast<unsigned>(type.getRank());
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i < rank; ++i)
    exprs.push_back(getAffineDimExpr(i, context));
  exprs[dim] = exprs[dim] * wordLength(kind) + offset;
  return AffineMap::get(rank, 0, exprs, context);
}

/// The body: numbers side by side, the first in the low bits.
Value Packer::word(OpBuilder &b, Location at, ValueRange numbers) {
  WordBuilder words(b, at);
  int64_t bits = 32 / wordLength(kind);
  Value result;
  int64_t signs = 0;
  for (auto [index, number] : llvm::enumerate(numbers)) {
    auto shift = bits * static_cast<int64_t>(index);
    if (kind == WordKind::Halves)
      number = arith::BitcastOp::create(b, at, b.getI16Type(), number);
    Value wide = arith::ExtUIOp::create(b, at, b.getI32Type(), number);
    wide = words.left(wide, shift);
    result = result ? words.op<arith::OrIOp>(result, wide) : wide;
    signs |= int64_t(0x80) << shift;
  }
  return flip ? words.op<arith::XOrIOp>(result, words.number(signs)) : result;
}

/// Words of `width` numbers each into `destination`, from element `first` on.
/// Along the innermost dimension a word's numbers are neighbours, and machine
/// code loads them at once; along others, words are neighbours.
Value Packer::fill(Value destination, int64_t first, int64_t width) {
  auto rank = static_cast<unsigned>(type.getRank());
  int64_t count = cast<RankedTensorType>(destination.getType()).getDimSize(dim);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  Value part = slice(tensor, first, (count - 1) * wordLength(kind) + width, 1);
  for (int64_t i = 0; i < width; ++i) {
    inputs.push_back(isInnermost()
                         ? part
                         : slice(tensor, first + i, count, wordLength(kind)));
    maps.push_back(isInnermost() ? everyWord(i)
                                 : builder.getMultiDimIdentityMap(rank));
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto words = linalg::GenericOp::create(
      builder, loc, destination.getType(), inputs, destination, maps, loops,
      [&](OpBuilder &b, Location at, ValueRange values) {
        linalg::YieldOp::create(b, at, word(b, at, values.drop_back()));
      });
  return words->getResult(0);
}

/// `words` with `size` of them, from `first` on, packed.
Value Packer::partOf(Value words, int64_t first, int64_t size) {
  int64_t length = wordLength(kind);
  int64_t left = type.getDimSize(dim) - first * length;
  Value into = slice(words, first, size, 1);
  Value part = fill(into, first * length, std::min(left, length));
  auto old = into.getDefiningOp<tensor::ExtractSliceOp>();
  return tensor::InsertSliceOp::create(
      builder, loc, part, words, old.getMixedOffsets(), old.getMixedSizes(),
      old.getMixedStrides());
}

Value Packer::run() {
  int64_t length = wordLength(kind), size = type.getDimSize(dim);
  int64_t whole = size / length, rest = size % length;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  sizes[dim] = builder.getIndexAttr(whole + (rest != 0));
  Value words =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI32Type());
  if (rest == 0)
    return fill(words, 0, length);
  if (whole != 0)
    words = partOf(words, 0, whole);
  return partOf(words, whole, 1);
}

Value lh::packWords(OpBuilder &builder, Location loc, Value tensor,
                    unsigned dim, bool flip) {
  return Packer(builder, loc, tensor, dim, flip).run();
}
