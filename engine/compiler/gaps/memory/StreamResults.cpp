// Large results go to memory past the caches: nobody reads them before they
// would be evicted, and a plain store first reads the line that it overwrites.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_STREAMRESULTSPASS
#define GEN_PASS_DEF_STREAMRESULTSPASS
#include "compiler/gaps/memory/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// A cache line. A streaming store must be of whole lines, on their bounds.
static constexpr int64_t lineBytes = 64;
/// A page of memory, as processors translate addresses.
static constexpr int64_t pageBytes = 4096;

static bool isLarge(Type type, int64_t leastBytes) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.hasStaticShape() &&
         buffer.getElementType().isIntOrFloat() &&
         buffer.getNumElements() *
                 ((buffer.getElementTypeBitWidth() + 7) / 8) >=
             leastBytes;
}

/// Whole vectors, one after the other in memory.
static bool isPlainWrite(vector::TransferWriteOp write) {
  VectorType type = write.getVectorType();
  return type.getRank() == 1 && type.getNumElements() % 2 == 0 &&
         !type.isScalable() && !write.getMask() &&
         write.getInBoundsValues().front() &&
         write.getPermutationMap().isMinorIdentity() &&
         type.getNumElements() * type.getElementTypeBitWidth() %
                 (8 * lineBytes) ==
             0 &&
         cast<MemRefType>(write.getBase().getType()).isLastDimUnitStride();
}

/// Collects the vectors written to a buffer and to views of it; false when it
/// is read, or given to anything else.
static bool collectWrites(Value buffer,
                          SmallVectorImpl<vector::TransferWriteOp> &writes) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto write = dyn_cast<vector::TransferWriteOp>(user)) {
      writes.push_back(write);
      return write.getBase() == buffer;
    }
    return isa<ViewLikeOpInterface>(user) &&
           collectWrites(user->getResult(0), writes);
  });
}

/// Whether the written vector begins on a line. Callers may give any buffer.
static Value isOnLine(vector::TransferWriteOp write, OpBuilder &builder) {
  Location loc = write.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto type = cast<MemRefType>(write.getBase().getType());
  auto described =
      memref::ExtractStridedMetadataOp::create(builder, loc, write.getBase());
  Value place = described.getOffset();
  auto strides = type.getStridesAndOffset().first;
  for (auto [i, index] : llvm::enumerate(write.getIndices())) {
    Value stride = ShapedType::isDynamic(strides[i])
                       ? Value(described.getStrides()[i])
                       : constant(strides[i]);
    Value step = arith::MulIOp::create(builder, loc, index, stride);
    place = arith::AddIOp::create(builder, loc, place, step);
  }
  Value bytes = arith::MulIOp::create(
      builder, loc, place, constant(type.getElementTypeBitWidth() / 8));
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, described.getBaseBuffer());
  Value address = arith::AddIOp::create(builder, loc, start, bytes);
  Value rest =
      arith::AndIOp::create(builder, loc, address, constant(lineBytes - 1));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest,
                               constant(0));
}

static void storeStreaming(vector::TransferWriteOp write, OpBuilder &b) {
  vector::StoreOp::create(b, write.getLoc(), write.getVector(), write.getBase(),
                          write.getIndices(),
                          /*nontemporal=*/true, llvm::MaybeAlign(lineBytes));
}

/// In halves: LLVM would make one store of two alike in both branches, and
/// not a streaming one.
static void storePlain(vector::TransferWriteOp write, OpBuilder &b) {
  Location loc = write.getLoc();
  int64_t half = write.getVectorType().getNumElements() / 2;
  for (int64_t at : {int64_t(0), half}) {
    SmallVector<Value> indices(write.getIndices());
    indices.back() = arith::AddIOp::create(
        b, loc, indices.back(), arith::ConstantIndexOp::create(b, loc, at));
    Value part = vector::ExtractStridedSliceOp::create(
        b, loc, write.getVector(), ArrayRef<int64_t>{at},
        ArrayRef<int64_t>{half}, ArrayRef<int64_t>{1});
    vector::StoreOp::create(b, loc, part, write.getBase(), indices);
  }
}

/// Asks for a line of the page after the next one, so that its address is known
/// by then: a streaming store waits for that, and those behind it in turn. Rows
/// far shorter than a page would each read a line.
static void findPage(vector::TransferWriteOp write, OpBuilder &b) {
  Location loc = write.getLoc();
  auto type = cast<MemRefType>(write.getBase().getType());
  auto loop = write->getParentOfType<scf::ForOp>();
  int64_t page = pageBytes * 8 / type.getElementTypeBitWidth();
  if (!loop || loop.getInductionVar() != write.getIndices().back() ||
      2 * type.getShape().back() < page)
    return;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  SmallVector<Value> indices(write.getIndices());
  Value start = arith::AndIOp::create(b, loc, indices.back(), constant(-page));
  indices.back() = arith::AddIOp::create(b, loc, start, constant(2 * page));
  memref::PrefetchOp::create(b, loc, write.getBase(), indices,
                             /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
}

static void stream(vector::TransferWriteOp write) {
  OpBuilder builder(write);
  findPage(write, builder);
  scf::IfOp::create(
      builder, write.getLoc(), isOnLine(write, builder),
      [&](OpBuilder &b, Location loc) {
        storeStreaming(write, b);
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &b, Location loc) {
        storePlain(write, b);
        scf::YieldOp::create(b, loc);
      });
  write.erase();
}

namespace {
struct StreamResultsPass : lh::impl::StreamResultsPassBase<StreamResultsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (BlockArgument argument : getOperation().getArguments()) {
      SmallVector<vector::TransferWriteOp> writes;
      if (!isLarge(argument.getType(), leastBytes) ||
          !collectWrites(argument, writes))
        continue;
      for (vector::TransferWriteOp write : writes)
        if (isPlainWrite(write))
          stream(write);
    }
  }
};
} // namespace
