// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes become products of words of four or eight bytes along the
// sum, those of bf16 of two or four: what a CPU's instructions for dot products
// or for small matrices multiply. Layout and tiling are then those of any
// product of 32-bit numbers. In convolutions the words are of
// channels.
#include "compiler/gaps/Choice.h"
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Products.h"
#include "compiler/gaps/products/Words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
/// A factor as the widened tensor of narrow numbers that it is.
struct Factor {
  Value narrow;          ///< bytes or bf16
  bool isSigned = false; ///< of bytes
  Value zero;            ///< i32 subtracted from each byte; null: nothing
  AffineMap map;         ///< of the product's loops
  unsigned wordDim = 0;  ///< the tensor's dimension that words are along
  SmallVector<int64_t> sumDims; ///< those that the product sums along
};

/// A product that words can take.
struct NarrowProduct {
  linalg::LinalgOp op;
  Factor left, right;
  int64_t length; ///< of the sum
  WordFormat format;
};
} // namespace

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// The value of `zero` before `op`: it is known, comes from outside the body,
/// or is an extension there of what does. False otherwise; null when it is 0.
static bool readZero(OpBuilder &builder, Value zero, linalg::GenericOp op,
                     Value &before) {
  if (std::optional<int64_t> known = knownZeroPoint(zero, op)) {
    if (*known != 0)
      before = arith::ConstantOp::create(
          builder, op.getLoc(),
          builder.getI32IntegerAttr(static_cast<int32_t>(*known)));
    return true;
  }
  Region &body = op.getRegion();
  if (zero.getParentRegion() != &body) {
    before = zero;
    return true;
  }
  Operation *extension = zero.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension) ||
      extension->getOperand(0).getParentRegion() == &body)
    return false;
  before = builder.clone(*extension)->getResult(0);
  return true;
}

/// `operand` as widened bytes, less a zero point, or as widened bf16.
static bool readFactor(OpBuilder &builder, Value operand, Factor &factor) {
  auto map = operand.getDefiningOp<linalg::GenericOp>();
  if (!mapsFirstInput(map))
    return false;
  std::optional<CentredNumber> number =
      readCentred(map.getBody()->getTerminator()->getOperand(0), map);
  if (!number)
    return false;
  factor.narrow = map.getInputs()[0];
  factor.isSigned = number->isSigned;
  return !number->zero || readZero(builder, number->zero, map, factor.zero);
}

/// The loop that words are along: the sum, of a convolution that of channels.
static AffineExpr wordLoop(linalg::LinalgOp op) {
  AffineMap left = op.getIndexingMapsArray()[0];
  return hasMatrixForm(op)
             ? getAffineDimExpr(op.getNumLoops() - 1, op.getContext())
             : left.getResult(left.getNumResults() - 1);
}

