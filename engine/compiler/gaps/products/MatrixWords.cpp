// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of words as SVE's products of small matrices. In each 128 bits
// of a vector lie two words of two rows on the left, of two columns on the
// right, and their four sums. Upstream's lowering of vector.contract to these
// instructions brings the sums into that order and back at each step of a
// reduction, which costs more than the products (modelled by llvm-mca).
#include "compiler/gaps/products/MatrixWords.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace lh;
using namespace mlir;

namespace {
/// Writes one WordDot. Sums in tiles: for each pair of rows, vectors of as many
/// columns as there are words in a vector.
class MatrixRewriter {
public:
  MatrixRewriter(OpBuilder &builder, Location loc, const WordDot &dot)
      : builder(builder), loc(loc), dot(dot),
        type(cast<VectorType>(dot.sum.getType())),
        words(cast<VectorType>(dot.left.getType())),
        rows(type.getNumElements() / type.getShape().back()),
        columns(type.getShape().back()) {}

  bool fits() const;
  SmallVector<Value> pack(Value sums);
  SmallVector<Value> multiply(ValueRange tiles);
  Value unpack(ValueRange tiles);

private:
  /// Numbers in 128 bits.
  static constexpr int64_t wordsPerUnit = 2, sumsPerUnit = 4;

  /// Where the order of sides is turned, that of each tile's sums is, too.
  bool isTurned() const { return turnsSides(dot.format); }
  /// What two rows' sums alternate in: pairs of them, or single ones.
  VectorType alternating() const {
    return isTurned() ? scalable(sumsPerUnit, type.getElementType())
                      : scalable(wordsPerUnit, builder.getI64Type());
  }
  VectorType scalable(int64_t lanes, Type element) const {
    return VectorType::get({lanes}, element, {true});
  }
  Value as(VectorType type, Value vector);
  Value piece(Value row, int64_t first, VectorType type);
  Value joined(Value first, Value second);
  Value leftWords(int64_t row);

  OpBuilder &builder;
  Location loc;
  const WordDot &dot;
  VectorType type, words;
  int64_t rows, columns;
};
} // namespace

static bool repeatsColumns(Value left) {
  Spread spread = readSpread(left);
  return spread.repeats(spread.dims.size() - 1);
}

static bool repeatsRows(Value right) {
  Spread spread = readSpread(right);
  return llvm::all_of(llvm::seq<size_t>(0, spread.dims.size() - 1),
                      [&](size_t dim) { return spread.repeats(dim); });
}

bool MatrixRewriter::fits() const {
  bool isLastScalable = type.getScalableDims().back() &&
                        llvm::count(type.getScalableDims(), true) == 1 &&
                        words.getScalableDims().back();
  return dot.format.bits == 64 && hasInstruction(dot.format) &&
         isLastScalable && words.getShape().back() == columns &&
         words.getNumElements() == type.getNumElements() &&
         columns % sumsPerUnit == 0 && repeatsColumns(dot.left) &&
         repeatsRows(dot.right);
}

Value MatrixRewriter::as(VectorType type, Value vector) {
  return vector.getType() == type
             ? vector
             : vector::BitCastOp::create(builder, loc, type, vector);
}

Value MatrixRewriter::piece(Value row, int64_t first, VectorType type) {
  return row.getType() == type ? row
                               : vector::ScalableExtractOp::create(
                                     builder, loc, type, row, first);
}

/// Two vectors, one behind the other.
Value MatrixRewriter::joined(Value first, Value second) {
  auto half = cast<VectorType>(first.getType());
  int64_t lanes = half.getShape().back();
  VectorType whole = scalable(2 * lanes, half.getElementType());
  Value none = LLVM::PoisonOp::create(builder, loc, whole);
  Value both = vector::ScalableInsertOp::create(builder, loc, first, none, 0);
  return vector::ScalableInsertOp::create(builder, loc, second, both, lanes);
}

/// A last odd row makes a pair with itself.
SmallVector<Value> MatrixRewriter::pack(Value sums) {
  VectorType tile = scalable(sumsPerUnit, type.getElementType());
  int64_t half = alternating().getShape().back();
  SmallVector<Value> tiles;
  for (int64_t row = 0; row < rows; row += 2) {
    Value upper = rowOf(builder, loc, sums, placeOf(row, type));
    Value lower =
        rowOf(builder, loc, sums, placeOf(std::min(row + 1, rows - 1), type));
    for (int64_t first = 0; first < columns; first += sumsPerUnit) {
      Value both = vector::InterleaveOp::create(
          builder, loc, as(alternating(), piece(upper, first, tile)),
          as(alternating(), piece(lower, first, tile)));
      for (int64_t at : {int64_t(0), half})
        tiles.push_back(as(tile, piece(both, at, alternating())));
    }
  }
  return tiles;
}

