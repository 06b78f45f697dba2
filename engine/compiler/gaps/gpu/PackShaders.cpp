// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-pack-shaders.
#include "compiler/gaps/Gaps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_PACKSHADERSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// A variable of so many words, at the only binding.
static spirv::GlobalVariableOp declareWords(spirv::FuncOp entry,
                                            unsigned count) {
  OpBuilder builder(entry);
  auto words =
      spirv::ArrayType::get(builder.getI64Type(), count, sizeof(uint64_t));
  auto block = spirv::StructType::get({words}, {0});
  auto type =
      spirv::PointerType::get(block, spirv::StorageClass::StorageBuffer);
  return spirv::GlobalVariableOp::create(builder, entry.getLoc(), type,
                                         (entry.getName() + "_arguments").str(),
                                         /*descriptorSet=*/0, /*binding=*/0);
}

static LogicalResult packArguments(spirv::FuncOp entry) {
  Block &body = entry.front();
  unsigned count = body.getNumArguments();
  if (count == 0)
    return success();
  for (BlockArgument argument : body.getArguments())
    if (!argument.getType().isInteger(64))
      return entry.emitError("an argument of type ")
             << argument.getType()
             << ", where 'lh-launch-by-address' leaves i64 alone";
  spirv::GlobalVariableOp words = declareWords(entry, count);
  auto builder = OpBuilder::atBlockBegin(&body);
  Location loc = entry.getLoc();
  Value all = spirv::AddressOfOp::create(builder, loc, words);
  auto constant = [&](unsigned value) -> Value {
    return spirv::ConstantOp::create(
        builder, loc, builder.getI32Type(),
        builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  Value first = constant(0);
  for (BlockArgument argument : body.getArguments()) {
    Value place = spirv::AccessChainOp::create(
        builder, loc, all,
        ValueRange{first, constant(argument.getArgNumber())});
    argument.replaceAllUsesWith(spirv::LoadOp::create(builder, loc, place));
  }
  body.eraseArguments(0, count);
  entry.setFunctionType(builder.getFunctionType({}, {}));
  entry.removeArgAttrsAttr();
  return success();
}

/// What a kernel does is in its shader now; the host's code needs its name and
/// its arguments alone.
static void emptyKernel(gpu::GPUFuncOp kernel) {
  Block &body = kernel.getBody().front();
  kernel.getBody().getBlocks().remove(body);
  OpBuilder builder(kernel);
  Block *empty = new Block;
  kernel.getBody().push_back(empty);
  for (Type type : kernel.getFunctionType().getInputs())
    empty->addArgument(type, kernel.getLoc());
  builder.setInsertionPointToEnd(empty);
  gpu::ReturnOp::create(builder, kernel.getLoc());
  body.dropAllReferences();
  delete &body;
}

namespace {
struct PackShadersPass : lh::impl::PackShadersPassBase<PackShadersPass> {
  void runOnOperation() override {
    for (auto shaders : getOperation().getOps<spirv::ModuleOp>())
      for (auto entry : shaders.getOps<spirv::FuncOp>())
        if (spirv::lookupEntryPointABI(entry) && failed(packArguments(entry)))
          return signalPassFailure();
    getOperation().walk([](gpu::GPUFuncOp kernel) { emptyKernel(kernel); });
  }
};
} // namespace
