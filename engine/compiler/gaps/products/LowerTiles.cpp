// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of words on buffers become AMX's, whose sums stay in tiles over the
// whole of K. Upstream's convert-vector-to-amx takes vectors, and passes sums
// that a loop carries through memory in each step: 106 GFLOP/s of bf16 where
// such loops reach 3,111 (a core with AMX, everything in its first cache).
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/products/WordDots.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_LOWERTILESPASS
#define GEN_PASS_DEF_LOWERTILESPASS
#include "compiler/gaps/products/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// What a tile can hold: 16 rows of 16 words. There are eight: two by two of
/// sums, and two of each side.
static constexpr int64_t tileRows = 16;
static constexpr int64_t tileWords = 16;
static constexpr int64_t tilesAtOnce = 2;

namespace {
/// C[m, n] += A[m, k] * B[k, n] on buffers of words, all sizes known. A single
/// row has no dimension of its own.
struct TileProduct {
  linalg::GenericOp op;
  WordFormat format;
  int64_t rows = 1, columns = 0, words = 0;
  bool beginsWithZeros = false;
  SmallVector<Operation *, 3> replaced; ///< in order: what tiles do instead

  static std::optional<TileProduct> read(linalg::GenericOp op);
  void leaveNeighbours();
  /// Where its sums go.
  Value sums() const;

private:
  bool readLoops();
  bool readBody();
  void readNeighbours();
};

/// A buffer that is read or written in tiles.
struct Matrix {
  Value buffer;
  Value stride; ///< elements from a row to the next

  Matrix(OpBuilder &builder, Value buffer);
  SmallVector<Value> at(OpBuilder &builder, Location loc, OpFoldResult row,
                        OpFoldResult column) const;
};

/// A part of a product: the sums of some rows and columns, in tiles.
class TileBlock {
public:
  TileBlock(OpBuilder &builder, const TileProduct &product, Value sums,
            int64_t row, int64_t column)
      : builder(builder), loc(product.op->getLoc()), product(product),
        left(builder, product.op->getOperand(0)),
        right(builder, product.op->getOperand(1)), sums(builder, sums),
        rows(cut(row, product.rows, tileRows)),
        columns(cut(column, product.columns, tileWords)) {}

  void compute();

private:
  struct Piece {
    int64_t first, size;
  };
  /// At most tilesAtOnce pieces of a dimension, from `first` on.
  static SmallVector<Piece> cut(int64_t first, int64_t end, int64_t most) {
    SmallVector<Piece> pieces;
    for (; first < end && pieces.size() < tilesAtOnce; first += most)
      pieces.push_back({first, std::min(most, end - first)});
    return pieces;
  }
  amx::TileType tileType(int64_t rows, int64_t words, bool ofSums);
  Value load(const Matrix &from, OpFoldResult row, OpFoldResult column,
             int64_t rows, int64_t words, bool ofSums);
  Value add(Value sums, Value left, Value right);
  Value start(Piece row, Piece column);
  SmallVector<Value> step(const Matrix &left, const Matrix &right,
                          OpFoldResult word, ValueRange sums);
  Matrix scratch(ArrayRef<int64_t> shape);
  Matrix lastWordsOfRows(int64_t first);
  Matrix lastWordsOfColumns(int64_t first);

  OpBuilder &builder;
  Location loc;
  const TileProduct &product;
  Matrix left, right, sums;
  SmallVector<Piece> rows, columns;
};
} // namespace

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// Whether the op's loops are those of rows, words and columns, in any order;
/// those of rows may be left out. Sets the sizes.
bool TileProduct::readLoops() {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (maps.size() != 3 || maps[0].getNumResults() == 0 ||
      maps[0].getNumResults() > 2 || maps[1].getNumResults() != 2 ||
      !llvm::all_of(
          maps, [](AffineMap map) { return map.isProjectedPermutation(); }) ||
      llvm::is_contained(sizes, ShapedType::kDynamic))
    return false;
  SmallVector<AffineExpr> row(maps[0].getResults().drop_back());
  AffineExpr word = maps[1].getResult(0), column = maps[1].getResult(1);
  auto sizeOf = [&](AffineExpr loop) {
    return sizes[cast<AffineDimExpr>(loop).getPosition()];
  };
  rows = row.empty() ? 1 : sizeOf(row[0]);
  words = sizeOf(word);
  columns = sizeOf(column);
  SmallVector<AffineExpr> left(row), sum(row);
  left.push_back(word);
  sum.push_back(column);
  return op.getNumLoops() == row.size() + 2 &&
         maps[0].getResults() == ArrayRef(left) &&
         maps[2].getResults() == ArrayRef(sum);
}

