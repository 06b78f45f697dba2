// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles for CPUs.
#include "runtime/CpuBackend.h"

#include "core/graph/Evaluate.h"
#include "runtime/cpu/CallClocks.h"
#include "runtime/cpu/CodeGeneration.h"
#include "runtime/cpu/CountingBuild.h"
#include "runtime/cpu/JitExecutable.h"
#include "runtime/cpu/PackedEntry.h"
#include "runtime/cpu/TargetMachine.h"
#include "runtime/cpu/ThreadRuntime.h"
#include "runtime/cpu/Translation.h"
#include "runtime/cpu/VectorLibrary.h"
#include "runtime/deploy/BuildLibrary.h"
#include "runtime/deploy/ModelObject.h"
#include "runtime/emulated/Emulation.h"
#include "runtime/emulated/Linker.h"
#include "runtime/emulated/RunnerExecutable.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <numeric>

using namespace lh;

namespace {
class CpuBackend : public Backend {
public:
  CpuBackend(HostFacts host, bool loadsLibraries)
      : host(std::move(host)), loadsLibraries(loadsLibraries) {}

  StringRef name() const override { return "cpu"; }
  std::string unavailableReason(const TargetSpec &target) const override {
    std::string missing = missingOnHost(target, host);
    if (!missing.empty())
      return isEmulated(target, host) ? whyNotEmulated(target, host) : missing;
    return threadsOf(target) > 1 ? openThreadRuntime() : "";
  }
  std::string deviceLabel(const TargetSpec &target) const override {
    bool isSimulated =
        !target.run.emulates.empty() && isEmulated(target, host);
    return isSimulated ? "simulated" : "";
  }
  FailureOr<CompiledCode> generate(mlir::ModuleOp module,
                                   const TargetSpec &target, StringRef entry,
                                   const CodeUse &use, const SourceSpan &where,
                                   DiagnosticSink &sink) const override;
  FailureOr<std::optional<ClockedCode>>
  generateClocked(mlir::ModuleOp module, const TargetSpec &target,
                  StringRef entry, const SourceSpan &where,
                  DiagnosticSink &sink) const override;
  FailureOr<std::unique_ptr<Executable>>
  load(CompiledCode code, const TargetSpec &target, const SourceSpan &where,
       DiagnosticSink &sink) const override;
  FailureOr<std::unique_ptr<Executable>>
  loadLibrary(CompiledCode code, const LibraryFile &library, StringRef folder,
              const TargetSpec &target, const SourceSpan &where,
              DiagnosticSink &sink) const override;
  std::string codeFacts(const TargetSpec &target) const override;
  std::string unsupportedFormat(EmitFormat format) const override;
  FailureOr<std::string> emit(mlir::ModuleOp module, const TargetSpec &target,
                              EmitFormat format, const SourceSpan &where,
                              DiagnosticSink &sink) const override;

private:
  /// What can't run here runs under an emulator, if at all.
  bool runsHere(const TargetSpec &target) const {
    return missingOnHost(target, host).empty();
  }
  LogicalResult checkAvailable(const TargetSpec &target,
                               const SourceSpan &where,
                               DiagnosticSink &sink) const;

  HostFacts host;
  bool loadsLibraries;
};
} // namespace

LogicalResult CpuBackend::checkAvailable(const TargetSpec &target,
                                         const SourceSpan &where,
                                         DiagnosticSink &sink) const {
  std::string reason = unavailableReason(target);
  if (reason.empty())
    return success();
  return sink.error(DiagKind::BackendUnavailable, where,
                    "target '" + target.name + "' can't run here: " + reason);
}

/// Ready for a machine: with memory and failures seen to, and optimized.
/// `isForThisProcess`: not for a runner, or a library.
static void finish(llvm::Module &code, llvm::TargetMachine &machine,
                   bool isForThisProcess) {
  bindAllocator(code, isForThisProcess ? ArenaPlace::Symbol : ArenaPlace::Only);
  if (!isForThisProcess)
    bindAssertions(code);
  internalizeAllButPacked(code);
  optimizeModule(code, machine);
}

/// `object` and the kernels that are object files, as one.
static FailureOr<std::string> withKernels(FailureOr<std::string> object,
                                          ArrayRef<KernelBody> kernels,
                                          const SourceSpan &where,
                                          DiagnosticSink &sink) {
  std::vector<StringRef> objects;
  for (const KernelBody &kernel : kernels)
    if (kernel.code.form == KernelCode::Form::Object)
      objects.push_back(kernel.code.bytes);
  if (failed(object) || object->empty() || objects.empty())
    return object;
  objects.insert(objects.begin(), *object);
  return joinObjects(objects, where, sink);
}

