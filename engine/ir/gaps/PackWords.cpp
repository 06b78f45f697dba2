// Products of bytes become products of words of four or eight bytes along the
// sum, those of bf16 of two or four: what a CPU's instructions for dot products
// or for small matrices multiply. Layout and tiling are then those of any
// product of 32-bit numbers.
#include "ir/gaps/Gaps.h"
#include "ir/gaps/Products.h"
#include "ir/gaps/Words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

using namespace lh;
using namespace mlir;

namespace {
/// A factor as the widened tensor of narrow numbers that it is.
struct Factor {
  Value narrow;          ///< bytes or bf16
  bool isSigned = false; ///< of bytes
  Value zero;            ///< i32 subtracted from each byte; null: nothing
  AffineMap map;         ///< of the product's loops
  unsigned sumDim = 0;   ///< the tensor's dimension along the sum
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

static bool widensOneTensor(linalg::GenericOp map) {
  return map && map.getNumDpsInputs() == 1 && map->getNumResults() == 1 &&
         map.isAllParallelLoops() &&
         llvm::all_of(map.getIndexingMapsArray(),
                      [](AffineMap each) { return each.isIdentity(); });
}

/// The value of `zero` before `op`: it comes from outside the body, or is an
/// extension there of what does. Null otherwise.
static Value zeroBefore(OpBuilder &builder, Value zero, Region &body) {
  if (zero.getParentRegion() != &body)
    return zero;
  Operation *extension = zero.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension) ||
      extension->getOperand(0).getParentRegion() == &body)
    return nullptr;
  return builder.clone(*extension)->getResult(0);
}

/// `operand` as widened bytes, less a zero point, or as widened bf16.
static bool readFactor(OpBuilder &builder, Value operand, Factor &factor) {
  auto map = operand.getDefiningOp<linalg::GenericOp>();
  if (!widensOneTensor(map))
    return false;
  Value element = map.getBody()->getArgument(0);
  Value yielded = map.getBody()->getTerminator()->getOperand(0);
  Value zero;
  if (auto centred = yielded.getDefiningOp<arith::SubIOp>()) {
    yielded = centred.getLhs();
    zero = centred.getRhs();
  }
  Operation *widening = yielded.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
          widening) ||
      widening->getOperand(0) != element ||
      !(element.getType().isInteger(8) || element.getType().isBF16()))
    return false;
  factor.narrow = map.getInputs()[0];
  factor.isSigned = isa<arith::ExtSIOp>(widening);
  if (zero)
    factor.zero = zeroBefore(builder, zero, map.getRegion());
  return !zero || factor.zero;
}

/// Products that pack-contractions takes: ([batch,] m, n, k), k known, n known
/// and at least 8.
static bool hasPanels(linalg::LinalgOp op) {
  unsigned loops = op.getNumLoops();
  if (loops < 3 || loops > 4 || op.getNumReductionLoops() != 1 ||
      !linalg::isaContractionOpInterface(op) || !op.hasPureTensorSemantics())
    return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto types = op.getIteratorTypesArray();
  AffineMap result = op.getIndexingMapsArray()[2];
  return types.back() == utils::IteratorType::reduction &&
         result == AffineMap::getMultiDimIdentityMap(loops, op.getContext())
                       .getMajorSubMap(loops - 1) &&
         !ShapedType::isDynamic(sizes[loops - 1]) && sizes[loops - 2] >= 8;
}

/// Where the sum runs along in the operand; fails for maps that aren't plain
/// dimensions.
static bool readMap(linalg::LinalgOp op, unsigned index, Factor &factor) {
  factor.map = op.getIndexingMapsArray()[index];
  if (!factor.map.isProjectedPermutation())
    return false;
  auto position = factor.map.getResultPosition(
      getAffineDimExpr(op.getNumLoops() - 1, op.getContext()));
  if (!position)
    return false;
  factor.sumDim = *position;
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

static std::optional<NarrowProduct> readProduct(linalg::LinalgOp op,
                                                bool matrices) {
  if (!hasPanels(op))
    return std::nullopt;
  OpBuilder builder(op);
  NarrowProduct product{op, {}, {}, op.getStaticLoopRanges().back(), {}};
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
      product.length < product.format.length())
    return std::nullopt;
  return product;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The product of two tensors of words, in the form of the original.
static Value multiply(OpBuilder &builder, const NarrowProduct &product,
                      Value left, Value right) {
  linalg::LinalgOp op = product.op;
  auto result = linalg::GenericOp::create(
      builder, op.getLoc(), op->getResultTypes(), ValueRange{left, right},
      op.getDpsInits(), op.getIndexingMapsArray(), op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location at, ValueRange values) {
        linalg::YieldOp::create(b, at,
                                addDotOfWords(b, at, values[2], values[0],
                                              values[1], product.format));
      });
  result->setAttr(productMark, builder.getUnitAttr());
  return result->getResult(0);
}