/// Where the sum runs along in the operand; fails for maps that aren't plain
/// dimensions, but for a convolution's windows.
static bool readMap(linalg::LinalgOp op, unsigned index, Factor &factor) {
  factor.map = op.getIndexingMapsArray()[index];
  bool isImage = index == 0 && !hasMatrixForm(op);
  auto position = factor.map.getResultPosition(wordLoop(op));
  if (!position || !(isImage || factor.map.isProjectedPermutation()))
    return false;
  factor.wordDim = *position;
  auto kinds = op.getIteratorTypesArray();
  for (auto [dim, expr] : llvm::enumerate(factor.map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (loop && kinds[loop.getPosition()] == utils::IteratorType::reduction)
      factor.sumDims.push_back(static_cast<int64_t>(dim));
  }
  return true;
}

static Type elementOf(Value tensor) {
  return getElementTypeOrSelf(tensor.getType());
}

/// Words of 64 bits keep their bytes' signs: there is an instruction for any.
static WordFormat formatOf(const NarrowProduct &product, bool ofBytes,
                           bool matrices) {
  WordFormat format;
  format.kind = ofBytes ? WordKind::Bytes : WordKind::Halves;
  if (!matrices)
    return format;
  format.bits = 64;
  format.isLeftSigned = product.left.isSigned;
  format.isRightSigned = product.right.isSigned;
  return format;
}

/// Filters must be centred at 0 and have the instruction's sign: what a window
/// sums up to is known nowhere.
static bool suitsWindows(const NarrowProduct &product) {
  return product.format.kind == WordKind::Bytes && !product.right.zero &&
         product.right.isSigned == product.format.isRightSigned;
}

static std::optional<NarrowProduct> readProduct(linalg::LinalgOp op,
                                                bool matrices) {
  bool convolves = !hasMatrixForm(op);
  std::optional<int64_t> length = lengthOfSum(op);
  if (!length || (convolves && !(hasImageWindows(op) && addsProducts(op))))
    return std::nullopt;
  OpBuilder builder(op);
  NarrowProduct product{op, {}, {}, *length, {}};
  if (!readFactor(builder, op->getOperand(0), product.left) ||
      !readFactor(builder, op->getOperand(1), product.right) ||
      !readMap(op, 0, product.left) || !readMap(op, 1, product.right))
    return std::nullopt;
  Type narrow = elementOf(product.left.narrow);
  Type sums = elementOf(op->getResult(0));
  bool ofBytes = narrow.isInteger(8) && sums.isInteger(32);
  bool ofHalves = narrow.isBF16() && sums.isF32();
  product.format = formatOf(product, ofBytes, matrices);
  if ((!ofBytes && !ofHalves) || elementOf(product.right.narrow) != narrow ||
      product.length < product.format.length() ||
      (convolves && !suitsWindows(product)))
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
  linalg::GenericOp result =
      productLike(builder, op, {left, right}, op.getDpsInits()[0], add);
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

namespace {
/// What remains to be done to a product of bytes whose numbers were moved into
/// the instruction's range: (a - p)(b - q) = ab - p sum(b) - q sum(a) + kpq.
struct Correction {
  Value leftZero, rightZero; ///< p and q, i32; null: 0
  Value leftSums, rightSums; ///< of the bytes that were multiplied
};
} // namespace

/// `zero` for numbers moved up by `offset`; null for 0.
static Value movedZero(OpBuilder &builder, Location loc, Value zero,
                       int32_t offset) {
  if (offset == 0)
    return zero;
  Value moved = arith::ConstantOp::create(builder, loc,
                                          builder.getI32IntegerAttr(offset));
  return zero ? arith::AddIOp::create(builder, loc, zero, moved) : moved;
}

/// Where a result finds its sum, in loops over the result alone.
static AffineMap mapOfSums(const Factor &factor, unsigned rank) {
  AffineMap map = factor.map.dropResults(factor.sumDims);
  return AffineMap::get(rank, 0, map.getResults(), map.getContext());
}

static Value correct(OpBuilder &builder, const NarrowProduct &product,
                     Value dots, const Correction &by) {
  Location loc = linalg::LinalgOp(product.op).getLoc();
  auto rank =
      static_cast<unsigned>(cast<RankedTensorType>(dots.getType()).getRank());
  SmallVector<Value> inputs{dots};
  SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(rank)};
  if (by.leftZero) {
    inputs.push_back(by.rightSums);
    maps.push_back(mapOfSums(product.right, rank));
  }
  if (by.rightZero) {
    inputs.push_back(by.leftSums);
    maps.push_back(mapOfSums(product.left, rank));
  }
  auto body = [&](OpBuilder &b, Location at, ValueRange values) {
    Value sum = values[0];
    unsigned next = 1;
    for (Value zero : {by.leftZero, by.rightZero})
      if (zero)
        sum = arith::SubIOp::create(
            b, at, sum, arith::MulIOp::create(b, at, zero, values[next++]));
    if (by.leftZero && by.rightZero) {
      Value length = arith::ConstantOp::create(
          b, at, b.getI32IntegerAttr(static_cast<int32_t>(product.length)));
      Value zeros = arith::MulIOp::create(b, at, by.leftZero, by.rightZero);
      sum = arith::AddIOp::create(b, at, sum,
                                  arith::MulIOp::create(b, at, zeros, length));
    }
    return sum;
  };
  TensorBuilder tensors(builder, loc);
  return tensors.generic(inputs, maps, tensors.emptyLike(dots), body)
      .getResult(0);
}

/// The word of nothing but this byte.
static Value spreadByte(OpBuilder &builder, Location loc, const APInt &byte,
                        int64_t bits) {
  auto width = static_cast<unsigned>(bits);
  return arith::ConstantOp::create(
      builder, loc,
      IntegerAttr::get(builder.getIntegerType(width),
                       APInt::getSplat(width, byte)));
}

/// The padding of an image by known bytes, its channels left alone; else none.
static tensor::PadOp paddingOf(const Factor &factor) {
  auto pad = factor.narrow.getDefiningOp<tensor::PadOp>();
  if (!pad || !pad.getConstantPaddingValue() || !elementOf(pad).isInteger(8) ||
      !matchPattern(pad.getConstantPaddingValue(), m_Constant()) ||
      pad.getStaticLow()[factor.wordDim] != 0 ||
      pad.getStaticHigh()[factor.wordDim] != 0)
    return {};
  return pad;
}

/// The factor's numbers in words. An image is padded after that: where it is
/// read, padding then costs nothing.
static Value packFactor(OpBuilder &builder, Location loc, const Factor &factor,
                        int64_t bits, bool flip) {
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

static void packProduct(const NarrowProduct &product) {
  linalg::LinalgOp op = product.op;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  const Factor &left = product.left, &right = product.right;
  const WordFormat &format = product.format;
  bool ofBytes = format.kind == WordKind::Bytes;
  // Bytes of the other sign are moved by half their range.
  bool flipsLeft = ofBytes && left.isSigned != format.isLeftSigned;
  bool flipsRight = ofBytes && right.isSigned != format.isRightSigned;
  Value a = packFactor(builder, loc, left, format.bits, flipsLeft);
  Value b = packFactor(builder, loc, right, format.bits, flipsRight);
  Value result = multiply(builder, product, a, b);
  Correction by;
  by.leftZero = movedZero(builder, loc, left.zero, flipsLeft ? 128 : 0);
  by.rightZero = movedZero(builder, loc, right.zero, flipsRight ? -128 : 0);
  if (by.rightZero)
    by.leftSums = sumBytes(builder, loc, a, left.sumDims, format.isLeftSigned);
  if (by.leftZero)
    by.rightSums =
        sumBytes(builder, loc, b, right.sumDims, format.isRightSigned);
  if (by.leftZero || by.rightZero)
    result = correct(builder, product, result, by);
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
    for (linalg::LinalgOp op : chosen) {
      if (linalg::LinalgOp ofBytes = multiplyBytes(op))
        op = ofBytes;
      if (std::optional<NarrowProduct> product = readProduct(op, matrices))
        packProduct(*product);
      else
        refuse(op, "words");
    }
  }
};
} // namespace
