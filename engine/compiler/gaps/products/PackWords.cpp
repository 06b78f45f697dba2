// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes become products of words of four or eight bytes along the
// sum, those of bf16 of two or four: what a CPU's instructions for dot products
// or for small matrices multiply. Layout and tiling are then those of any
// product of 32-bit numbers. In convolutions the words are of
// channels. Dequantised bytes are multiplied as integers, and the sums scaled:
// sum (a - p) s (b - q) t = s t sum (a - p) (b - q), and that sum is exact.
#include "compiler/gaps/Choice.h"
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Factors.h"
#include "compiler/gaps/products/Products.h"
#include "compiler/gaps/products/Words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_PACKWORDSPASS
#define GEN_PASS_DEF_PACKWORDSPASS
#include "compiler/gaps/products/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {
/// A factor, and how the product reads it.
struct WordFactor : Factor {
  AffineMap map;                ///< of the product's loops
  unsigned wordDim = 0;         ///< the dimension that words are along
  SmallVector<int64_t> sumDims; ///< those that the product sums along
};

/// A product that words can take.
struct NarrowProduct {
  linalg::LinalgOp op;
  WordFactor left, right;
  WordFormat format;
};
} // namespace

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// The loop that words are along: the sum, of a convolution that of channels.
static AffineExpr wordLoop(linalg::LinalgOp op) {
  AffineMap left = op.getIndexingMapsArray()[0];
  return hasMatrixForm(op)
             ? getAffineDimExpr(op.getNumLoops() - 1, op.getContext())
             : left.getResult(left.getNumResults() - 1);
}

/// Fails for maps that aren't plain dimensions, but for a convolution's
/// windows, and for scales along the sum.
static std::optional<WordFactor> readOperand(linalg::LinalgOp op,
                                             unsigned index) {
  OpBuilder builder(op);
  std::optional<Factor> numbers = readFactor(builder, op->getOperand(index));
  AffineMap map = op.getIndexingMapsArray()[index];
  bool isImage = index == 0 && !hasMatrixForm(op);
  std::optional<unsigned> wordDim = map.getResultPosition(wordLoop(op));
  if (!numbers || !wordDim || !(isImage || map.isProjectedPermutation()))
    return std::nullopt;
  WordFactor factor{*numbers, map, *wordDim, {}};
  auto kinds = op.getIteratorTypesArray();
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (loop && kinds[loop.getPosition()] == utils::IteratorType::reduction)
      factor.sumDims.push_back(static_cast<int64_t>(dim));
  }
  AffineMap result = op.getIndexingMapsArray().back();
  if (factor.channel && !result.getResultPosition(map.getResult(
                            static_cast<unsigned>(*factor.channel))))
    return std::nullopt;
  return factor;
}

/// What the words of `bits` hold, where there are words for such numbers and
/// sums. Bytes keep their signs where there are instructions for any.
static std::optional<WordFormat> formatOf(const NarrowProduct &product,
                                          int64_t bits, bool keepsSigns) {
  const WordFactor &left = product.left, &right = product.right;
  Type narrow = getElementTypeOrSelf(left.narrow),
       sums = getElementTypeOrSelf(product.op->getResult(0));
  bool ofBytes = narrow.isInteger(8);
  if (getElementTypeOrSelf(right.narrow) != narrow ||
      !left.scale != !right.scale ||
      !(ofBytes && !left.scale ? sums.isInteger(32) : sums.isF32()))
    return std::nullopt;
  WordKind kind = ofBytes ? WordKind::Bytes : WordKind::Halves;
  return keepsSigns ? WordFormat{kind, bits, left.isSigned, right.isSigned}
                    : WordFormat{kind, bits};
}

/// Filters must be centred at 0 and have the instruction's sign: what a window
/// sums up to is known nowhere.
static bool suitsWindows(const NarrowProduct &product) {
  return product.format.kind == WordKind::Bytes && !product.right.zero &&
         product.right.isSigned == product.format.isRightSigned;
}

/// Whether sums that are scaled afterwards start at zero, and stay within 32
/// bits. Others are modulo 2^32.
static bool suitsScales(linalg::LinalgOp op) {
  return isZeros(op.getDpsInits()[0]) &&
         *lengthOfSum(op) < (int64_t(1) << 31) / (255 * 255);
}