static std::vector<KernelLibrary> librariesOf(ArrayRef<KernelBody> kernels) {
  std::vector<KernelLibrary> libraries;
  for (const KernelBody &kernel : kernels)
    if (kernel.code.form == KernelCode::Form::Library)
      libraries.push_back(
          {kernel.code.path, kernel.code.bytes, kernel.functions});
  return libraries;
}

/// The elements that a call takes and gives; nothing if they vary.
static std::optional<int64_t> elementsOf(const EntryAbi &entry) {
  int64_t elements = 0;
  auto add = [&](const TensorSignature &tensor) {
    elements += std::accumulate(tensor.shape.begin(), tensor.shape.end(),
                                int64_t(1), std::multiplies<>());
    return tensor.isStatic();
  };
  for (const EntryArgument &argument : entry.arguments)
    if (!add(argument.tensor))
      return std::nullopt;
  if (!llvm::all_of(entry.results, add))
    return std::nullopt;
  return elements;
}

/// A call of so few elements takes less time than LLVM's code generator does
/// with its own optimizations, even in code made without. (Runs of small models
/// then take 9 to 30 % less processor time.)
static constexpr int64_t fewElements = int64_t(1) << 18;

/// Without them LLVM 22 fails on AMX's tiles that a loop carries.
static bool mayStayUnoptimized(const llvm::TargetMachine &machine) {
  return !machine.getTargetFeatureString().contains("+amx-tile");
}

/// The entry of optimized code once more, with counters; it is called once.
static FailureOr<std::string> countingObject(const llvm::Module &code,
                                             const ModuleAbi &abi,
                                             llvm::TargetMachine &machine,
                                             const SourceSpan &where,
                                             DiagnosticSink &sink) {
  std::unique_ptr<llvm::Module> counting = llvm::CloneModule(code);
  if (abi.prepare)
    dropPackedEntry(*counting, abi.prepare->name);
  addCounters(*counting, machine);
  std::optional<int64_t> elements = elementsOf(abi.entry);
  auto level =
      elements && *elements <= fewElements && mayStayUnoptimized(machine)
          ? llvm::CodeGenOptLevel::None
          : llvm::CodeGenOptLevel::Default;
  std::unique_ptr<llvm::TargetMachine> quick(
      machine.getTarget().createTargetMachine(
          machine.getTargetTriple(), machine.getTargetCPU(),
          machine.getTargetFeatureString(), machine.Options,
          machine.getRelocationModel(), machine.getCodeModel(), level));
  return generateCode(*counting, *quick, CodeForm::Object, where, sink);
}

FailureOr<CompiledCode>
CpuBackend::generate(mlir::ModuleOp module, const TargetSpec &target,
                     StringRef entry, const CodeUse &use,
                     const SourceSpan &where, DiagnosticSink &sink) const {
  if (failed(checkAvailable(target, where, sink)))
    return failure();
  FailureOr<ModuleAbi> abi = readEntryAbi(module, entry, where, sink);
  if (failed(abi))
    return failure();
  FailureOr<TranslatedModule> translated =
      translateForTarget(module, target, host, where, sink);
  if (failed(translated))
    return failure();
  llvm::Module &code = *translated->module;
  llvm::TargetMachine &machine = *translated->machine;
  if (failed(addPackedEntries(code, *abi, where, sink)))
    return failure();
  CompiledCode compiled;
  compiled.usesThreads = callsThreadRuntime(code);
  bool isPartOfLibrary = !use.library.empty();
  finish(code, machine, runsHere(target) && !isPartOfLibrary);
  if (isPartOfLibrary)
    nameForLibrary(code, *abi, use.library);
  // Under an emulator it would take as long again as the run itself.
  FailureOr<std::string> counting =
      use.counts && runsHere(target) && !isPartOfLibrary
          ? countingObject(code, *abi, machine, where, sink)
          : std::string();
  counting = withKernels(std::move(counting), translated->kernels, where, sink);
  FailureOr<std::string> object =
      withKernels(generateCode(code, machine, CodeForm::Object, where, sink),
                  translated->kernels, where, sink);
  if (failed(object) || failed(counting))
    return failure();
  compiled.libraries = librariesOf(translated->kernels);
  compiled.usesVectorLibrary = callsVectorLibrary(code);
  compiled.object = std::move(*object);
  compiled.countingObject = std::move(*counting);
  compiled.abi = std::move(*abi);
  return compiled;
}

