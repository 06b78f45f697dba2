// What upstream's dialects for GPUs don't say of their operations: that
// functions with them may be inlined, without which the inliner leaves each
// call; and that a warp's product touches no memory, without which it can't be
// bufferized.

#include "ir/gaps/KernelPasses.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace {
struct InlineAll : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

struct NoEffects
    : MemoryEffectOpInterface::ExternalModel<NoEffects, NVVM::MmaOp> {
  void
  getEffects(Operation *,
             SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
                 &) const {}
};
} // namespace

void lh::registerKernelInlining(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, amdgpu::AMDGPUDialect *dialect) {
    dialect->addInterfaces<InlineAll>();
  });
  registry.addExtension(+[](MLIRContext *, nvgpu::NVGPUDialect *dialect) {
    dialect->addInterfaces<InlineAll>();
  });
  registry.addExtension(+[](MLIRContext *context, NVVM::NVVMDialect *) {
    NVVM::MmaOp::attachInterface<NoEffects>(*context);
  });
}