static std::optional<NarrowProduct>
readProduct(linalg::LinalgOp op, int64_t bits, bool keepsSigns) {
  bool convolves = !hasMatrixForm(op);
  if (!lengthOfSum(op) || !addsProducts(op) ||
      (convolves && !hasImageWindows(op)))
    return std::nullopt;
  std::optional<WordFactor> left = readOperand(op, 0);
  std::optional<WordFactor> right = left ? readOperand(op, 1) : std::nullopt;
  if (!right)
    return std::nullopt;
  NarrowProduct product{op, *left, *right, {}};
  std::optional<WordFormat> format = formatOf(product, bits, keepsSigns);
  if (!format || *lengthOfSum(op) < format->length())
    return std::nullopt;
  product.format = *format;
  if ((convolves && !suitsWindows(product)) ||
      (left->scale && !suitsScales(op)))
    return std::nullopt;
  return product;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The product of two tensors of words, in the form of the original.
static Value multiply(OpBuilder &builder, const NarrowProduct &product,
                      Value left, Value right) {
  auto add = [&](OpBuilder &b, Location at, Value sum, Value a, Value other) {
    return addDotOfWords(b, at, sum, a, other, product.format);
  };
  linalg::LinalgOp op = product.op;
  Value start = op.getDpsInits()[0];
  if (product.left.scale)
    start = TensorBuilder(builder, op.getLoc())
                .zerosLike(start, builder.getI32Type());
  linalg::GenericOp result =
      productLike(builder, op, {left, right}, start, add);
  result->setAttr(productMark, builder.getUnitAttr());
  return result.getResult(0);
}

/// The sums of a factor's bytes along the sum: what a number added to each byte
/// of the other factor is multiplied by.
static Value sumBytes(OpBuilder &builder, Location loc, Value words,
                      ArrayRef<int64_t> dims, bool isSigned) {
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] :
       llvm::enumerate(tensor::getMixedSizes(builder, loc, words)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      sizes.push_back(size);
  TensorBuilder tensors(builder, loc);
  Type i32 = builder.getI32Type();
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, i32);
  return linalg::ReduceOp::create(
             builder, loc, words, tensors.filled(empty, tensors.zero(i32)),
             dims,
             [&](OpBuilder &b, Location at, ValueRange values) {
               linalg::YieldOp::create(
                   b, at, addBytes(b, at, values[1], values[0], isSigned));
             })
      ->getResult(0);
}

/// The padding of an image by known bytes, its channels left alone; else none.
static tensor::PadOp paddingOf(const WordFactor &factor) {
  auto pad = factor.narrow.getDefiningOp<tensor::PadOp>();
  if (!pad || !pad.getConstantPaddingValue() ||
      !getElementTypeOrSelf(pad).isInteger(8) ||
      !matchPattern(pad.getConstantPaddingValue(), m_Constant()) ||
      pad.getStaticLow()[factor.wordDim] != 0 ||
      pad.getStaticHigh()[factor.wordDim] != 0)
    return {};
  return pad;
}

/// The factor's numbers in words. An image is padded after that: where it is
/// read, padding then costs nothing.
static Value packNumbers(OpBuilder &builder, Location loc,
                         const WordFactor &factor, int64_t bits, bool flip) {
  tensor::PadOp pad = paddingOf(factor);
  if (!pad)
    return packWords(builder, loc, factor.narrow, factor.wordDim, bits, flip);
  Value words =
      packWords(builder, loc, pad.getSource(), factor.wordDim, bits, flip);
  APInt byte;
  matchPattern(pad.getConstantPaddingValue(), m_ConstantInt(&byte));
  if (flip)
    byte.flipBit(7);
  return tensor::PadOp::create(builder, loc, RankedTensorType(), words,
                               pad.getMixedLowPad(), pad.getMixedHighPad(),
                               spreadByte(builder, loc, byte, bits));
}

namespace {
/// A factor's words, and what is still to be subtracted from their bytes, i32;
/// null: nothing.
struct Packed {
  Value words, zero;
};
} // namespace

