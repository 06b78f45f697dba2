// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizes and emits an LLVM module.
#include "runtime/cpu/CodeGeneration.h"

#include "runtime/cpu/LlvmAnalyses.h"
#include "runtime/cpu/OutlineLoops.h"
#include "runtime/cpu/SpreadLoads.h"
#include "runtime/cpu/VectorLibrary.h"

#include "llvm/CodeGen/ReplaceWithVeclib.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"

using namespace lh;

/// The only lane that a constant mask selects, if it is a single one.
static std::optional<unsigned> loneLane(const llvm::Value *mask) {
  const auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  std::optional<unsigned> lone;
  if (!constant || !type)
    return std::nullopt;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant *selects = constant->getAggregateElement(lane);
    if (!selects || !llvm::isa<llvm::ConstantInt>(selects))
      return std::nullopt;
    if (selects->isNullValue())
      continue;
    if (lone)
      return std::nullopt;
    lone = lane;
  }
  return lone;
}

/// LLVM 22 for x86 writes too many bytes where a truncated vector is stored
/// under a mask of one lane (llvm/llvm-project#179489): stores that lane.
static void storeLoneLanes(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
        continue;
      llvm::Value *value = store->getArgOperand(0);
      std::optional<unsigned> lane = loneLane(store->getArgOperand(2));
      if (!lane)
        continue;
      llvm::Align alignment = store->getParamAlign(1).valueOrOne();
      llvm::Type *type = value->getType()->getScalarType();
      uint64_t offset = *lane * (type->getPrimitiveSizeInBits() / 8);
      llvm::IRBuilder<> builder(store);
      builder.CreateAlignedStore(
          builder.CreateExtractElement(value, *lane),
          builder.CreateConstGEP1_64(type, store->getArgOperand(1), *lane),
          llvm::commonAlignment(alignment, offset));
      store->eraseFromParent();
    }
}

/// Not what looks for the targets of calls through pointers: generated code has
/// none, and it takes a twelfth of a net's compile time.
static bool isWorthwhile(llvm::StringRef pass, llvm::Any) {
  return pass != "CalledValuePropagationPass";
}

void lh::optimizeModule(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  // What should be unrolled, a schedule has unrolled. Unrolling the rest takes
  // a third of a net's compile time and wins about a tenth of its run time.
  tuning.LoopUnrolling = false;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(isWorthwhile);
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  LlvmAnalyses analyses(builder, libraryInfo(module));
  outlineLoops(module, analyses.functions);
  // Equal layers are compiled once.
  llvm::MergeFunctionsPass().run(module, analyses.modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, analyses.modules);
  // Here, not in the code generator, so that what counts arithmetic sees it.
  llvm::createModuleToFunctionPassAdaptor(llvm::ReplaceWithVeclib())
      .run(module, analyses.modules);
  storeLoneLanes(module);
  if (machine.getTargetTriple().isAArch64())
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        sharePointersOfSpreadLoads(function, analyses.functions);
}

FailureOr<std::string> lh::generateCode(llvm::Module &module,
                                        llvm::TargetMachine &machine,
                                        CodeForm form, const SourceSpan &where,
                                        DiagnosticSink &sink) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  llvm::CodeGenFileType type = form == CodeForm::Object
                                   ? llvm::CodeGenFileType::ObjectFile
                                   : llvm::CodeGenFileType::AssemblyFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return sink.error(DiagKind::BackendCompileFailed, where,
                      "LLVM can't emit this form of code for '" +
                          machine.getTargetTriple().str() + "'");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

std::string lh::printModule(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}