bool TileProduct::readBody() {
  Block &body = *op.getBody();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  std::optional<WordDot> dot = sum ? readWordDot(sum) : std::nullopt;
  if (!dot || dot->format.bits != 32)
    return false;
  format = dot->format;
  if (dot->left != body.getArgument(0)) {
    std::swap(dot->left, dot->right);
    std::swap(format.isLeftSigned, format.isRightSigned);
  }
  return dot->left == body.getArgument(0) &&
         dot->right == body.getArgument(1) && dot->sum == body.getArgument(2);
}

static bool hasContiguousRows(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getRank() > 0 && type.isLastDimUnitStride();
}

/// The op before or behind `op`, past views.
static Operation *neighbour(Operation *op, Operation *(Operation::*next)()) {
  do
    op = (op->*next)();
  while (isa_and_nonnull<ViewLikeOpInterface>(op));
  return op;
}

static ArrayRef<int64_t> shapeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getShape();
}

static bool haveSameSize(MemRefType one, MemRefType other) {
  return one.hasStaticShape() && other.hasStaticShape() &&
         one.getElementType() == other.getElementType() &&
         one.getNumElements() == other.getNumElements();
}

/// What `view` is another form of.
static Value wholeOf(Value view) {
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>()) {
    auto source = dyn_cast<MemRefType>(op.getViewSource().getType());
    if (!source || !haveSameSize(source, cast<MemRefType>(view.getType())))
      break;
    view = op.getViewSource();
  }
  return view;
}

static bool isOfZeros(linalg::FillOp fill) {
  return matchPattern(fill.value(), m_Zero()) ||
         matchPattern(fill.value(), m_PosZeroFloat());
}

/// Whether no other ops than these use a buffer or a view of it, before it is
/// freed.
static bool isUsedBy(ArrayRef<Operation *> ops, Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return isUsedBy(ops, user->getResult(0));
    return isa<memref::DeallocOp>(user) || llvm::is_contained(ops, user);
  });
}

Value TileProduct::sums() const {
  auto copy = dyn_cast<linalg::CopyOp>(replaced.back());
  return copy ? copy.getOutputs()[0] : replaced.back()->getOperand(2);
}

void TileProduct::leaveNeighbours() {
  beginsWithZeros = false;
  replaced = {op};
}

/// Zeros that the sums begin with, and a copy of them all to where they shall
/// be: the tiles do both.
void TileProduct::readNeighbours() {
  leaveNeighbours();
  Value memory = wholeOf(sums());
  auto fill =
      dyn_cast_or_null<linalg::FillOp>(neighbour(op, &Operation::getPrevNode));
  if (!fill || wholeOf(fill.output()) != memory || !isOfZeros(fill))
    return;
  beginsWithZeros = true;
  replaced.insert(replaced.begin(), fill);
  auto copy =
      dyn_cast_or_null<linalg::CopyOp>(neighbour(op, &Operation::getNextNode));
  if (!copy || wholeOf(copy.getInputs()[0]) != memory ||
      !isUsedBy({op, fill, copy}, memory) ||
      !hasContiguousRows(copy.getOutputs()[0]) ||
      !computeRankReductionMask(shapeOf(copy.getOutputs()[0]),
                                shapeOf(op->getOperand(2))))
    return;
  replaced.push_back(copy);
}

