// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitcode to host code: read, instrument, generate, link.
#include "runtime/sim/SimModule.h"

#include "runtime/abi/HostFacts.h"
#include "runtime/cpu/CodeGeneration.h"
#include "runtime/cpu/LlvmAnalyses.h"
#include "runtime/cpu/TargetMachine.h"
#include "runtime/sim/Kernels.h"
#include "runtime/sim/LibraryFunctions.h"
#include "runtime/sim/Runtime.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/Sink.h"

using namespace lh;

static bool isFor(const llvm::Triple &triple, const SimChip &chip) {
  switch (chip.vendor) {
  case SimChip::Vendor::Nvidia:
    return triple.isNVPTX();
  case SimChip::Vendor::Amd:
    return triple.isAMDGCN();
  case SimChip::Vendor::Intel:
    return triple.isSPIRV();
  }
  return false;
}

static FailureOr<std::unique_ptr<llvm::Module>>
readBitcode(StringRef bitcode, llvm::LLVMContext &context, const SimChip &chip,
            const SourceSpan &where, DiagnosticSink &sink) {
  auto module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bitcode, "device code"), context);
  if (!module)
    return sink.error(DiagKind::BackendCompileFailed, where,
                      "the device code isn't LLVM bitcode: " +
                          llvm::toString(module.takeError()));
  const llvm::Triple &triple = (*module)->getTargetTriple();
  if (!isFor(triple, chip))
    return sink.error(DiagKind::BackendCompileFailed, where,
                      "the device code is for '" + triple.str() +
                          "', the simulated device is " + chip.name);
  return std::move(*module);
}

static LogicalResult verify(const llvm::Module &module, const SourceSpan &where,
                            DiagnosticSink &sink) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (!llvm::verifyModule(module, &stream))
    return success();
  return sink.error(DiagKind::BackendNotSimulated, where,
                    "the device code can't be made to run on the host: " +
                        StringRef(problems).trim());
}

void SimModule::exposeVariables(llvm::Module &module) {
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (variable.isDeclaration())
      continue;
    variable.setName("lh_sim_variable_" + Twine(variables.size()));
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setVisibility(llvm::GlobalValue::DefaultVisibility);
    variable.setComdat(nullptr);
    variable.setSection("");
    uint64_t bytes =
        module.getDataLayout().getTypeAllocSize(variable.getValueType());
    variables.push_back({variable.getName().str(), bytes});
  }
}

/// Puts loads back behind the guard that LLVM moved them ahead of, since it
/// may: a thread that doesn't use what it reads doesn't race. None moves over a
/// write or a barrier.
static void sinkLoads(llvm::Module &module) {
  llvm::PassBuilder builder;
  LlvmAnalyses analyses(builder);
  llvm::createModuleToFunctionPassAdaptor(llvm::SinkingPass())
      .run(module, analyses.modules);
}

LogicalResult SimModule::instrument(llvm::Module &module, const SimChip &chip,
                                    const llvm::TargetMachine &machine,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink) {
  sinkLoads(module);
  SimSiteTexts texts(module);
  auto found = collectKernels(module, chip, where, sink);
  if (failed(found))
    return failure();
  kernels = std::move(found->kernels);
  // What later steps add is no memory of the kernel's, and isn't checked.
  instrumentAccesses(module, texts, sites);
  instrumentLoops(module, texts, sites);
  addKernelEntries(module);
  retarget(module, machine.getTargetTriple(), machine.createDataLayout());
  placeSharedMemory(module, found->offsets);
  exposeVariables(module);
  if (failed(instrumentCalls(module, chip, texts, sites, where, sink)))
    return failure();
  return verify(module, where, sink);
}

LogicalResult SimModule::link(std::string object, const SourceSpan &where,
                              DiagnosticSink &sink) {
  std::vector<std::string> names;
  for (const SimKernel &kernel : kernels)
    names.push_back(kernelEntryName(kernel.name));
  for (const Variable &variable : variables)
    names.push_back(variable.name);
  auto linked =
      JitCode::load(std::move(object), simRuntimeSymbols(), names, where, sink);
  if (failed(linked))
    return failure();
  code = std::move(*linked);
  for (size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].module = this;
    kernels[i].run = reinterpret_cast<void (*)(void **)>(code->entry(i));
  }
  for (size_t i = 0; i < variables.size(); ++i)
    variables[i].address =
        static_cast<const char *>(code->entry(kernels.size() + i));
  return success();
}

FailureOr<std::unique_ptr<SimModule>> SimModule::load(StringRef bitcode,
                                                      const SimChip &chip,
                                                      const SourceSpan &where,
                                                      DiagnosticSink &sink) {
  llvm::LLVMContext context;
  auto module = readBitcode(bitcode, context, chip, where, sink);
  if (failed(module))
    return failure();
  showLibraryFunctions(**module);
  TargetSpec host;
  host.name = host.cpu = "host";
  auto machine = makeTargetMachine(host, detectHost(), sink);
  auto loaded = std::make_unique<SimModule>();
  if (failed(machine) ||
      failed(loaded->instrument(**module, chip, **machine, where, sink)))
    return failure();
  // Most of the time goes into the simulation: its calls need no better code.
  (*machine)->setOptLevel(llvm::CodeGenOptLevel::Less);
  auto object =
      generateCode(**module, **machine, CodeForm::Object, where, sink);
  if (failed(object) || failed(loaded->link(std::move(*object), where, sink)))
    return failure();
  return loaded;
}

const SimKernel *SimModule::findKernel(StringRef name) const {
  for (const SimKernel &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

std::vector<std::string> SimModule::kernelNames() const {
  std::vector<std::string> names;
  for (const SimKernel &kernel : kernels)
    names.push_back(kernel.name);
  return names;
}

bool SimModule::ownsMemory(const void *address, uint64_t bytes) const {
  const char *at = static_cast<const char *>(address);
  for (const Variable &variable : variables)
    if (at >= variable.address && at < variable.address + variable.bytes &&
        bytes <= uint64_t(variable.address + variable.bytes - at))
      return true;
  return false;
}
