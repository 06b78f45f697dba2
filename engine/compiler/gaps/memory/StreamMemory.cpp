// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is larger than the caches. Results go to memory past them: nobody reads
// them before they would be evicted, and a plain store first reads the line
// that it overwrites. Inputs are asked for before they are needed: the hardware
// does so for plain copies, but a loop that computes much per element keeps too
// few reads in flight, and a reduction of a row starts with all reads of it at
// once.
#include "compiler/gaps/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/MapVector.h"

namespace lh {
#define GEN_PASS_DECL_STREAMMEMORYPASS
#define GEN_PASS_DEF_STREAMMEMORYPASS
#include "compiler/gaps/memory/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;
using vector::TransferReadOp;
using vector::TransferWriteOp;

/// A cache line. A streaming store must be of whole lines, on their bounds.
static constexpr int64_t lineBytes = 64;
/// A page of memory, as processors translate addresses.
static constexpr int64_t pageBytes = 4096;

static MemRefType bufferType(VectorTransferOpInterface transfer) {
  return cast<MemRefType>(transfer.getBase().getType());
}

/// Neighbours in memory, all of them in the buffer.
static bool isPlain(VectorTransferOpInterface transfer) {
  return transfer.getVectorType().getRank() == 1 && !transfer.getMask() &&
         transfer.getPermutationMap().isMinorIdentity() &&
         bufferType(transfer).isLastDimUnitStride();
}

/// Whole cache lines, which halve.
static bool isOfLines(TransferWriteOp write) {
  VectorType type = write.getVectorType();
  return isPlain(write) && type.getNumElements() % 2 == 0 &&
         !type.isScalable() && write.getInBoundsValues().front() &&
         type.getNumElements() * type.getElementTypeBitWidth() %
                 (8 * lineBytes) ==
             0;
}

/// Collects the vectors written to a buffer and to views of it; false when it
/// is read, or given to anything else.
static bool collectWrites(Value buffer,
                          SmallVectorImpl<TransferWriteOp> &writes) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto write = dyn_cast<TransferWriteOp>(user)) {
      writes.push_back(write);
      return write.getBase() == buffer;
    }
    return isa<ViewLikeOpInterface>(user) &&
           collectWrites(user->getResult(0), writes);
  });
}

static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static SmallVector<Value> indicesAhead(ImplicitLocOpBuilder &b,
                                       ValueRange indices, int64_t elements) {
  SmallVector<Value> ahead(indices);
  ahead.back() = arith::AddIOp::create(b, ahead.back(), constant(b, elements));
  return ahead;
}

/// Into the first cache, or the second one.
static void prefetch(ImplicitLocOpBuilder &b, Value buffer, ValueRange indices,
                     unsigned localityHint = 3) {
  memref::PrefetchOp::create(b, buffer, indices, /*isWrite=*/false,
                             localityHint, /*isDataCache=*/true);
}

