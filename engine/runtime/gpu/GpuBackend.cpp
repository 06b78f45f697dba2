// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles kernels for a device and host code for this machine.
#include "runtime/gpu/GpuBackend.h"

#include "core/cache/FileIdentity.h"
#include "core/manifest/Words.h"
#include "runtime/cpu/CodeGeneration.h"
#include "runtime/cpu/PackedEntry.h"
#include "runtime/cpu/TargetMachine.h"
#include "runtime/cpu/Translation.h"
#include "runtime/deploy/BuildLibrary.h"
#include "runtime/deploy/Model.h"
#include "runtime/deploy/ModelObject.h"
#include "runtime/emulated/RunnerExecutable.h"
#include "runtime/gpu/DeviceCode.h"
#include "runtime/gpu/DriverApi.h"
#include "runtime/gpu/GpuExecutable.h"
#include "runtime/gpu/HostCode.h"
#include "runtime/gpu/HostRuntime.h"
#include "runtime/gpu/HostWaits.h"
#include "runtime/gpu/KernelBudget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace lh;

namespace {
class GpuBackend : public Backend {
public:
  GpuBackend(Vendor vendor, HostFacts host, DeviceTools tools,
             DeviceChoice choice)
      : vendor(vendor), host(std::move(host)), tools(std::move(tools)),
        choice(choice) {}

