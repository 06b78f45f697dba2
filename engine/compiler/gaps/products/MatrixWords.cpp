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
#include "mlir/Dialect/Utils/IndexingUtils.h"

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
  SmallVector<int64_t> placeOf(int64_t row, VectorType in) const {
    return delinearize(row, computeStrides(in.getShape().drop_back()));
  }
  Value elementOrRow(Value vector, ArrayRef<int64_t> at);
  Value as(VectorType type, Value vector);
  Value piece(Value row, int64_t first, VectorType type);
  Value joined(Value first, Value second);
  Value rowOfSums(Value sums, int64_t row);
  Value leftWord(int64_t row);
  Value leftWords(int64_t row);
  Value rightWords();

  OpBuilder &builder;
  Location loc;
  const WordDot &dot;
  VectorType type, words;
  int64_t rows, columns;
};
} // namespace

static bool repeatsRows(Value right) {
  auto type = cast<VectorType>(right.getType());
  int64_t rows = type.getNumElements() / type.getShape().back();
  if (rows == 1)
    return true;
  std::optional<Spread> spread = readSpread(right);
  auto last = static_cast<size_t>(type.getRank() - 1);
  if (!spread || spread->dims[last] != spread->type().getRank() - 1)
    return false;
  return llvm::all_of(llvm::seq<size_t>(0, last),
                      [&](size_t dim) { return spread->repeats(dim); });
}

