// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-place-workgroup-memory.
#include "compiler/gaps/Gaps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_PLACEWORKGROUPMEMORYPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// Address spaces of SPIR-V in LLVM: "User Guide for SPIR-V Target".
static unsigned numberOf(gpu::AddressSpace space) {
  switch (space) {
  case gpu::AddressSpace::Private:
    return 0;
  case gpu::AddressSpace::Global:
    return 1;
  case gpu::AddressSpace::Workgroup:
    return 3;
  }
  return 0;
}

static void numberSpaces(gpu::GPUModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](gpu::AddressSpaceAttr space) -> Attribute {
    return IntegerAttr::get(IntegerType::get(space.getContext(), 64),
                            numberOf(space.getValue()));
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Each of a kernel's attributions becomes a variable of the module.
static void placeAttributions(gpu::GPUFuncOp kernel, SymbolTable &symbols) {
  auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  for (BlockArgument memory : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(memory.getType());
    auto variable = memref::GlobalOp::create(
        builder, loc, "workgroup", builder.getStringAttr("private"), type,
        builder.getUnitAttr(), /*constant=*/false, /*alignment=*/nullptr);
    variable->remove();
    StringAttr name = symbols.insert(variable);
    memory.replaceAllUsesWith(
        memref::GetGlobalOp::create(builder, loc, type, name));
  }
  kernel.getBody().front().eraseArguments(
      kernel.getFirstWorkgroupAttributionIndex(),
      kernel.getNumWorkgroupAttributions());
  kernel->setAttr(gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName(),
                  builder.getI64IntegerAttr(0));
}

namespace {
struct PlaceWorkgroupMemoryPass
    : lh::impl::PlaceWorkgroupMemoryPassBase<PlaceWorkgroupMemoryPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (auto kernel : module.getOps<gpu::GPUFuncOp>())
      if (kernel.getNumWorkgroupAttributions())
        placeAttributions(kernel, symbols);
    numberSpaces(module);
  }
};
} // namespace