Value MatrixRewriter::unpack(ValueRange tiles) {
  VectorType tile = scalable(sumsPerUnit, type.getElementType());
  VectorType whole = scalable(columns, type.getElementType());
  // Poison of more than one dimension has no lowering.
  Value result =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto next = tiles.begin();
  for (int64_t row = 0; row < rows; row += 2) {
    Value none = LLVM::PoisonOp::create(builder, loc, whole);
    SmallVector<Value, 2> pair{none, none};
    for (int64_t first = 0; first < columns; first += sumsPerUnit) {
      Value left = as(alternating(), *next++);
      Value right = as(alternating(), *next++);
      auto parts =
          vector::DeinterleaveOp::create(builder, loc, joined(left, right));
      for (auto [whole, part] : llvm::zip(pair, parts.getResults()))
        whole = vector::ScalableInsertOp::create(builder, loc, as(tile, part),
                                                 whole, first);
    }
    for (int64_t i = 0; i < std::min<int64_t>(2, rows - row); ++i) {
      Value sums = pair[static_cast<size_t>(i)];
      result = builder.createOrFold<vector::InsertOp>(loc, sums, result,
                                                      placeOf(row + i, type));
    }
  }
  return result;
}

/// The words that all columns of a row and of the next are multiplied by, by
/// turns.
Value MatrixRewriter::leftWords(int64_t row) {
  VectorType one = scalable(wordsPerUnit, builder.getI64Type());
  SmallVector<Value, 2> pair;
  for (int64_t each = row; each < std::min(row + 2, rows); ++each) {
    Value words = rowOf(builder, loc, dot.left, placeOf(each, this->words));
    auto repeated = words.getDefiningOp<vector::BroadcastOp>();
    pair.push_back(
        vector::BroadcastOp::create(builder, loc, one, repeated.getSource()));
  }
  if (pair.size() == 1)
    return pair[0];
  return LLVM::CallIntrinsicOp::create(
             builder, loc, one,
             builder.getStringAttr("llvm.aarch64.sve.zip1.nxv2i64"), pair)
      .getResult(0);
}

