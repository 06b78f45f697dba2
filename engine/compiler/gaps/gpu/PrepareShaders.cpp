// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-prepare-shaders.
#include "compiler/gaps/Gaps.h"
#include "compiler/gaps/gpu/KernelModules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringMap.h"

namespace lh {
#define GEN_PASS_DECL_PREPARESHADERSPASS
#define GEN_PASS_DEF_PREPARESHADERSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;

static Attribute storageOf(MLIRContext *context, spirv::StorageClass storage) {
  return spirv::StorageClassAttr::get(context, storage);
}

/// A kernel's memory in the form that `convert-gpu-to-spirv` takes.
static void placeMemory(gpu::GPUFuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Attribute shared = storageOf(context, spirv::StorageClass::Workgroup);
  auto allocate = [&](MemRefType type) -> Value {
    return memref::AllocOp::create(
        builder, kernel.getLoc(),
        MemRefType(MemRefType::Builder(type).setMemorySpace(shared)));
  };
  for (BlockArgument memory : kernel.getWorkgroupAttributions())
    memory.replaceAllUsesWith(allocate(cast<MemRefType>(memory.getType())));
  llvm::StringMap<Value> placed; // a variable is one, however often it is named
  kernel.walk([&](memref::GetGlobalOp variable) {
    if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(variable.getType()))
      return;
    Value &memory = placed[variable.getName()];
    if (!memory)
      memory = allocate(variable.getType());
    variable.replaceAllUsesWith(memory);
    variable.erase();
  });
  kernel.getBody().front().eraseArguments(
      kernel.getFirstWorkgroupAttributionIndex(),
      kernel.getNumWorkgroupAttributions());
  kernel->setAttr(gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName(),
                  builder.getI64IntegerAttr(0));
  Attribute own = storageOf(context, spirv::StorageClass::Function);
  kernel.walk([&](memref::AllocaOp memory) {
    memory.getResult().setType(
        MemRefType::Builder(memory.getType()).setMemorySpace(own));
  });
}

/// Upstream's barriers order workgroup memory alone; kernels here hand each
/// other numbers in global memory as well.
static void orderAllMemory(gpu::BarrierOp barrier) {
  OpBuilder builder(barrier);
  spirv::ControlBarrierOp::create(builder, barrier.getLoc(),
                                  spirv::Scope::Workgroup,
                                  spirv::Scope::Workgroup,
                                  spirv::MemorySemantics::AcquireRelease |
                                      spirv::MemorySemantics::WorkgroupMemory |
                                      spirv::MemorySemantics::UniformMemory);
  barrier.erase();
}

template <typename To> static void replaceBy(Operation *op) {
  OpBuilder builder(op);
  op->replaceAllUsesWith(To::create(builder, op->getLoc(), op->getOperands()));
  op->erase();
}

/// `convert-gpu-to-spirv` knows arith, and of the dialect `index` nothing.
/// These are the ops that windows of convolutions are found by.
static void replaceIndexOps(gpu::GPUModuleOp kernels) {
  kernels.walk([](Operation *op) {
    if (isa<index::AddOp>(op))
      replaceBy<arith::AddIOp>(op);
    else if (isa<index::MulOp>(op))
      replaceBy<arith::MulIOp>(op);
    else if (isa<index::MinUOp>(op))
      replaceBy<arith::MinUIOp>(op);
  });
}

/// The environment that `spirv-attach-target` put on the kernels, with as many
/// lanes in a subgroup.
static FailureOr<spirv::TargetEnvAttr> environmentOf(gpu::GPUModuleOp kernels,
                                                     int32_t lanes) {
  for (Attribute target : kernels.getTargetsAttr()
                              ? kernels.getTargetsAttr().getValue()
                              : ArrayRef<Attribute>()) {
    auto given = dyn_cast<spirv::TargetEnvAttr>(target);
    if (!given)
      continue;
    auto limits = given.getResourceLimits();
    limits = spirv::ResourceLimitsAttr::get(
        kernels.getContext(), limits.getMaxComputeSharedMemorySize(),
        limits.getMaxComputeWorkgroupInvocations(),
        limits.getMaxComputeWorkgroupSize(), lanes, limits.getMinSubgroupSize(),
        limits.getMaxSubgroupSize(), limits.getCooperativeMatrixPropertiesKhr(),
        limits.getCooperativeMatrixPropertiesNv());
    return spirv::TargetEnvAttr::get(
        given.getTripleAttr(), limits, given.getClientAPI(),
        given.getVendorID(), given.getDeviceType(), given.getDeviceID());
  }
  return kernels.emitError("there is no environment of SPIR-V; "
                           "'spirv-attach-target' goes before");
}

/// A kernel is an entry, which keeps infinities, NaN and the sign of zero.
static LogicalResult makeEntry(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> threads = kernel.getKnownBlockSize();
  if (!threads)
    return kernel.emitError("a shader's number of threads is fixed when it is "
                            "compiled, and this kernel's is not known");
  MLIRContext *context = kernel.getContext();
  kernel->setAttr(spirv::getEntryPointABIAttrName(),
                  spirv::EntryPointABIAttr::get(
                      context, DenseI32ArrayAttr::get(context, *threads),
                      /*subgroup_size=*/std::nullopt,
                      /*target_width=*/32));
  return success();
}

/// Functions that shaders have for f64, too (GLSL.std.450).
static bool isForDoubles(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
             math::FmaOp, math::RoundEvenOp, math::RoundOp, math::RsqrtOp,
             math::SqrtOp, math::TruncOp>(op);
}

static LogicalResult checkFunctions(gpu::GPUModuleOp kernels) {
  WalkResult walk = kernels.walk([](Operation *op) {
    bool isFunction = isa<math::MathDialect>(op->getDialect()) &&
                      op->getResult(0).getType().isF64();
    if (!isFunction || isForDoubles(op))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName()
                    << "' of f64, which shaders don't have; f32 has it";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

namespace {
struct PrepareShadersPass
    : lh::impl::PrepareShadersPassBase<PrepareShadersPass> {
  using Base::Base;

  void runOnOperation() override {
    gpu::GPUModuleOp kernels = lh::joinKernelModules(getOperation());
    if (!kernels)
      return;
    FailureOr<spirv::TargetEnvAttr> environment = environmentOf(kernels, lanes);
    if (failed(environment) || failed(checkFunctions(kernels)))
      return signalPassFailure();
    // Conversions look at this one.
    kernels->setAttr(spirv::getTargetEnvAttrName(), *environment);
    kernels.setTargetsAttr(ArrayAttr::get(&getContext(), {*environment}));
    for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
      if (!kernel.isKernel())
        continue;
      if (failed(makeEntry(kernel)))
        return signalPassFailure();
      placeMemory(kernel);
    }
    replaceIndexOps(kernels);
    for (auto variable :
         llvm::make_early_inc_range(kernels.getOps<memref::GlobalOp>()))
      variable.erase(); // each kernel that used it has its own
    kernels.walk([](gpu::BarrierOp barrier) { orderAllMemory(barrier); });
  }
};
} // namespace