/// Bytes of another sign than the instruction's are moved by half their range.
static Packed packFactor(OpBuilder &builder, Location loc,
                         const WordFactor &factor, const WordFormat &format,
                         bool isSigned) {
  bool flips = format.kind == WordKind::Bytes && factor.isSigned != isSigned;
  Packed packed{packNumbers(builder, loc, factor, format.bits, flips),
                factor.zero};
  if (!flips)
    return packed;
  Value moved = arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(factor.isSigned ? 128 : -128));
  packed.zero =
      packed.zero ? ArithBuilder(builder, loc).add(packed.zero, moved) : moved;
  return packed;
}

/// One number for each channel, without dimensions of 1.
static Value flatten(OpBuilder &builder, Location loc, Value scale) {
  int64_t rank = typeOf(scale).getRank();
  ReassociationIndices all(llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
  return rank == 1 ? scale
                   : TensorBuilder(builder, loc).collapsed(scale, {all});
}

/// The product's results from the sums of the words' dot products: (a - p)(b -
/// q) = ab - p sum(b) - q sum(a) + kpq, times both scales.
static Value finish(OpBuilder &builder, const NarrowProduct &product,
                    Value dots, const Packed &a, const Packed &b) {
  const WordFactor &left = product.left, &right = product.right;
  Location loc = dots.getLoc();
  auto rank = static_cast<unsigned>(typeOf(dots).getRank());
  SmallVector<Value> inputs{dots};
  SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(rank)};
  auto read = [&](Value numbers, ArrayRef<AffineExpr> at) {
    inputs.push_back(numbers);
    maps.push_back(AffineMap::get(rank, 0, at, builder.getContext()));
  };
  auto readSums = [&](const WordFactor &of, Value words, bool isSigned) {
    read(sumBytes(builder, loc, words, of.sumDims, isSigned),
         of.map.dropResults(of.sumDims).getResults());
  };
  if (a.zero)
    readSums(right, b.words, product.format.isRightSigned);
  if (b.zero)
    readSums(left, a.words, product.format.isLeftSigned);
  for (const WordFactor &factor : {left, right})
    if (factor.channel)
      read(flatten(builder, loc, factor.scale),
           factor.map.getResult(static_cast<unsigned>(*factor.channel)));
  auto body = [&](OpBuilder &in, Location at, ValueRange values) -> Value {
    ArithBuilder arith(in, at);
    auto next = values.begin();
    Value sum = *next++;
    for (Value zero : {a.zero, b.zero})
      if (zero)
        sum = arith.sub(sum, arith.mul(zero, *next++));
    if (a.zero && b.zero) {
      Value length = arith::ConstantOp::create(
          in, at,
          in.getI32IntegerAttr(static_cast<int32_t>(*lengthOfSum(product.op))));
      Value zeros = arith.mul(a.zero, b.zero);
      sum = arith.add(sum, arith.mul(zeros, length));
    }
    if (!left.scale)
      return sum;
    Value s = left.channel ? *next++ : left.scale;
    Value t = right.channel ? *next++ : right.scale;
    Value number = arith::SIToFPOp::create(in, at, in.getF32Type(), sum);
    return arith.mul(number, arith.mul(s, t));
  };
  TensorBuilder tensors(builder, loc);
  Value into =
      tensors.emptyLike(dots, getElementTypeOrSelf(product.op->getResult(0)));
  return tensors.generic(inputs, maps, into, body).getResult(0);
}

static void packProduct(const NarrowProduct &product) {
  linalg::LinalgOp op = product.op;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  const WordFormat &format = product.format;
  Packed a =
      packFactor(builder, loc, product.left, format, format.isLeftSigned);
  Packed b =
      packFactor(builder, loc, product.right, format, format.isRightSigned);
  Value result = multiply(builder, product, a.words, b.words);
  if (a.zero || b.zero || product.left.scale)
    result = finish(builder, product, result, a, b);
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
}

namespace {
struct PackWordsPass : lh::impl::PackWordsPassBase<PackWordsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> chosen;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (strategyOf(op) == "words")
        chosen.push_back(op);
    });
    for (linalg::LinalgOp op : chosen)
      if (std::optional<NarrowProduct> product =
              readProduct(op, matrices ? 64 : 32, matrices || signs))
        packProduct(*product);
      else
        refuse(op, "words");
  }
};
} // namespace