  StringRef name() const override { return backendName(vendor); }
  std::string unavailableReason(const TargetSpec &target) const override;
  std::string deviceLabel(const TargetSpec &target) const override;
  FailureOr<CompiledCode> generate(mlir::ModuleOp module,
                                   const TargetSpec &target, StringRef entry,
                                   const CodeUse &use, const SourceSpan &where,
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
  const DeviceProbe &probe(const Chip &chip) const;
  /// Whether what runs is the engine's own simulation, and not a driver's code.
  bool isSimulated(const TargetSpec &target) const;
  DeviceForm formToRun(bool simulated) const;
  DeviceForm formInLibrary() const {
    // PTX: later GPUs run it, too.
    return vendor == Vendor::Amd ? DeviceForm::Hsaco : DeviceForm::Assembly;
  }
  LogicalResult checkBudget(mlir::ModuleOp module, const Chip &chip,
                            const SourceSpan &where,
                            DiagnosticSink &sink) const;
  /// `library`: it becomes a part of this one; empty: of none.
  FailureOr<std::string> compileHost(mlir::ModuleOp module,
                                     const ModuleAbi &abi, StringRef library,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink) const;
  LogicalResult checkJudged(const TargetSpec &target, const Chip &chip,
                            const SourceSpan &where,
                            DiagnosticSink &sink) const;
  LibraryDevice libraryDevice(const Chip &chip) const;

  Vendor vendor;
  HostFacts host;
  DeviceTools tools;
  DeviceChoice choice;
  /// What the driver said, by what a chip is: it is asked once.
  mutable std::map<std::string, DeviceProbe> probes;
};
} // namespace

const DeviceProbe &GpuBackend::probe(const Chip &chip) const {
  auto [entry, isNew] = probes.try_emplace(chip.name + chip.features + " " +
                                           std::to_string(chip.lanes) + " " +
                                           std::to_string(chip.sharedBytes));
  if (isNew)
    entry->second = probeDevice(chip, choice);
  return entry->second;
}

std::string GpuBackend::unavailableReason(const TargetSpec &target) const {
  CollectingSink problems;
  FailureOr<Chip> chip = readChip(target, problems);
  if (failed(chip))
    return problems.diagnostics().front().message;
  bool needsDriver = choice == DeviceChoice::Real || vendor == Vendor::Vulkan;
  return needsDriver ? probe(*chip).problem : "";
}

std::string GpuBackend::deviceLabel(const TargetSpec &target) const {
  if (isSimulated(target))
    return "simulated";
  CollectingSink problems;
  FailureOr<Chip> chip = readChip(target, problems);
  bool isSoftware = succeeded(chip) && probe(*chip).isSoftware;
  return isSoftware ? "software" : "";
}

bool GpuBackend::isSimulated(const TargetSpec &target) const {
  if (vendor == Vendor::Vulkan)
    return false;
  if (choice != DeviceChoice::Auto)
    return choice == DeviceChoice::Simulated;
  CollectingSink problems; // told when it is compiled
  FailureOr<Chip> chip = readChip(target, problems);
  return failed(chip) || !probe(*chip).problem.empty();
}

DeviceForm GpuBackend::formToRun(bool simulated) const {
  if (simulated)
    return DeviceForm::Bitcode;
  if (vendor == Vendor::Amd)
    return DeviceForm::Hsaco;
  if (vendor == Vendor::Intel || vendor == Vendor::Vulkan)
    return DeviceForm::SpirV;
  // A driver compiles PTX where nothing here does.
  return tools.ptxas.empty() ? DeviceForm::Assembly : DeviceForm::Cubin;
}

/// The machine itself, as a target for the code that launches kernels.
static TargetSpec hostTarget(const HostFacts &host) {
  TargetSpec target;
  target.name = "host";
  target.triple = host.triple;
  target.cpu = "host";
  return target;
}

/// Any machine of this architecture: a library is used on others.
static TargetSpec libraryHostTarget(StringRef name, const HostFacts &host) {
  TargetSpec target = hostTarget(host);
  target.name = name.str();
  target.cpu = "generic";
  return target;
}

FailureOr<std::string> GpuBackend::compileHost(mlir::ModuleOp module,
                                               const ModuleAbi &abi,
                                               StringRef library,
                                               const SourceSpan &where,
                                               DiagnosticSink &sink) const {
  TargetSpec target =
      library.empty() ? hostTarget(host) : libraryHostTarget(library, host);
  FailureOr<TranslatedModule> translated =
      translateForTarget(module, target, host, where, sink, {"gpu"});
  if (failed(translated))
    return failure();
  llvm::Module &code = *translated->module;
  if (failed(addPackedEntries(code, abi, where, sink)))
    return failure();
  prepareHostCode(code);
  bindAllocator(code, library.empty() ? ArenaPlace::Symbol : ArenaPlace::Only);
  placeWaits(code);
  if (!library.empty())
    bindAssertions(code);
  internalizeAllButPacked(code);
  optimizeModule(code, *translated->machine);
  if (!library.empty())
    nameForLibrary(code, abi, library, setUpName());
  return generateCode(code, *translated->machine, CodeForm::Object, where,
                      sink);
}

/// Of the code that would run on real hardware, whatever runs here.
LogicalResult GpuBackend::checkBudget(mlir::ModuleOp module, const Chip &chip,
                                      const SourceSpan &where,
                                      DiagnosticSink &sink) const {
  std::optional<KernelBudget> budget = readKernelBudget(module);
  if (!budget || !needsKernels(module))
    return success();
  if (vendor == Vendor::Intel && tools.ocloc.empty()) {
    reportUnchecked("there is no 'ocloc' here", where, sink);
    return success();
  }
  if (vendor == Vendor::Vulkan) {
    reportUnchecked(
        "only a device's own compiler knows the registers of shaders", where,
        sink);
    return success();
  }
  mlir::OwningOpRef<mlir::ModuleOp> own(module.clone());
  DeviceForm form =
      vendor == Vendor::Intel ? DeviceForm::Zebin : DeviceForm::Assembly;
  FailureOr<DeviceCode> code =
      compileKernels(*own, chip, form, tools, where, sink);
  if (failed(code))
    return failure();
  return checkKernelBudget(*budget, code->assembly, chip, tools, where, sink);
}

static DeviceOpener openerOf(const Chip &chip, bool simulated,
                             DeviceChoice choice) {
  return [=](const SourceSpan &where, DiagnosticSink &sink) {
    return simulated ? openSimulation(chip, where, sink)
                     : openRealDevice(chip, choice, where, sink);
  };
}

/// A library is handed out once it has run: on a GPU, not on its simulation,
/// which takes other code.
LogicalResult GpuBackend::checkJudged(const TargetSpec &target,
                                      const Chip &chip, const SourceSpan &where,
                                      DiagnosticSink &sink) const {
  if (vendor == Vendor::Vulkan)
    return sink.error(DiagKind::BackendLibrary, where,
                      "target '" + target.name +
                          "': there are no libraries for Vulkan's devices yet");
  if (!isSimulated(target))
    return success();
  std::string reason = probe(chip).problem;
  return sink.error(DiagKind::BackendLibrary, where,
                    "a library for target '" + target.name +
                        "' is tried on such a GPU before it is handed out, and "
                        "this run has none: " +
                        (reason.empty() ? "its device is simulated" : reason));
}

FailureOr<CompiledCode>
GpuBackend::generate(mlir::ModuleOp module, const TargetSpec &target,
                     StringRef entry, const CodeUse &use,
                     const SourceSpan &where, DiagnosticSink &sink) const {
  FailureOr<Chip> chip = readChip(target, sink);
  if (failed(chip))
    return failure();
  std::string reason = unavailableReason(target);
  if (!reason.empty())
    return sink.error(DiagKind::BackendUnavailable, where,
                      "target '" + target.name + "' can't run here: " + reason);
  if (!use.library.empty() && failed(checkJudged(target, *chip, where, sink)))
    return failure();
  FailureOr<ModuleAbi> abi = readEntryAbi(module, entry, where, sink);
  if (failed(abi) || failed(checkBudget(module, *chip, where, sink)))
    return failure();
  // Other steps may go on from the module as it is.
  mlir::OwningOpRef<mlir::ModuleOp> own(module.clone());
  DeviceForm form =
      use.library.empty() ? formToRun(isSimulated(target)) : formInLibrary();
  if (needsKernels(*own) &&
      failed(compileKernels(*own, *chip, form, tools, where, sink)))
    return failure();
  FailureOr<std::string> object =
      compileHost(*own, *abi, use.library, where, sink);
  if (failed(object))
    return failure();
  return CompiledCode{std::move(*object), std::move(*abi)};
}

FailureOr<std::unique_ptr<Executable>>
GpuBackend::load(CompiledCode code, const TargetSpec &target,
                 const SourceSpan &where, DiagnosticSink &sink) const {
  FailureOr<Chip> chip = readChip(target, sink);
  if (failed(chip))
    return failure();
  bool simulated = isSimulated(target);
  std::vector<std::string> entries{packedName(code.abi.entry.name)};
  if (code.abi.prepare)
    entries.push_back(packedName(code.abi.prepare->name));
  auto program = std::make_unique<DeviceProgram>(
      openerOf(*chip, simulated, choice), simulated, entries, where);
  program->setObject(std::move(code.object));
  return makeGpuExecutable(std::move(code.abi), std::move(program), where);
}

/// What loads the kernels as they are in a library.
LibraryDevice GpuBackend::libraryDevice(const Chip &chip) const {
  LibraryDevice device;
  device.chip = chip.name;
  for (const RuntimeSymbol &symbol : hostRuntimeSymbols())
    device.functions.push_back(symbol.name.str());
  if (vendor == Vendor::Amd) {
    device.vendor = LH_AMD;
    device.leastDriver = leastHipDriver();
    return device;
  }
  int capability = static_cast<int>(computeCapability(chip.name));
  device.vendor = LH_NVIDIA;
  device.leastCapability = capability;
  device.mostCapability = INT_MAX;
  if (StringRef(chip.name).ends_with("a"))
    device.mostCapability = capability;
  device.leastDriver = leastCudaDriver(chip);
  return device;
}

FailureOr<std::unique_ptr<Executable>>
GpuBackend::loadLibrary(CompiledCode code, const LibraryFile &library,
                        StringRef folder, const TargetSpec &target,
                        const SourceSpan &where, DiagnosticSink &sink) const {
  FailureOr<Chip> chip = readChip(target, sink);
  if (failed(chip))
    return failure();
  TargetSpec machine = libraryHostTarget(target.name, host);
  LibraryDevice device = libraryDevice(*chip);
  FailureOr<std::string> built =
      buildLibrary(code, library, machine, &device, host, folder, where, sink);
  if (failed(built))
    return failure();
  RunnerLibrary loaded{std::move(*built), libraryName(library.path)};
  return loadLibraryForRunner(std::move(loaded), std::move(code.abi), machine,
                              host, where, sink);
}

std::string GpuBackend::codeFacts(const TargetSpec &target) const {
  std::string text = isSimulated(target) ? "simulated" : "real";
  FileIdentities files;
  for (const std::string *tool :
       {&tools.ptxas, &tools.libdevice, &tools.lld, &tools.ocloc})
    text += " " + files.byContents(*tool);
  // A folder of dozens of files that come with the toolkit.
  text += " '" + tools.deviceLibs + "' " + fileStatus(tools.deviceLibs) + " " +
          host.triple;
  for (const std::string &feature : host.features)
    text += " +" + feature;
  return text;
}

/// Whose GPUs run this form of device code; none for what is no such form.
static std::vector<Vendor> vendorsOf(EmitFormat format) {
  switch (format) {
  case EmitFormat::Ptx:
  case EmitFormat::Cubin:
    return {Vendor::Nvidia};
  case EmitFormat::Hsaco:
    return {Vendor::Amd};
  case EmitFormat::SpirV:
    return {Vendor::Intel, Vendor::Vulkan};
  case EmitFormat::Zebin:
    return {Vendor::Intel};
  default:
    return {};
  }
}

/// The forms of a vendor's kernels, in a sentence.
static std::string formsOf(Vendor vendor) {
  switch (vendor) {
  case Vendor::Nvidia:
    return "'ptx' or 'cubin'";
  case Vendor::Amd:
    return "'hsaco'";
  case Vendor::Intel:
    return "'spirv' or 'zebin'";
  case Vendor::Vulkan:
    return "'spirv'";
  }
  return "";
}

std::string GpuBackend::unsupportedFormat(EmitFormat format) const {
  std::vector<Vendor> owners = vendorsOf(format);
  if (!owners.empty() && !llvm::is_contained(owners, vendor))
    return ("'" + wordOf(format) + "' is for " + vendorName(owners.front()) +
            "'s GPUs, the target is " + vendorName(vendor) + "'s")
        .str();
  auto without = [](const std::string &tool, const char *text) {
    return tool.empty() ? std::string(text) : "";
  };
  switch (format) {
  case EmitFormat::Object:
    return "kernels for a GPU are " + formsOf(vendor);
  case EmitFormat::LlvmIr:
    return vendor == Vendor::Vulkan
               ? "kernels for Vulkan are never LLVM IR; 'spirv' and 'assembly' "
                 "are possible"
               : "";
  case EmitFormat::Cubin:
    return without(tools.ptxas, "there is no 'ptxas' here; 'ptx' is possible");
  case EmitFormat::Hsaco:
    return without(tools.lld, "there is no 'ld.lld' here");
  case EmitFormat::Zebin:
    return without(tools.ocloc,
                   "there is no 'ocloc' here; 'spirv' is possible");
  default:
    return "";
  }
}

static DeviceForm formOf(EmitFormat format) {
  switch (format) {
  case EmitFormat::LlvmIr:
    return DeviceForm::LlvmIr;
  case EmitFormat::Cubin:
    return DeviceForm::Cubin;
  case EmitFormat::Hsaco:
    return DeviceForm::Hsaco;
  case EmitFormat::SpirV:
    return DeviceForm::SpirV;
  case EmitFormat::Zebin:
    return DeviceForm::Zebin;
  default:
    return DeviceForm::Assembly;
  }
}

FailureOr<std::string> GpuBackend::emit(mlir::ModuleOp module,
                                        const TargetSpec &target,
                                        EmitFormat format,
                                        const SourceSpan &where,
                                        DiagnosticSink &sink) const {
  FailureOr<Chip> chip = readChip(target, sink);
  if (failed(chip) || failed(checkBudget(module, *chip, where, sink)))
    return failure();
  mlir::OwningOpRef<mlir::ModuleOp> own(module.clone());
  FailureOr<DeviceCode> code =
      compileKernels(*own, *chip, formOf(format), tools, where, sink);
  if (failed(code))
    return failure();
  return std::move(code->bytes);
}

std::unique_ptr<Backend> lh::makeGpuBackend(Vendor vendor, HostFacts host,
                                            DeviceTools tools,
                                            DeviceChoice choice) {
  return std::make_unique<GpuBackend>(vendor, std::move(host), std::move(tools),
                                      choice);
}