FailureOr<std::optional<ClockedCode>>
CpuBackend::generateClocked(mlir::ModuleOp module, const TargetSpec &target,
                            StringRef entry, const SourceSpan &where,
                            DiagnosticSink &sink) const {
  if (!runsHere(target))
    return std::optional<ClockedCode>();
  FailureOr<ModuleAbi> abi = readEntryAbi(module, entry, where, sink);
  if (failed(abi))
    return failure();
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
  ClockedCode clocked;
  clocked.pieces =
      addClocks(*copy, entry, StringRef(host.arch).starts_with("x86"));
  if (clocked.pieces.empty())
    return std::optional<ClockedCode>();
  FailureOr<TranslatedModule> translated =
      translateForTarget(*copy, target, host, where, sink);
  if (failed(translated) ||
      failed(addPackedEntries(*translated->module, *abi, where, sink)))
    return failure();
  finish(*translated->module, *translated->machine, /*runsHere=*/true);
  FailureOr<std::string> object =
      withKernels(generateCode(*translated->module, *translated->machine,
                               CodeForm::Object, where, sink),
                  translated->kernels, where, sink);
  if (failed(object))
    return failure();
  clocked.object = std::move(*object);
  return std::optional(std::move(clocked));
}

FailureOr<std::unique_ptr<Executable>>
CpuBackend::load(CompiledCode code, const TargetSpec &target,
                 const SourceSpan &where, DiagnosticSink &sink) const {
  if (failed(checkAvailable(target, where, sink)))
    return failure();
  if (!code.libraries.empty() && !loadsLibraries)
    return sink.error(DiagKind::PlanNotAllowed, where,
                      "the code calls a kernel in a shared library, which is "
                      "loaded only with --allow-exec");
  if (!runsHere(target) && !code.libraries.empty())
    return sink.error(DiagKind::BackendBadKernel, where,
                      "the code for target '" + target.name +
                          "' calls a kernel in a shared library, which an "
                          "emulator can't load; object files, C and LLVM IR "
                          "are linked");
  if (!runsHere(target))
    return loadForRunner(code.object, std::move(code.abi), target, host, where,
                         sink);
  std::string why = code.usesThreads ? openThreadRuntime() : "";
  if (why.empty() && code.usesVectorLibrary)
    why = openVectorLibrary();
  if (!why.empty())
    return sink.error(DiagKind::BackendUnavailable, where,
                      "the code for target '" + target.name +
                          "' can't run here: " + why);
  return loadExecutable(std::move(code), where, sink);
}

FailureOr<std::unique_ptr<Executable>>
CpuBackend::loadLibrary(CompiledCode code, const LibraryFile &library,
                        StringRef folder, const TargetSpec &target,
                        const SourceSpan &where, DiagnosticSink &sink) const {
  if (failed(checkAvailable(target, where, sink)))
    return failure();
  FailureOr<std::string> built =
      buildLibrary(code, library, target, nullptr, host, folder, where, sink);
  if (failed(built))
    return failure();
  RunnerLibrary loaded{std::move(*built), libraryName(library.path)};
  return loadLibraryForRunner(std::move(loaded), std::move(code.abi), target,
                              host, where, sink);
}

std::string CpuBackend::codeFacts(const TargetSpec &target) const {
  std::string text = runsHere(target) ? "runs here" : "is emulated";
  // Its features, not its name: hypervisors give one CPU several.
  text += " " + host.arch + " " + host.triple;
  for (const std::string &feature : host.features)
    text += " +" + feature;
  for (const std::string &feature : host.absent)
    text += " -" + feature;
  return text;
}

std::string CpuBackend::unsupportedFormat(EmitFormat format) const {
  switch (format) {
  case EmitFormat::Mlir:
  case EmitFormat::LlvmIr:
  case EmitFormat::Assembly:
  case EmitFormat::Object:
  case EmitFormat::SharedLibrary:
    return "";
  case EmitFormat::Ptx:
  case EmitFormat::Cubin:
  case EmitFormat::Hsaco:
  case EmitFormat::SpirV:
  case EmitFormat::Zebin:
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
  if (format == EmitFormat::SharedLibrary)
    reason = "a library is more than a module's code: loadLibrary() builds it";
  if (!reason.empty())
    return sink.error(DiagKind::BackendEmitUnsupported, where,
                      "can't emit this format for target '" + target.name +
                          "': " + reason);
  FailureOr<TranslatedModule> translated =
      translateForTarget(module, target, host, where, sink);
  if (failed(translated))
    return failure();
  if (format == EmitFormat::LlvmIr)
    return printModule(*translated->module);
  optimizeModule(*translated->module, *translated->machine);
  CodeForm form =
      format == EmitFormat::Assembly ? CodeForm::Assembly : CodeForm::Object;
  FailureOr<std::string> code = generateCode(
      *translated->module, *translated->machine, form, where, sink);
  return form == CodeForm::Object
             ? withKernels(std::move(code), translated->kernels, where, sink)
             : std::move(code);
}

std::unique_ptr<Backend> lh::makeCpuBackend(HostFacts host,
                                            bool loadsLibraries) {
  return std::make_unique<CpuBackend>(std::move(host), loadsLibraries);
}
