// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits what the backend can't take, optimizes, and generates.
#include "runtime/gpu/SpirVCode.h"

#include "compiler/session/MlirDiagnostics.h"
#include "runtime/cpu/CodeGeneration.h"
#include "runtime/cpu/LlvmAnalyses.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;
using lh::DeviceForm;
using lh::DiagKind;

void lh::allowFusion(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isa<FPMathOperator>(instruction))
        instruction.setHasAllowContract(true);
}

/// Phis of the elements, which are taken out where each array comes from and
/// put together behind the block's phis.
static void splitPhi(PHINode &phi) {
  auto *type = cast<ArrayType>(phi.getType());
  IRBuilder<> builder(&phi);
  std::vector<PHINode *> elements;
  for (uint64_t i = 0; i < type->getNumElements(); ++i)
    elements.push_back(
        builder.CreatePHI(type->getElementType(), phi.getNumIncomingValues()));
  for (unsigned from = 0; from < phi.getNumIncomingValues(); ++from) {
    BasicBlock *block = phi.getIncomingBlock(from);
    builder.SetInsertPoint(block->getTerminator());
    for (auto [i, element] : enumerate(elements))
      element->addIncoming(
          builder.CreateExtractValue(phi.getIncomingValue(from),
                                     static_cast<unsigned>(i)),
          block);
  }
  builder.SetInsertPoint(&*phi.getParent()->getFirstInsertionPt());
  Value *whole = PoisonValue::get(type);
  for (auto [i, element] : enumerate(elements))
    whole = builder.CreateInsertValue(whole, element, static_cast<unsigned>(i));
  phi.replaceAllUsesWith(whole);
  phi.eraseFromParent();
}

static void splitArraysBetweenBlocks(Function &function) {
  std::vector<PHINode *> phis;
  do { // of an array of arrays the elements are arrays
    phis.clear();
    for (Instruction &instruction : instructions(function))
      if (auto *phi = dyn_cast<PHINode>(&instruction);
          phi && phi->getType()->isArrayTy())
        phis.push_back(phi);
    for (PHINode *phi : phis)
      splitPhi(*phi);
  } while (!phis.empty());
}

/// Into vectors of 16 bytes, which have at most 16 elements.
static void splitLongVectors(Module &module, lh::LlvmAnalyses &analyses) {
  ScalarizerPassOptions options;
  options.ScalarizeMinBits = 128;
  options.ScalarizeLoadStore = true;
  createModuleToFunctionPassAdaptor(ScalarizerPass(options))
      .run(module, analyses.modules);
}

static std::unique_ptr<TargetMachine> makeSpirVMachine() {
  Triple triple(lh::spirvTriple);
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<TargetMachine>(
      target ? target->createTargetMachine(triple, "", "", TargetOptions(),
                                           std::nullopt)
             : nullptr);
}

/// MLIR's xevm calls bytes "s8" in names of functions, OpenCL "i8".
static void correctNames(Module &module) {
  for (Function &function : module) {
    std::string name = function.getName().str();
    if (size_t at = name.find("_s8_s8_matrix_mad"); at != std::string::npos)
      function.setName(name.replace(at, 6, "_i8_i8"));
  }
}

static void shape(Module &module, TargetMachine &machine) {
  correctNames(module);
  lh::allowFusion(module);
  // OpenCL C's pragma FP_CONTRACT, as its compilers note it.
  module.getOrInsertNamedMetadata("opencl.enable.FP_CONTRACT");
  for (Function &function : module)
    splitArraysBetweenBlocks(function);
  PassBuilder builder(&machine);
  lh::LlvmAnalyses analyses(builder);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, analyses.modules);
  splitLongVectors(module, analyses);
}

lh::FailureOr<std::string> lh::compileSpirV(mlir::gpu::GPUModuleOp kernels,
                                            DeviceForm form,
                                            const SourceSpan &where,
                                            DiagnosticSink &sink) {
  MlirDiagnostics said(*kernels.getContext(), DiagKind::BackendCompileFailed,
                       where);
  LLVMContext context;
  std::unique_ptr<Module> module =
      mlir::translateModuleToLLVMIR(kernels, context, "kernels");
  bool explained = said.hasErrors();
  said.flushTo(sink);
  std::unique_ptr<TargetMachine> machine = makeSpirVMachine();
  if (!module && explained)
    return failure();
  if (!module || !machine)
    return sink.error(DiagKind::BackendCompileFailed, where,
                      machine ? "the kernels have no form in LLVM IR"
                              : "this LLVM generates no SPIR-V");
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  shape(*module, *machine);
  if (form == DeviceForm::LlvmIr)
    return printModule(*module);
  if (form == DeviceForm::Bitcode) {
    std::string text;
    raw_string_ostream stream(text);
    WriteBitcodeToFile(*module, stream);
    return text;
  }
  return generateCode(*module, *machine,
                      form == DeviceForm::Assembly ? CodeForm::Assembly
                                                   : CodeForm::Object,
                      where, sink);
}
