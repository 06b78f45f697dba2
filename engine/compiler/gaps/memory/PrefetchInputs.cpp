// Asks for large inputs before they are needed. The hardware does so for plain
// copies; a loop that computes much per element keeps too few reads in flight,
// and a reduction of a row starts with all reads of it at once.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/MapVector.h"

namespace lh {
#define GEN_PASS_DECL_PREFETCHINPUTSPASS
#define GEN_PASS_DEF_PREFETCHINPUTSPASS
#include "compiler/gaps/memory/Passes.h.inc"
} // namespace lh

using namespace mlir;

static constexpr int64_t lineBytes = 64;

static int64_t bytesPerElement(ShapedType type) {
  return (type.getElementTypeBitWidth() + 7) / 8;
}

static bool isLarge(Type type, int64_t leastBytes) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.hasStaticShape() &&
         buffer.getElementType().isIntOrFloat() &&
         buffer.getNumElements() * bytesPerElement(buffer) >= leastBytes;
}

static Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// How far to ask ahead of a read: in rows no longer than `mostBytes`, over a
/// row and a half, since the next row's first loop wants all of it at once.
static int64_t distanceOf(vector::TransferReadOp read, int64_t mostBytes) {
  auto type = cast<MemRefType>(read.getBase().getType());
  int64_t most = mostBytes / bytesPerElement(type);
  auto loop = read->getParentOfType<scf::ForOp>();
  std::optional<int64_t> last =
      loop ? getConstantIntValue(loop.getUpperBound()) : std::nullopt;
  if (!last || loop.getInductionVar() != read.getIndices().back() ||
      type.getRank() < 2 || *last > type.getShape().back() ||
      type.getShape().back() > most)
    return most;
  return std::max(type.getShape().back() * 3 / 2, most * 3 / 4);
}

/// Behind the end of a row lies the next one, and behind the end of memory
/// nothing that a prefetch would mind.
static void prefetchAhead(vector::TransferReadOp read, int64_t mostBytes) {
  OpBuilder builder(read);
  Location loc = read.getLoc();
  auto type = cast<MemRefType>(read.getBase().getType());
  int64_t line = std::max<int64_t>(1, lineBytes / bytesPerElement(type));
  int64_t distance = distanceOf(read, mostBytes);
  for (int64_t at = 0; at < read.getVectorType().getNumElements(); at += line) {
    SmallVector<Value> indices(read.getIndices());
    indices.back() = arith::AddIOp::create(
        builder, loc, indices.back(),
        arith::ConstantIndexOp::create(builder, loc, distance + at));
    memref::PrefetchOp::create(builder, loc, read.getBase(), indices,
                               /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }
}

namespace {
struct PrefetchInputsPass
    : lh::impl::PrefetchInputsPassBase<PrefetchInputsPass> {
  using Base::Base;

  /// Of loops that follow each other, the last one that reads an input asks
  /// for what comes next: the ones before it find the row in the cache.
  void runOnOperation() override {
    llvm::MapVector<std::pair<Value, Operation *>, vector::TransferReadOp> last;
    getOperation()->walk([&](vector::TransferReadOp read) {
      Value root = rootOf(read.getBase());
      auto argument = dyn_cast<BlockArgument>(root);
      if (argument && argument.getOwner()->getParentOp() == getOperation() &&
          isLarge(root.getType(), leastBytes) && isPlain(read))
        last[{root, read->getParentOfType<scf::ForOp>()->getParentOp()}] = read;
    });
    for (auto [key, read] : last)
      prefetchAhead(read, ahead);
  }

  static bool isPlain(vector::TransferReadOp read) {
    return read.getVectorType().getRank() == 1 && !read.getMask() &&
           read.getPermutationMap().isMinorIdentity() &&
           read->getParentOfType<scf::ForOp>() &&
           cast<MemRefType>(read.getBase().getType()).isLastDimUnitStride();
  }
};
} // namespace
