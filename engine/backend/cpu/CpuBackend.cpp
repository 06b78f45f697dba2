// Compiles for CPUs.
#include "backend/cpu/CpuBackend.h"

#include "backend/cpu/Arena.h"
#include "backend/cpu/CodeGeneration.h"
#include "backend/cpu/JitExecutable.h"
#include "backend/cpu/PackedEntry.h"
#include "backend/cpu/TargetMachine.h"
#include "backend/cpu/ThreadRuntime.h"
#include "backend/cpu/Translation.h"
#include "backend/runner/Emulation.h"
#include "backend/runner/RunnerExecutable.h"
#include "graph/Evaluate.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace lh;

namespace {
class CpuBackend : public Backend {
public:
  explicit CpuBackend(HostFacts host) : host(std::move(host)) {}

  StringRef name() const override { return "cpu"; }
  std::string unavailableReason(const TargetSpec &target) const override {
    std::string missing = missingOnHost(target, host);
    if (!missing.empty())
      return isEmulated(target, host) ? whyNotEmulated(target, host) : missing;
    return threadsOf(target) > 1 ? openThreadRuntime() : "";
  }
  FailureOr<std::unique_ptr<Executable>>
  compile(mlir::ModuleOp module, const TargetSpec &target, StringRef entry,
          const SourceSpan &where, DiagnosticSink &sink) const override;
  std::string unsupportedFormat(EmitFormat format) const override;
  FailureOr<std::string> emit(mlir::ModuleOp module, const TargetSpec &target,
                              EmitFormat format, const SourceSpan &where,
                              DiagnosticSink &sink) const override;

private:
  FailureOr<std::unique_ptr<Executable>>
  compileForHere(llvm::Module &code, llvm::TargetMachine &machine,
                 ModuleAbi abi, const TargetSpec &target,
                 const SourceSpan &where, DiagnosticSink &sink) const;
  FailureOr<std::unique_ptr<Executable>>
  compileForRunner(llvm::Module &code, llvm::TargetMachine &machine,
                   ModuleAbi abi, const TargetSpec &target,
                   const SourceSpan &where, DiagnosticSink &sink) const;

  HostFacts host;
};
} // namespace

static LogicalResult addPackedEntries(llvm::Module &module,
                                      const ModuleAbi &abi,
                                      const SourceSpan &where,
                                      DiagnosticSink &sink) {
  if (failed(addPackedEntry(module, abi.entry, where, sink)))
    return failure();
  if (abi.prepare && failed(addPackedEntry(module, *abi.prepare, where, sink)))
    return failure();
  return success();
}

FailureOr<std::unique_ptr<Executable>>
CpuBackend::compile(mlir::ModuleOp module, const TargetSpec &target,
                    StringRef entry, const SourceSpan &where,
                    DiagnosticSink &sink) const {
  std::string reason = unavailableReason(target);
  if (!reason.empty())
    return sink.error(DiagKind::BackendUnavailable, where,
                      "target '" + target.name + "' can't run here: " + reason);
  FailureOr<ModuleAbi> abi = readEntryAbi(module, entry, where, sink);
  if (failed(abi))
    return failure();
  auto machine = makeTargetMachine(target, host, sink);
  if (failed(machine))
    return failure();
  FailureOr<TranslatedModule> translated =
      translateForTarget(module, **machine, target, where, sink);
  if (failed(translated))
    return failure();
  llvm::Module &code = *translated->module;
  if (failed(addPackedEntries(code, *abi, where, sink)))
    return failure();
  // What can't run here was found to run under an emulator.
  if (!missingOnHost(target, host).empty())
    return compileForRunner(code, **machine, std::move(*abi), target, where,
                            sink);
  return compileForHere(code, **machine, std::move(*abi), target, where, sink);
}

FailureOr<std::unique_ptr<Executable>>
CpuBackend::compileForRunner(llvm::Module &code, llvm::TargetMachine &machine,
                             ModuleAbi abi, const TargetSpec &target,
                             const SourceSpan &where,
                             DiagnosticSink &sink) const {
  bindAllocator(code, nullptr);
  bindAssertions(code);
  internalizeAllButPacked(code);
  optimizeModule(code, machine);
  FailureOr<std::string> object =
      generateCode(code, machine, CodeForm::Object, where, sink);
  if (failed(object))
    return failure();
  return loadForRunner(*object, std::move(abi), target, host, where, sink);
}

FailureOr<std::unique_ptr<Executable>>
CpuBackend::compileForHere(llvm::Module &code, llvm::TargetMachine &machine,
                           ModuleAbi abi, const TargetSpec &target,
                           const SourceSpan &where,
                           DiagnosticSink &sink) const {
  if (std::string why = callsThreadRuntime(code) ? openThreadRuntime() : "";
      !why.empty())
    return sink.error(DiagKind::BackendUnavailable, where,
                      "the code for target '" + target.name +
                          "' can't run here: " + why);
  auto arena = std::make_unique<Arena>();
  bindAllocator(code, arena.get());
  internalizeAllButPacked(code);
  optimizeModule(code, machine);
  FailureOr<std::string> object =
      generateCode(code, machine, CodeForm::Object, where, sink);
  if (failed(object))
    return failure();
  return loadExecutable(std::move(*object), std::move(abi), std::move(arena),
                        where, sink);
}

std::string CpuBackend::unsupportedFormat(EmitFormat format) const {
  switch (format) {
  case EmitFormat::Mlir:
  case EmitFormat::LlvmIr:
  case EmitFormat::Assembly:
  case EmitFormat::Object:
    return "";
  case EmitFormat::SharedLibrary:
    return "shared libraries are not supported yet; 'object' is";
  case EmitFormat::Ptx:
  case EmitFormat::Cubin:
  case EmitFormat::Hsaco:
    return "that is device code of a GPU, the target is a CPU";
  }
  return "";
}

FailureOr<std::string> CpuBackend::emit(mlir::ModuleOp module,
                                        const TargetSpec &target,
                                        EmitFormat format,
                                        const SourceSpan &where,
                                        DiagnosticSink &sink) const {
  std::string reason = unsupportedFormat(format);
  if (!reason.empty())
    return sink.error(DiagKind::BackendEmitUnsupported, where,
                      "can't emit this format for target '" + target.name +
                          "': " + reason);
  auto machine = makeTargetMachine(target, host, sink);
  if (failed(machine))
    return failure();
  FailureOr<TranslatedModule> translated =
      translateForTarget(module, **machine, target, where, sink);
  if (failed(translated))
    return failure();
  if (format == EmitFormat::LlvmIr)
    return printModule(*translated->module);
  optimizeModule(*translated->module, **machine);
  CodeForm form =
      format == EmitFormat::Assembly ? CodeForm::Assembly : CodeForm::Object;
  return generateCode(*translated->module, **machine, form, where, sink);
}

std::unique_ptr<Backend> lh::makeCpuBackend(HostFacts host) {
  return std::make_unique<CpuBackend>(std::move(host));
}