/// Whether the written vector begins on a line. Callers may give any buffer.
static Value isOnLine(ImplicitLocOpBuilder &b, TransferWriteOp write) {
  MemRefType type = bufferType(write);
  SmallVector<OpFoldResult> ones(write.getIndices().size(), b.getIndexAttr(1));
  auto first = memref::ExtractStridedMetadataOp::create(
      b, memref::SubViewOp::create(b, write.getBase(),
                                   getAsOpFoldResult(write.getIndices()), ones,
                                   ones));
  Value bytes = arith::MulIOp::create(b, first.getOffset(),
                                      constant(b, bytesPerElement(type)));
  Value start =
      memref::ExtractAlignedPointerAsIndexOp::create(b, first.getBaseBuffer());
  Value address = arith::AddIOp::create(b, start, bytes);
  Value rest = arith::AndIOp::create(b, address, constant(b, lineBytes - 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest,
                               constant(b, 0));
}

/// In halves: LLVM would make one store of two alike in both branches, and
/// not a streaming one.
static void storePlain(ImplicitLocOpBuilder &b, TransferWriteOp write) {
  int64_t half = write.getVectorType().getNumElements() / 2;
  for (int64_t at : {int64_t(0), half}) {
    SmallVector<Value> indices = indicesAhead(b, write.getIndices(), at);
    Value part = vector::ExtractStridedSliceOp::create(
        b, write.getVector(), ArrayRef<int64_t>{at}, ArrayRef<int64_t>{half},
        ArrayRef<int64_t>{1});
    vector::StoreOp::create(b, part, write.getBase(), indices);
  }
}

/// Asks for a line of the page after the next one, so that its address is known
/// by then: a streaming store waits for that, and those behind it in turn. Rows
/// far shorter than a page would each read a line.
static void findPage(ImplicitLocOpBuilder &b, TransferWriteOp write) {
  MemRefType type = bufferType(write);
  auto loop = write->getParentOfType<scf::ForOp>();
  int64_t page = pageBytes * 8 / type.getElementTypeBitWidth();
  if (!loop || loop.getInductionVar() != write.getIndices().back() ||
      2 * type.getShape().back() < page)
    return;
  SmallVector<Value> indices(write.getIndices());
  indices.back() = arith::AndIOp::create(b, indices.back(), constant(b, -page));
  prefetch(b, write.getBase(), indicesAhead(b, indices, 2 * page));
}

static void stream(TransferWriteOp write) {
  ImplicitLocOpBuilder b(write.getLoc(), write);
  findPage(b, write);
  auto choice = scf::IfOp::create(b, isOnLine(b, write),
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  vector::StoreOp::create(b, write.getVector(), write.getBase(),
                          write.getIndices(),
                          /*nontemporal=*/true, llvm::MaybeAlign(lineBytes));
  b.setInsertionPointToStart(choice.elseBlock());
  storePlain(b, write);
  write.erase();
}

/// How far to ask ahead of a read: in rows no longer than `mostBytes`, over a
/// row and a half, since the next row's first loop wants all of it at once.
static int64_t distanceOf(TransferReadOp read, int64_t mostBytes) {
  MemRefType type = bufferType(read);
  int64_t most = mostBytes / bytesPerElement(type);
  auto loop = read->getParentOfType<scf::ForOp>();
  std::optional<int64_t> last = getConstantIntValue(loop.getUpperBound());
  if (!last || loop.getInductionVar() != read.getIndices().back() ||
      type.getRank() < 2 || *last > type.getShape().back() ||
      type.getShape().back() > most)
    return most;
  return std::max(type.getShape().back() * 3 / 2, most * 3 / 4);
}

/// Behind the end of a row lies the next one, and behind the end of memory
/// nothing that a prefetch would mind.
static void prefetchAhead(TransferReadOp read, int64_t distance) {
  ImplicitLocOpBuilder b(read.getLoc(), read);
  int64_t line =
      std::max<int64_t>(1, lineBytes / bytesPerElement(bufferType(read)));
  for (int64_t at = 0; at < read.getVectorType().getNumElements(); at += line)
    prefetch(b, read.getBase(),
             indicesAhead(b, read.getIndices(), distance + at));
}

/// The bytes of vectors that a loop carries.
static int64_t carriedBytes(scf::ForOp loop) {
  int64_t bits = 0;
  for (Type type : loop.getResultTypes())
    if (auto vector = dyn_cast<VectorType>(type))
      bits += vector.getNumElements() * vector.getElementTypeBitWidth();
  return bits / 8;
}

/// The bytes of a row that a loop over sums steps through, one after the other,
/// as of a product's panel: where this is the first read of a line in a step,
/// rows are of whole lines, and the sums take no fewer bytes. Else 0.
static int64_t rowOfPanel(TransferReadOp read) {
  auto loop = dyn_cast<scf::ForOp>(read->getParentOp());
  MemRefType type = bufferType(read);
  if (!loop || !isPlain(read) || read.getVectorType().isScalable() ||
      type.getRank() < 2 || ShapedType::isDynamic(type.getShape().back()))
    return 0;
  int64_t row = type.getShape().back() * bytesPerElement(type);
  std::optional<int64_t> at = getConstantIntValue(read.getIndices().back());
  bool begins = at && *at * bytesPerElement(type) % lineBytes == 0 &&
                row % lineBytes == 0;
  bool steps = read.getIndices().drop_back().back() == loop.getInductionVar();
  return begins && steps && carriedBytes(loop) >= row ? row : 0;
}

/// The loop of known length around `inner`.
static scf::ForOp loopAround(scf::ForOp inner) {
  auto loop = dyn_cast_or_null<scf::ForOp>(inner->getParentOp());
  return loop && loop.getStaticTripCount() ? loop : scf::ForOp();
}

static int64_t tripsOf(scf::ForOp loop) {
  return loop.getStaticTripCount()->getSExtValue();
}

/// Whether `value` is computed from `source` within the latter's loop.
static bool dependsOn(Value value, Value source) {
  if (value == source)
    return true;
  Operation *op = value.getDefiningOp();
  return op && source.getParentRegion()->isAncestor(op->getParentRegion()) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, source);
         });
}