/// The sums of a factor's bytes along the sum: what a number added to each byte
/// of the other factor is multiplied by.
static Value sumBytes(OpBuilder &builder, Location loc, Value words,
                      unsigned dim, bool isSigned) {
  auto rank =
      static_cast<unsigned>(cast<RankedTensorType>(words.getType()).getRank());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, words);
  sizes.erase(sizes.begin() + dim);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI32Type());
  Value start = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops[dim] = utils::IteratorType::reduction;
  auto sums = linalg::GenericOp::create(
      builder, loc, start.getType(), words, start,
      ArrayRef<AffineMap>{all, all.dropResult(dim)}, loops,
      [&](OpBuilder &b, Location at, ValueRange values) {
        linalg::YieldOp::create(
            b, at, addBytes(b, at, values[1], values[0], isSigned));
      });
  return sums->getResult(0);
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

static AffineMap mapOfSums(const Factor &factor) {
  AffineMap map = factor.map.dropResult(factor.sumDim);
  return AffineMap::get(map.getNumDims() - 1, 0, map.getResults(),
                        map.getContext());
}

static Value correct(OpBuilder &builder, const NarrowProduct &product,
                     Value dots, const Correction &by) {
  Location loc = linalg::LinalgOp(product.op).getLoc();
  auto type = cast<RankedTensorType>(dots.getType());
  auto rank = static_cast<unsigned>(type.getRank());
  SmallVector<Value> inputs{dots};
  SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(rank)};
  if (by.leftZero) {
    inputs.push_back(by.rightSums);
    maps.push_back(mapOfSums(product.right));
  }
  if (by.rightZero) {
    inputs.push_back(by.leftSums);
    maps.push_back(mapOfSums(product.left));
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, dots),
      type.getElementType());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
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
    linalg::YieldOp::create(b, at, sum);
  };
  auto corrected = linalg::GenericOp::create(builder, loc, type, inputs, empty,
                                             maps, loops, body);
  return corrected->getResult(0);
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
  Value a =
      packWords(builder, loc, left.narrow, left.sumDim, format.bits, flipsLeft);
  Value b = packWords(builder, loc, right.narrow, right.sumDim, format.bits,
                      flipsRight);
  Value result = multiply(builder, product, a, b);
  Correction by;
  by.leftZero = movedZero(builder, loc, left.zero, flipsLeft ? 128 : 0);
  by.rightZero = movedZero(builder, loc, right.zero, flipsRight ? -128 : 0);
  if (by.rightZero)
    by.leftSums = sumBytes(builder, loc, a, left.sumDim, format.isLeftSigned);
  if (by.leftZero)
    by.rightSums =
        sumBytes(builder, loc, b, right.sumDim, format.isRightSigned);
  if (by.leftZero || by.rightZero)
    result = correct(builder, product, result, by);
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
}

namespace {
class PackWordsPass : public PassWrapper<PackWordsPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PackWordsPass)

  PackWordsPass() = default;
  PackWordsPass(const PackWordsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "lh-pack-words"; }
  StringRef getDescription() const override {
    return "Products of bytes or bf16 become products of words";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }

private:
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> candidates;
    getOperation()->walk(
        [&](linalg::LinalgOp op) { candidates.push_back(op); });
    for (linalg::LinalgOp op : candidates)
      if (std::optional<NarrowProduct> product = readProduct(op, matrices))
        if (product->format.kind == WordKind::Bytes ? bytes : halves)
          packProduct(*product);
  }

  Option<bool> bytes{*this, "bytes", llvm::cl::init(true),
                     llvm::cl::desc("whether to pack products of bytes")};
  Option<bool> halves{*this, "halves", llvm::cl::init(true),
                      llvm::cl::desc("whether to pack products of bf16")};
  Option<bool> matrices{*this, "matrices", llvm::cl::init(false),
                        llvm::cl::desc("whether instructions multiply matrices "
                                       "of words: these are of 64 bits then")};
};
} // namespace

void lh::registerPackWordsPass() { PassRegistration<PackWordsPass>(); }
