// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What upstream's dialects for GPUs don't say of their operations: that
// functions with them may be inlined, without which the inliner leaves each
// call; that a warp's product touches no memory, without which it can't be
// bufferized; and that a descriptor is a view of its matrix, which is in use as
// long as the descriptor is.
#include "compiler/gaps/Gaps.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/XeVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace {
struct InlineAll : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

template <typename Op>
struct Pure : MemoryEffectOpInterface::ExternalModel<Pure<Op>, Op> {
  void getEffects(Operation *, Effects &) const {}
};

/// Any memory: these order themselves against all other accesses.
template <typename Op>
struct Touches : MemoryEffectOpInterface::ExternalModel<Touches<Op>, Op> {
  void getEffects(Operation *, Effects &effects) const {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
};

template <typename Op>
struct Views : ViewLikeOpInterface::ExternalModel<Views<Op>, Op> {
  Value getViewSource(Operation *op) const { return op->getOperand(0); }
};
} // namespace

template <template <typename> class Model, typename... Ops>
static void attach(MLIRContext &context) {
  (Ops::template attachInterface<Model<Ops>>(context), ...);
}

void lh::registerGapExtensions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, amdgpu::AMDGPUDialect *dialect) {
    dialect->addInterfaces<InlineAll>();
  });
  registry.addExtension(
      +[](MLIRContext *context, nvgpu::NVGPUDialect *dialect) {
        dialect->addInterfaces<InlineAll>();
        attach<Pure, nvgpu::WarpgroupGenerateDescriptorOp,
               nvgpu::WarpgroupMmaInitAccumulatorOp>(*context);
        attach<Touches, nvgpu::MBarrierCreateOp, nvgpu::MBarrierInitOp,
               nvgpu::MBarrierArriveExpectTxOp, nvgpu::MBarrierTryWaitParityOp,
               nvgpu::TmaAsyncLoadOp, nvgpu::TmaCreateDescriptorOp,
               nvgpu::WarpgroupMmaOp, nvgpu::WarpgroupMmaStoreOp>(*context);
        attach<Views, nvgpu::TmaCreateDescriptorOp>(*context);
      });
  registry.addExtension(+[](MLIRContext *context, gpu::GPUDialect *) {
    attach<Touches, gpu::BarrierOp>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, NVVM::NVVMDialect *) {
    attach<Pure, NVVM::MmaOp>(*context);
    attach<Touches, NVVM::WgmmaWaitGroupSyncOp>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, xevm::XeVMDialect *dialect) {
    dialect->addInterfaces<InlineAll>();
    attach<Pure, xevm::MMAOp>(*context);
  });
}