SmallVector<Value> MatrixRewriter::multiply(ValueRange tiles) {
  SmallVector<Value> left, results(tiles);
  for (int64_t row = 0; row < rows; row += 2)
    left.push_back(leftWords(row));
  Value right = rowOf(builder, loc, dot.right, placeOf(0, words));
  size_t perPair = results.size() / left.size();
  for (size_t at = 0; at < perPair; ++at) {
    Value some = piece(right, wordsPerUnit * static_cast<int64_t>(at),
                       scalable(wordsPerUnit, builder.getI64Type()));
    for (size_t pair = 0; pair < left.size(); ++pair) {
      Value &tile = results[pair * perPair + at];
      tile = addDots(builder, loc, tile, left[pair], some, dot.format);
    }
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// How many elements a mask lets pass in its last dimension when it does in all
/// places of the others; null otherwise.
static Value lastLengthOf(Value mask) {
  if (auto reshape = mask.getDefiningOp<vector::ShapeCastOp>())
    mask = reshape.getSource();
  auto made = mask.getDefiningOp<vector::CreateMaskOp>();
  if (!made)
    return nullptr;
  auto sizes = made.getOperands().drop_back();
  bool isWhole = llvm::all_of(
      llvm::zip(sizes, made.getVectorType().getShape()), [](auto each) {
        return getConstantIntValue(std::get<0>(each)) == std::get<1>(each);
      });
  return isWhole ? made.getOperands().back() : Value();
}

/// The length of the mask that the columns' words are read under; null when it
/// isn't known, or when there is something to be read beyond it.
static Value readLengthOf(Value right) {
  right = readSpread(right).source;
  if (auto reshape = right.getDefiningOp<vector::ShapeCastOp>())
    right = reshape.getSource();
  auto read = right.getDefiningOp<vector::TransferReadOp>();
  if (!read || !read.getMask() ||
      !read.getPadding().getDefiningOp<ub::PoisonOp>())
    return nullptr;
  return lastLengthOf(read.getMask());
}

/// What the vectorizer makes of `op` under a mask: its sums, and elsewhere the
/// dot products alone, which are of no words at all there. So the sums serve.
static Operation *unmasked(Operation *op, const WordDot &dot) {
  auto select = op->hasOneUse() ? dyn_cast<arith::SelectOp>(*op->user_begin())
                                : arith::SelectOp();
  if (!select || select.getTrueValue() != op->getResult(0) ||
      !llvm::is_contained(op->getOperands(), select.getFalseValue()) ||
      select.getFalseValue() == dot.sum)
    return op;
  Value length = lastLengthOf(select.getCondition());
  return length && length == readLengthOf(dot.right) ? select : op;
}

//===----------------------------------------------------------------------===//
// Sums that go on
//===----------------------------------------------------------------------===//

namespace {
/// Sums in tiles, as the instructions have them.
struct Tiles {
  SmallVector<Value> values;
  SmallVector<Value> start; ///< those that were added to first
  bool areTurned = false;   ///< what the order in them depends on
  /// What added to the start, where that is a block's argument that nothing
  /// else reads; else null.
  Operation *first = nullptr;
};

/// Lowers one dot product after the other.
class MatrixProducts {
public:
  bool lower(Operation *op, WordDot dot);

private:
  Tiles tilesOf(Value sums, MatrixRewriter &matrices, bool areTurned);
  void carry(Value sums, Tiles tiles, const WordDot &dot);

  /// What sums were put together from.
  DenseMap<Value, Tiles> known;
};
} // namespace

Tiles MatrixProducts::tilesOf(Value sums, MatrixRewriter &matrices,
                              bool areTurned) {
  Tiles tiles = known.lookup(sums);
  if (!tiles.values.empty() && tiles.areTurned == areTurned)
    return tiles;
  SmallVector<Value> packed = matrices.pack(sums);
  return {packed, packed, areTurned, nullptr};
}

/// Has the loop carry tiles instead of `sums`, which it yields, where that is
/// all that it does with them.
void MatrixProducts::carry(Value sums, Tiles tiles, const WordDot &dot) {
  if (!sums.hasOneUse() || !tiles.first)
    return;
  OpOperand &use = *sums.use_begin();
  auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
  unsigned index = use.getOperandNumber();
  if (!loop || use.getOwner() != loop.getBody()->getTerminator() ||
      !llvm::is_contained(tiles.first->getOperands(),
                          loop.getRegionIterArg(index)))
    return;
  IRRewriter rewriter(loop);
  MatrixRewriter matrices(rewriter, tiles.first->getLoc(), dot);
  SmallVector<Value> start =
      tilesOf(loop.getInitArgs()[index], matrices, tiles.areTurned).values;
  auto yieldTiles = [&](OpBuilder &, Location,
                        ArrayRef<BlockArgument> carried) {
    for (auto [packed, tile] : llvm::zip_equal(tiles.start, carried))
      packed.replaceAllUsesWith(tile);
    return tiles.values;
  };
  auto made = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, start, /*replaceInitOperandUsesInLoop=*/false, yieldTiles));
  // Nothing reads what it carried before any more.
  made.getBody()->getTerminator()->setOperand(index,
                                              made.getRegionIterArg(index));
  rewriter.setInsertionPointAfter(made);
  SmallVector<Value> results(made.getResults().take_back(start.size()));
  Value whole = matrices.unpack(results);
  made.getResult(index).replaceAllUsesWith(whole);
  known[whole] = {results, results, tiles.areTurned, nullptr};
}

bool MatrixProducts::lower(Operation *op, WordDot dot) {
  if (!repeatsColumns(dot.left)) {
    std::swap(dot.left, dot.right);
    std::swap(dot.format.isLeftSigned, dot.format.isRightSigned);
  }
  OpBuilder builder(op);
  MatrixRewriter matrices(builder, op->getLoc(), dot);
  if (!matrices.fits())
    return false;
  bool isCarried = isa<BlockArgument>(dot.sum) && dot.sum.hasOneUse();
  Tiles tiles = tilesOf(dot.sum, matrices, turnsSides(dot.format));
  if (isCarried)
    tiles.first = op;
  tiles.values = matrices.multiply(tiles.values);
  Operation *last = unmasked(op, dot);
  builder.setInsertionPointAfter(last);
  Value sums = matrices.unpack(tiles.values);
  last->getResult(0).replaceAllUsesWith(sums);
  known[sums] = tiles;
  carry(sums, tiles, dot);
  return true;
}

bool lh::lowerToMatrixProducts(ArrayRef<Operation *> additions) {
  MatrixProducts products;
  bool changed = false;
  for (Operation *op : additions)
    if (std::optional<WordDot> dot = readWordDot(op))
      changed |= products.lower(op, *dot);
  return changed;
}