static bool readsFrom(Operation &op, Value buffer) {
  return op
      .walk([&](TransferReadOp read) {
        return read.getBase() == buffer ? WalkResult::interrupt()
                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Tiles of rows that read the same panels: those of a loop, and what is peeled
/// off.
struct PanelTiles {
  int64_t panels = 1; ///< that a tile reads
  int64_t count = 0;  ///< of tiles
  scf::ForOp loop;    ///< over this tile and others; none if it is the last
  Operation *nest = nullptr; ///< of this tile, or the loop

  /// None where no tiles of rows read the same panels, or no panels follow.
  static std::optional<PanelTiles> of(TransferReadOp read) {
    ValueRange indices = read.getIndices();
    if (bufferType(read).getRank() < 3 || !bufferType(read).hasStaticShape())
      return std::nullopt;
    PanelTiles tiles;
    tiles.findLoops(read, indices.drop_back(2).back());
    tiles.countAll(read.getBase());
    int64_t all =
        ShapedType::getNumElements(bufferType(read).getShape().drop_back(2));
    if (tiles.count < 2 || all <= tiles.panels)
      return std::nullopt;
    return tiles;
  }

  void findLoops(TransferReadOp read, Value panel) {
    nest = read->getParentOp();
    scf::ForOp around = loopAround(cast<scf::ForOp>(nest));
    if (around && dependsOn(panel, around.getInductionVar())) {
      panels = tripsOf(around);
      nest = around;
      around = loopAround(around);
    }
    if (!around || dependsOn(panel, around.getInductionVar()))
      return;
    loop = around;
    nest = around;
  }

  void countAll(Value buffer) {
    count = loop ? tripsOf(loop) : 1;
    for (Operation *op = nest->getNextNode(); op; op = op->getNextNode())
      count += readsFrom(*op, buffer);
    for (Operation *op = nest->getPrevNode(); op; op = op->getPrevNode())
      if (auto before = dyn_cast<scf::ForOp>(op);
          before && before.getStaticTripCount() && readsFrom(*op, buffer))
        count += tripsOf(before);
  }
};
} // namespace

/// Each tile of rows asks for its share of the panels that come next, so that
/// the first one doesn't wait for all of them. Shares are of neighbouring rows
/// by turns: a power of two.
static void prefetchShare(TransferReadOp read, const PanelTiles &tiles) {
  ImplicitLocOpBuilder b(read.getLoc(), read);
  auto shares =
      static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(tiles.count)));
  Value tile = constant(b, tiles.count - 1);
  if (scf::ForOp loop = tiles.loop)
    tile = arith::DivUIOp::create(
        b,
        arith::SubIOp::create(b, loop.getInductionVar(), loop.getLowerBound()),
        loop.getStep());
  SmallVector<Value> indices(read.getIndices());
  Value &panel = indices.end()[-3], &row = indices.end()[-2];
  panel = arith::AddIOp::create(b, panel, constant(b, tiles.panels));
  row = arith::AddIOp::create(
      b, arith::AndIOp::create(b, row, constant(b, -shares)),
      arith::AndIOp::create(b, tile, constant(b, shares - 1)));
  int64_t line = lineBytes / bytesPerElement(bufferType(read));
  for (int64_t at = 0; at < read.getVectorType().getNumElements(); at += line)
    prefetch(b, read.getBase(), indicesAhead(b, indices, at),
             /*localityHint=*/2);
}

namespace {
struct StreamMemoryPass : lh::impl::StreamMemoryPassBase<StreamMemoryPass> {
  using Base::Base;

  void runOnOperation() override {
    for (BlockArgument argument : getOperation().getArguments()) {
      SmallVector<TransferWriteOp> writes;
      if (isLarge(argument) && collectWrites(argument, writes))
        llvm::for_each(llvm::make_filter_range(writes, isOfLines), stream);
    }
    prefetchInputs();
    if (panelBytes > 0)
      getOperation()->walk([&](TransferReadOp read) {
        if (isa<MemRefType>(read.getBase().getType()))
          prefetchPanel(read);
      });
  }

  /// Whole rows ahead: behind the last one lies the next panel.
  void prefetchPanel(TransferReadOp read) {
    int64_t row = rowOfPanel(read);
    MemRefType type = bufferType(read);
    bool staysNear =
        type.hasStaticShape() &&
        type.getNumElements() * bytesPerElement(type) < leastPanels;
    if (row == 0 || staysNear)
      return;
    prefetchAhead(read, llvm::divideCeil(panelBytes, row) * row /
                            bytesPerElement(type));
    std::optional<PanelTiles> tiles = PanelTiles::of(read);
    if (tiles && tiles->count <= mostShares)
      prefetchShare(read, *tiles);
  }

  /// Of loops that follow each other, the last one that reads an input asks
  /// for what comes next: the ones before it find the row in the cache.
  void prefetchInputs() {
    llvm::MapVector<std::pair<Value, Operation *>, TransferReadOp> last;
    getOperation()->walk([&](TransferReadOp read) {
      Value root = bufferOf(read.getBase());
      auto loop = read->getParentOfType<scf::ForOp>();
      if (loop && isLarge(root) && isPlain(read))
        last[{root, loop->getParentOp()}] = read;
    });
    for (auto [key, read] : last)
      prefetchAhead(read, distanceOf(read, ahead));
  }

  /// Whether it is an argument that doesn't fit into the caches.
  bool isLarge(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto type = dyn_cast<MemRefType>(value.getType());
    return argument && argument.getOwner()->getParentOp() == getOperation() &&
           type && type.hasStaticShape() &&
           type.getElementType().isIntOrFloat() &&
           type.getNumElements() * bytesPerElement(type) >= leastBytes;
  }
};
} // namespace
