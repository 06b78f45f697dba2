// Gives the buffers of kernels in workgroup memory their place: globals of the
// module where they fit into what a kernel may declare, else views of the
// memory that a launch asks for. Upstream has the first only, without
// alignment.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/MathExtras.h"

namespace lh {
#define GEN_PASS_DECL_SHAREMEMORYPASS
#define GEN_PASS_DEF_SHAREMEMORYPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// What 16-byte copies, matrix loads and tensor copies all can work with.
static constexpr uint64_t bufferAlignment = 128;

static SmallVector<memref::AllocOp> sharedBuffers(gpu::LaunchOp launch) {
  SmallVector<memref::AllocOp> buffers;
  launch.walk([&](memref::AllocOp alloc) {
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(alloc.getType()))
      buffers.push_back(alloc);
  });
  return buffers;
}

static uint64_t bytesOf(MemRefType type) {
  return llvm::alignTo(static_cast<uint64_t>(type.getNumElements()) *
                           llvm::divideCeil(type.getElementTypeBitWidth(), 8U),
                       bufferAlignment);
}

/// Workgroup memory lives as long as the block of threads.
static void dropDeallocations(Value buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->erase();
}

static void makeGlobal(memref::AllocOp alloc, SymbolTable &symbols) {
  OpBuilder builder(alloc);
  Location loc = alloc.getLoc();
  auto global = memref::GlobalOp::create(
      builder, loc, "lh_shared", builder.getStringAttr("private"),
      alloc.getType(), builder.getUnitAttr(), /*constant=*/false,
      builder.getI64IntegerAttr(bufferAlignment));
  global->remove();
  symbols.insert(global);
  alloc.getResult().replaceAllUsesWith(memref::GetGlobalOp::create(
      builder, loc, alloc.getType(), global.getSymName()));
  alloc.erase();
}

static void makeView(memref::AllocOp alloc, Value memory, uint64_t offset) {
  OpBuilder builder(alloc);
  builder.setInsertionPointAfterValue(memory);
  Location loc = alloc.getLoc();
  Value start = arith::ConstantIndexOp::create(builder, loc,
                                               static_cast<int64_t>(offset));
  alloc.getResult().replaceAllUsesWith(memref::ViewOp::create(
      builder, loc, alloc.getType(), memory, start, ValueRange()));
  alloc.erase();
}

static void askForMemory(gpu::LaunchOp launch,
                         ArrayRef<memref::AllocOp> buffers, uint64_t bytes) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  Value size = arith::ConstantIntOp::create(builder, loc,
                                            static_cast<int64_t>(bytes), 32);
  launch.getDynamicSharedMemorySizeMutable().assign(size);
  builder.setInsertionPointToStart(&launch.getBody().front());
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(),
                              MemRefLayoutAttrInterface(), space);
  Value memory = gpu::DynamicSharedMemoryOp::create(builder, loc, type);
  uint64_t offset = 0;
  for (memref::AllocOp alloc : buffers) {
    uint64_t size = bytesOf(alloc.getType());
    makeView(alloc, memory, offset);
    offset += size;
  }
}

namespace {
struct ShareMemoryPass : lh::impl::ShareMemoryPassBase<ShareMemoryPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<gpu::LaunchOp> launches;
    getOperation().walk(
        [&](gpu::LaunchOp launch) { launches.push_back(launch); });
    for (gpu::LaunchOp launch : launches)
      if (failed(place(launch, symbols)))
        return signalPassFailure();
  }

  LogicalResult place(gpu::LaunchOp launch, SymbolTable &symbols) {
    SmallVector<memref::AllocOp> buffers = sharedBuffers(launch);
    uint64_t bytes = 0;
    for (memref::AllocOp alloc : buffers) {
      if (!alloc.getType().hasStaticShape())
        return alloc.emitError("a buffer in workgroup memory needs a size "
                               "that is known when the kernel is compiled");
      dropDeallocations(alloc);
      bytes += bytesOf(alloc.getType());
    }
    bool fits = bytes <= staticBytes;
    if (!fits && launch.getDynamicSharedMemorySize())
      return launch.emitError("the kernel asks for workgroup memory itself and "
                              "has buffers that don't fit beside it");
    if (!fits)
      askForMemory(launch, buffers, bytes);
    else
      for (memref::AllocOp alloc : buffers)
        makeGlobal(alloc, symbols);
    return success();
  }
};
} // namespace