static bool repeatsColumns(Value left) {
  auto broadcast = left.getDefiningOp<vector::BroadcastOp>();
  if (broadcast && !isa<VectorType>(broadcast.getSourceType()))
    return true;
  std::optional<Spread> spread = readSpread(left);
  return spread && spread->repeats(spread->dims.size() - 1);
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

Value MatrixRewriter::elementOrRow(Value vector, ArrayRef<int64_t> at) {
  return at.empty() ? vector
                    : vector::ExtractOp::create(builder, loc, vector, at);
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

Value MatrixRewriter::rowOfSums(Value sums, int64_t row) {
  return elementOrRow(sums, placeOf(std::min(row, rows - 1), type));
}

/// A last odd row makes a pair with itself.
SmallVector<Value> MatrixRewriter::pack(Value sums) {
  VectorType tile = scalable(sumsPerUnit, type.getElementType());
  int64_t half = alternating().getShape().back();
  SmallVector<Value> tiles;
  for (int64_t row = 0; row < rows; row += 2) {
    Value upper = rowOfSums(sums, row), lower = rowOfSums(sums, row + 1);
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
      SmallVector<int64_t> at = placeOf(row + i, type);
      Value sums = pair[static_cast<size_t>(i)];
      result = at.empty()
                   ? sums
                   : vector::InsertOp::create(builder, loc, sums, result, at);
    }
  }
  return result;
}

/// The word that all columns of a row are multiplied by.
Value MatrixRewriter::leftWord(int64_t row) {
  auto broadcast = dot.left.getDefiningOp<vector::BroadcastOp>();
  if (broadcast && !isa<VectorType>(broadcast.getSourceType()))
    return broadcast.getSource();
  std::optional<Spread> spread = readSpread(dot.left);
  return elementOrRow(spread->source, spread->place(placeOf(row, words)));
}

/// The words of a row and the next, by turns.
Value MatrixRewriter::leftWords(int64_t row) {
  VectorType one = scalable(wordsPerUnit, builder.getI64Type());
  Value upper = vector::BroadcastOp::create(builder, loc, one, leftWord(row));
  if (row + 1 == rows)
    return upper;
  Value lower =
      vector::BroadcastOp::create(builder, loc, one, leftWord(row + 1));
  return LLVM::CallIntrinsicOp::create(
             builder, loc, one,
             builder.getStringAttr("llvm.aarch64.sve.zip1.nxv2i64"),
             ValueRange{upper, lower})
      .getResult(0);
}

Value MatrixRewriter::rightWords() {
  if (std::optional<Spread> spread = readSpread(dot.right))
    return elementOrRow(spread->source,
                        ArrayRef(spread->place(placeOf(0, words))).drop_back());
  return elementOrRow(dot.right, placeOf(0, words));
}

SmallVector<Value> MatrixRewriter::multiply(ValueRange tiles) {
  SmallVector<Value> left, results(tiles);
  for (int64_t row = 0; row < rows; row += 2)
    left.push_back(leftWords(row));
  Value right = rightWords();
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
  if (std::optional<Spread> spread = readSpread(right))
    right = spread->source;
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
// Chains
//===----------------------------------------------------------------------===//

namespace {
/// One step of a sum: `op` adds `dot`, and `last` is what goes on as the sum.
struct Link {
  Operation *op;
  WordDot dot;
  Operation *last;

  Value sums() const { return last->getResult(0); }
};
} // namespace

static std::optional<Link> readLink(Operation *op, WordDot dot) {
  if (!repeatsColumns(dot.left)) {
    std::swap(dot.left, dot.right);
    std::swap(dot.format.isLeftSigned, dot.format.isRightSigned);
  }
  OpBuilder builder(op);
  if (!MatrixRewriter(builder, op->getLoc(), dot).fits())
    return std::nullopt;
  return Link{op, dot, unmasked(op, dot)};
}

/// The step after `link`, when nothing else reads the sums before it.
static std::optional<Link> linkAfter(const Link &link) {
  if (!link.last->hasOneUse())
    return std::nullopt;
  Operation *user = *link.last->user_begin();
  std::optional<WordDot> dot = readWordDot(user);
  if (!dot || dot->sum != link.sums() ||
      user->getBlock() != link.op->getBlock())
    return std::nullopt;
  return readLink(user, *dot);
}

/// The loop that carries the chain's sums, and does nothing else with them.
static scf::ForOp carrierOf(ArrayRef<Link> chain) {
  auto carried = dyn_cast<BlockArgument>(chain.front().dot.sum);
  const Link &end = chain.back();
  if (!carried || !carried.hasOneUse() || carried.getArgNumber() == 0 ||
      !end.last->hasOneUse() || end.op->getBlock() != carried.getOwner())
    return nullptr;
  auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
  if (!loop)
    return nullptr;
  Operation *yield = loop.getBody()->getTerminator();
  bool isCarried = yield->getOperand(carried.getArgNumber() - 1) == end.sums();
  return isCarried ? loop : nullptr;
}

/// The tiles after all steps, each computed where its step stands.
static SmallVector<Value> multiplyAll(ArrayRef<Link> chain, ValueRange start) {
  SmallVector<Value> tiles(start);
  for (const Link &link : chain) {
    OpBuilder builder(link.op);
    tiles =
        MatrixRewriter(builder, link.op->getLoc(), link.dot).multiply(tiles);
  }
  return tiles;
}

/// Leaves the steps without users.
static void disconnect(ArrayRef<Link> chain, Value instead) {
  for (const Link &link : chain) {
    link.op->getResult(0).replaceAllUsesWith(instead);
    link.sums().replaceAllUsesWith(instead);
  }
}

/// `values` less the one at `index`, and `more` behind.
static SmallVector<Value> exchanged(ValueRange values, size_t index,
                                    ValueRange more) {
  SmallVector<Value> result(values.take_front(index));
  llvm::append_range(result, values.drop_front(index + 1));
  llvm::append_range(result, more);
  return result;
}

/// Makes the loop carry tiles instead of the sum.
static void rewriteLoop(scf::ForOp loop, ArrayRef<Link> chain) {
  IRRewriter rewriter(loop);
  const WordDot &dot = chain.front().dot;
  size_t index = cast<BlockArgument>(dot.sum).getArgNumber() - 1;
  Value init = loop.getInitArgs()[index];
  MatrixRewriter matrices(rewriter, chain.front().op->getLoc(), dot);
  SmallVector<Value> start = matrices.pack(init);
  auto made = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(),
                                 exchanged(loop.getInitArgs(), index, start));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  SmallVector<Value> results =
      multiplyAll(chain, made.getRegionIterArgs().take_back(start.size()));
  Operation *yield = loop.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<scf::YieldOp>(
      yield, exchanged(yield->getOperands(), index, results));
  disconnect(chain, init);
  SmallVector<Value> arguments{made.getInductionVar()};
  for (auto [at, other] : llvm::enumerate(loop.getRegionIterArgs()))
    arguments.push_back(at == index
                            ? init
                            : made.getRegionIterArg(static_cast<unsigned>(
                                  at < index ? at : at - 1)));
  rewriter.mergeBlocks(loop.getBody(), made.getBody(), arguments);

  rewriter.setInsertionPointAfter(made);
  SmallVector<Value> replacements(made.getResults().drop_back(start.size()));
  Value sums = matrices.unpack(made.getResults().take_back(start.size()));
  replacements.insert(replacements.begin() + static_cast<int64_t>(index), sums);
  rewriter.replaceOp(loop, replacements);
}

bool lh::lowerToMatrixProducts(Operation *op, WordDot dot) {
  std::optional<Link> link = readLink(op, dot);
  if (!link)
    return false;
  SmallVector<Link> chain;
  for (; link; link = linkAfter(chain.back()))
    chain.push_back(*link);
  if (scf::ForOp loop = carrierOf(chain)) {
    rewriteLoop(loop, chain);
    return true;
  }
  OpBuilder builder(op);
  MatrixRewriter matrices(builder, op->getLoc(), chain.front().dot);
  SmallVector<Value> tiles = multiplyAll(chain, matrices.pack(dot.sum));
  builder.setInsertionPointAfter(chain.back().last);
  chain.back().sums().replaceAllUsesWith(matrices.unpack(tiles));
  disconnect(chain, dot.sum);
  return true;
}