std::optional<TileProduct> TileProduct::read(linalg::GenericOp op) {
  TileProduct product;
  product.op = op;
  if (op->hasAttr(outerMark) && op.hasPureBufferSemantics() &&
      llvm::all_of(op->getOperands(), hasContiguousRows) &&
      product.readLoops() && product.readBody()) {
    product.readNeighbours();
    return product;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whether all products in `op` that are left are of this many rows.
static bool hasOnlyTilesOf(int64_t rows, Operation *op) {
  return !op->walk([&](linalg::GenericOp inner) {
              std::optional<TileProduct> other = TileProduct::read(inner);
              return other && other->rows != rows ? WalkResult::interrupt()
                                                  : WalkResult::advance();
            }).wasInterrupted();
}

/// LLVM configures tiles once for a function, in which a register has one
/// shape. So products of one shape, with the loops round them, are a function
/// of their own, which stays one.
static Operation *outline(TileProduct &product) {
  Operation *whole = product.op;
  while (isa<scf::ForOp>(whole->getParentOp()) &&
         whole->getParentOp()->getNumResults() == 0 &&
         hasOnlyTilesOf(product.rows, whole->getParentOp()))
    whole = whole->getParentOp();
  if (whole == product.op)
    product.leaveNeighbours();
  IRRewriter rewriter(whole);
  auto around =
      scf::ExecuteRegionOp::create(rewriter, whole->getLoc(), TypeRange());
  Block *block = rewriter.createBlock(&around.getRegion());
  rewriter.moveOpBefore(whole, block, block->end());
  rewriter.setInsertionPointToEnd(block);
  scf::YieldOp::create(rewriter, whole->getLoc());
  auto module = whole->getParentOfType<ModuleOp>();
  unsigned count = 0;
  std::string name;
  do
    name = "lh_tiles_" + std::to_string(count++);
  while (module.lookupSymbol(name));
  auto function = outlineSingleBlockRegion(rewriter, whole->getLoc(),
                                           around.getRegion(), name);
  function->setPrivate();
  function->getOperation()->setAttr("passthrough",
                                    rewriter.getStrArrayAttr({"noinline"}));
  return *function;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

Matrix::Matrix(OpBuilder &builder, Value buffer) : buffer(buffer) {
  Location loc = buffer.getLoc();
  auto type = cast<MemRefType>(buffer.getType());
  // That of a single row is never used.
  int64_t known = type.getRank() > 1 ? type.getStridesAndOffset().first[0] : 1;
  if (ShapedType::isStatic(known)) {
    stride = arith::ConstantIndexOp::create(builder, loc, known);
    return;
  }
  auto data = memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  stride = data.getStrides()[0];
}

SmallVector<Value> Matrix::at(OpBuilder &builder, Location loc,
                              OpFoldResult row, OpFoldResult column) const {
  auto rank = cast<MemRefType>(buffer.getType()).getRank();
  SmallVector<OpFoldResult> places{row, column};
  return getValueOrCreateConstantIndexOp(
      builder, loc, ArrayRef(places).take_back(static_cast<size_t>(rank)));
}

amx::TileType TileBlock::tileType(int64_t rows, int64_t words, bool ofSums) {
  bool ofBytes = product.format.kind == WordKind::Bytes;
  Type sum = ofBytes ? Type(builder.getI32Type()) : builder.getF32Type();
  Type narrow = ofBytes ? Type(builder.getI8Type()) : builder.getBF16Type();
  return amx::TileType::get(
      {rows, ofSums ? words : words * product.format.length()},
      ofSums ? sum : narrow);
}

/// A tile of so many rows and words: of sums, or of what they are of.
Value TileBlock::load(const Matrix &from, OpFoldResult row, OpFoldResult column,
                      int64_t rows, int64_t words, bool ofSums) {
  return amx::TileLoadOp::create(
      builder, loc, tileType(rows, words, ofSums), from.buffer,
      from.at(builder, loc, row, column), from.stride);
}

/// What the sums of these rows and columns begin with.
Value TileBlock::start(Piece row, Piece column) {
  if (product.beginsWithZeros)
    return amx::TileZeroOp::create(
        builder, loc, tileType(row.size, column.size, /*ofSums=*/true));
  return load(sums, builder.getIndexAttr(row.first),
              builder.getIndexAttr(column.first), row.size, column.size,
              /*ofSums=*/true);
}

Value TileBlock::add(Value sums, Value left, Value right) {
  const WordFormat &format = product.format;
  if (format.kind == WordKind::Halves)
    return amx::TileMulFOp::create(builder, loc, sums.getType(), left, right,
                                   sums);
  return amx::TileMulIOp::create(builder, loc, sums.getType(), left, right,
                                 sums, /*isZextLhs=*/!format.isLeftSigned,
                                 /*isZextRhs=*/!format.isRightSigned);
}

/// The sums with a tile's words of each row and column more, from `word` on.
SmallVector<Value> TileBlock::step(const Matrix &left, const Matrix &right,
                                   OpFoldResult word, ValueRange sums) {
  SmallVector<Value> ofRows, ofColumns, results;
  for (Piece piece : rows)
    ofRows.push_back(load(left, builder.getIndexAttr(piece.first), word,
                          piece.size, tileWords, /*ofSums=*/false));
  for (Piece piece : columns)
    ofColumns.push_back(load(right, word, builder.getIndexAttr(piece.first),
                             tileWords, piece.size, /*ofSums=*/false));
  for (auto [i, sum] : llvm::enumerate(sums))
    results.push_back(
        add(sum, ofRows[i / columns.size()], ofColumns[i % columns.size()]));
  return results;
}

/// Words on the function's stack.
Matrix TileBlock::scratch(ArrayRef<int64_t> shape) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(
      &product.op->getParentOfType<func::FuncOp>().front());
  return {builder,
          memref::AllocaOp::create(builder, loc,
                                   MemRefType::get(shape, builder.getI32Type()),
                                   builder.getI64IntegerAttr(64))};
}

/// Fewer words of the rows than a tile has, filled up with zeros: another shape
/// would need registers of its own.
Matrix TileBlock::lastWordsOfRows(int64_t first) {
  SmallVector<int64_t> shape{product.rows, tileWords};
  SmallVector<bool> inside{true, false};
  auto rank =
      static_cast<size_t>(cast<MemRefType>(left.buffer.getType()).getRank());
  auto type =
      VectorType::get(ArrayRef(shape).take_back(rank), builder.getI32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value words = vector::TransferReadOp::create(
      builder, loc, type, left.buffer,
      left.at(builder, loc, builder.getIndexAttr(0),
              builder.getIndexAttr(first)),
      zero, ArrayRef(inside).take_back(rank));
  Matrix padded = scratch(type.getShape());
  auto start =
      padded.at(builder, loc, builder.getIndexAttr(0), builder.getIndexAttr(0));
  vector::TransferWriteOp::create(builder, loc, words, padded.buffer, start);
  return padded;
}

/// The same of columns.
Matrix TileBlock::lastWordsOfColumns(int64_t first) {
  Type word = builder.getI32Type();
  int64_t count = product.words - first;
  Matrix padded = scratch({tileWords, product.columns});
  auto zeros = VectorType::get({tileWords - count, product.columns}, word);
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(zeros));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  auto row = [&](const Matrix &matrix, int64_t at) {
    return matrix.at(builder, loc, builder.getIndexAttr(at),
                     builder.getIndexAttr(0));
  };
  bool inside[] = {true, true};
  Value words = vector::TransferReadOp::create(
      builder, loc, VectorType::get({count, product.columns}, word),
      right.buffer, row(right, first), zero, ArrayRef(inside));
  vector::TransferWriteOp::create(builder, loc, words, padded.buffer,
                                  row(padded, 0), ArrayRef(inside));
  vector::TransferWriteOp::create(builder, loc, none, padded.buffer,
                                  row(padded, count), ArrayRef(inside));
  return padded;
}

void TileBlock::compute() {
  int64_t rest = product.words % tileWords, whole = product.words - rest;
  // No tile is live while these are filled, perhaps by a call.
  std::optional<std::pair<Matrix, Matrix>> last;
  if (rest > 0)
    last.emplace(lastWordsOfRows(whole), lastWordsOfColumns(whole));
  SmallVector<Value> tiles;
  for (Piece row : rows)
    for (Piece column : columns)
      tiles.push_back(start(row, column));
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, number);
  };
  if (last)
    tiles = step(last->first, last->second, builder.getIndexAttr(0), tiles);
  if (whole > 0) {
    auto loop = scf::ForOp::create(
        builder, loc, constant(0), constant(whole), constant(tileWords), tiles,
        [&](OpBuilder &, Location, Value word, ValueRange carried) {
          scf::YieldOp::create(builder, loc, step(left, right, word, carried));
        });
    tiles.assign(loop.getResults().begin(), loop.getResults().end());
  }
  auto next = tiles.begin();
  for (Piece row : rows)
    for (Piece column : columns)
      amx::TileStoreOp::create(builder, loc, sums.buffer,
                               sums.at(builder, loc,
                                       builder.getIndexAttr(row.first),
                                       builder.getIndexAttr(column.first)),
                               *next++, sums.stride);
}

static void lower(const TileProduct &product) {
  OpBuilder builder(product.replaced.back());
  // A copy may go to a buffer with a batch of one.
  FailureOr<Value> sums = memref::SubViewOp::rankReduceIfNeeded(
      builder, product.op->getLoc(), product.sums(),
      shapeOf(product.op->getOperand(2)));
  for (int64_t row = 0; row < product.rows; row += tilesAtOnce * tileRows)
    for (int64_t column = 0; column < product.columns;
         column += tilesAtOnce * tileWords)
      TileBlock(builder, product, *sums, row, column).compute();
  for (Operation *op : product.replaced)
    op->erase();
}

namespace {
struct LowerTilesPass : lh::impl::LowerTilesPassBase<LowerTilesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<TileProduct> products;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (std::optional<TileProduct> product = TileProduct::read(op))
        products.push_back(*product);
    });
    SmallPtrSet<Operation *, 8> outlined;
    for (TileProduct &product : products)
      if (!outlined.contains(product.op->getParentOfType<func::FuncOp>()))
        outlined.insert(outline(product));
    for (const TileProduct &product : products)
      lower(product);
  }
};
} // namespace
