// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs MLIR's serialization of gpu.module and the assemblers after it.
#include "runtime/gpu/DeviceCode.h"

#include "compiler/gaps/gpu/KernelModules.h"
#include "compiler/session/MlirDiagnostics.h"
#include "runtime/cpu/TargetMachine.h"
#include "runtime/gpu/Assembler.h"
#include "runtime/gpu/IntelAssembler.h"
#include "runtime/gpu/SpirVCode.h"
#include "runtime/gpu/VulkanCode.h"
#include "runtime/sim/LibraryFunctions.h"

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/LLVMIR/XeVMDialect.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;
namespace gpu = mlir::gpu;

namespace {
/// One compilation. Everything is borrowed.
class KernelCompiler {
public:
  KernelCompiler(const Chip &chip, DeviceForm form, const DeviceTools &tools,
                 const SourceSpan &where, DiagnosticSink &sink)
      : chip(chip), form(form), tools(tools), where(where), sink(sink) {}

  FailureOr<DeviceCode> compile(mlir::ModuleOp module);

private:
  LogicalResult checkLibraries(gpu::GPUModuleOp kernels);
  LogicalResult serialize(mlir::ModuleOp module, DeviceCode &code);
  LogicalResult serializeSpirV(gpu::GPUModuleOp kernels, DeviceCode &code);
  LogicalResult disassemble(std::string &bytes);
  LogicalResult assemble(DeviceCode &code);
  mlir::Attribute targetAttribute(mlir::MLIRContext *context) const;
  gpu::CompilationTarget serializedForm() const;

  const Chip &chip;
  DeviceForm form;
  const DeviceTools &tools;
  const SourceSpan &where;
  DiagnosticSink &sink;
  bool callsLibrary = false;
};
} // namespace

mlir::Attribute
KernelCompiler::targetAttribute(mlir::MLIRContext *context) const {
  constexpr int optimizationLevel = 3;
  switch (chip.vendor) {
  case Vendor::Nvidia:
    return mlir::NVVM::NVVMTargetAttr::get(context, optimizationLevel,
                                           "nvptx64-nvidia-cuda", chip.name,
                                           chip.features);
  case Vendor::Amd:
    // Code objects of ABI 5: the newest that every ROCm since 5.3 loads.
    return mlir::ROCDL::ROCDLTargetAttr::get(context, optimizationLevel,
                                             "amdgcn-amd-amdhsa", chip.name,
                                             chip.features, "500");
  case Vendor::Intel:
    return mlir::xevm::XeVMTargetAttr::get(
        context, optimizationLevel, spirvTriple, chip.name,
        /*flags=*/nullptr, /*linkFiles=*/nullptr);
  case Vendor::Vulkan:
    break; // its lowering has put one on the kernels
  }
  return nullptr;
}

/// The names of the library functions that the kernels call.
static std::string calledFunctions(gpu::GPUModuleOp kernels) {
  std::string names;
  for (auto function : kernels.getOps<mlir::LLVM::LLVMFuncOp>())
    if (function.isExternal() && isLibraryFunction(function.getName()))
      names += (names.empty() ? "'" : ", '") + function.getName().str() + "'";
  return names;
}

LogicalResult KernelCompiler::checkLibraries(gpu::GPUModuleOp kernels) {
  std::string names = calledFunctions(kernels);
  callsLibrary = !names.empty();
  bool isNvidia = chip.vendor == Vendor::Nvidia;
  const std::string &library = isNvidia ? tools.libdevice : tools.deviceLibs;
  // A simulated device has such functions itself.
  if (!callsLibrary || !library.empty() || form == DeviceForm::Bitcode)
    return success();
  return sink.error(
      DiagKind::BackendToolNotFound, where,
      "the kernels call " + names + ", which " +
          (isNvidia ? "NVIDIA's 'libdevice.10.bc' has; CUDA_HOME must name a "
                      "CUDA toolkit with it"
                    : "AMD's device libraries have; ROCM_PATH must name a "
                      "folder with 'amdgcn/bitcode'") +
          ", or the math functions be replaced before ('lh-approximate-math')");
}

gpu::CompilationTarget KernelCompiler::serializedForm() const {
  if (form == DeviceForm::Bitcode || form == DeviceForm::LlvmIr)
    return gpu::CompilationTarget::Offload;
  // ptxas and ocloc are run here, where their reports can be read.
  return form == DeviceForm::Assembly || form == DeviceForm::Cubin
             ? gpu::CompilationTarget::Assembly
             : gpu::CompilationTarget::Binary;
}

/// Hides library functions from MLIR's serializers, which would link the
/// library, or fail without it.
static void hideLibraryFunctions(gpu::GPUModuleOp kernels) {
  for (auto function : kernels.getOps<mlir::LLVM::LLVMFuncOp>()) {
    if (!function.isExternal() || !isLibraryFunction(function.getName()))
      continue;
    auto name = mlir::StringAttr::get(kernels.getContext(),
                                      hiddenMark + function.getName());
    (void)mlir::SymbolTable::replaceAllSymbolUses(function, name, kernels);
    function.setName(name);
  }
}

namespace {
/// While it lives, LLVM leaves computations where they are. What a guard alone
/// uses it would move behind that guard, in its optimiser and its code
/// generator alike: the last products of a sum, say, with all their factors in
/// registers until then, which spill.
class LeftInPlace {
public:
  LeftInPlace() { set(/*moves=*/false); }
  ~LeftInPlace() { set(/*moves=*/true); }
  LeftInPlace(const LeftInPlace &) = delete;
  LeftInPlace &operator=(const LeftInPlace &) = delete;

private:
  /// LLVM has no other way to it than the command line's.
  static void set(bool moves) {
    set("instcombine-code-sinking", moves);
    set("disable-machine-sink", !moves);
  }

  static void set(StringRef name, bool value) {
    if (llvm::cl::Option *option =
            llvm::cl::getRegisteredOptions().lookup(name))
      static_cast<llvm::cl::opt<bool> *>(option)->setValue(value);
  }
};
} // namespace

/// Puts the text of bitcode in its place.
LogicalResult KernelCompiler::disassemble(std::string &bytes) {
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bytes, "device code"), context);
  if (!module)
    return sink.error(DiagKind::BackendCompileFailed, where,
                      llvm::toString(module.takeError()));
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, nullptr);
  bytes = std::move(text);
  return success();
}

/// Fills in both members; `bytes` is what MLIR makes of the form.
LogicalResult KernelCompiler::serialize(mlir::ModuleOp module,
                                        DeviceCode &code) {
  ToolkitFolder toolkit(tools);
  bool simulates = form == DeviceForm::Bitcode;
  auto prepare = [](llvm::Module &initial) { allowFusion(initial); };
  auto keepAssembly = [&](StringRef text) { code.assembly = text.str(); };
  // NVIDIA's serializer fails where a toolkit has no libdevice, needed or not.
  bool isNvidia = chip.vendor == Vendor::Nvidia;
  StringRef folder =
      isNvidia && (!callsLibrary || simulates) ? "" : toolkit.path();
  gpu::TargetOptions options(folder, {}, "", "", serializedForm(), {}, prepare,
                             {}, {}, keepAssembly);
  MlirDiagnostics said(*module.getContext(), DiagKind::BackendCompileFailed,
                       where);
  LeftInPlace unmoved;
  bool good =
      succeeded(gpu::transformGpuModulesToBinaries(module, nullptr, options));
  bool explained = said.hasErrors();
  said.flushTo(sink);
  if (!good)
    return explained ? failure()
                     : sink.error(DiagKind::BackendCompileFailed, where,
                                  "the kernels can't be compiled for '" +
                                      chip.name + "'");
  auto binary = *module.getOps<gpu::BinaryOp>().begin();
  auto object = mlir::cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  code.bytes = object.getObject().getValue().str();
  if (form == DeviceForm::LlvmIr)
    return disassemble(code.bytes);
  // AMD's serializer has no callback for it.
  if (form == DeviceForm::Assembly)
    code.assembly = code.bytes;
  return success();
}

/// The same for SPIR-V, from LLVM's own backend.
LogicalResult KernelCompiler::serializeSpirV(gpu::GPUModuleOp kernels,
                                             DeviceCode &code) {
  FailureOr<std::string> bytes = compileSpirV(kernels, form, where, sink);
  if (failed(bytes))
    return failure();
  code.bytes = std::move(*bytes);
  mlir::OpBuilder builder(kernels);
  auto object = gpu::ObjectAttr::get(
      kernels.getContext(), targetAttribute(kernels.getContext()),
      gpu::CompilationTarget::Binary, builder.getStringAttr(""), {}, {});
  gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                        /*offloadingHandler=*/nullptr,
                        builder.getArrayAttr(object));
  kernels.erase();
  return success();
}

LogicalResult KernelCompiler::assemble(DeviceCode &code) {
  if (form == DeviceForm::Zebin) {
    FailureOr<Zebin> native =
        assembleSpirV(code.bytes, chip.name, tools, where, sink);
    if (failed(native))
      return failure();
    code = {std::move(native->bytes), std::move(native->info)};
  }
  if (form != DeviceForm::Cubin)
    return success();
  FailureOr<std::string> bytes =
      assemblePtx(code.assembly, chip.name, tools, where, sink);
  if (failed(bytes))
    return failure();
  code.bytes = std::move(*bytes);
  return success();
}

/// One way to load for all: by address and size, whatever the bytes are.
static void setImage(mlir::ModuleOp module, StringRef bytes) {
  auto binary = *module.getOps<gpu::BinaryOp>().begin();
  auto former = mlir::cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  mlir::MLIRContext *context = module.getContext();
  auto object = gpu::ObjectAttr::get(
      context, former.getTarget(), gpu::CompilationTarget::Binary,
      mlir::StringAttr::get(context, bytes), {}, {});
  binary.setObjectsAttr(mlir::ArrayAttr::get(context, object));
}

FailureOr<DeviceCode> KernelCompiler::compile(mlir::ModuleOp module) {
  gpu::GPUModuleOp kernels = joinKernelModules(module);
  if (!kernels)
    return sink.error(DiagKind::BackendNotLowered, where,
                      "the module has no 'gpu.module': nothing would run on "
                      "the GPU; loops must be mapped to 'gpu.launch' and "
                      "outlined");
  if (chip.vendor == Vendor::Vulkan) {
    FailureOr<DeviceCode> shaders =
        takeShaders(module, chip, form, where, sink);
    if (succeeded(shaders))
      setImage(module, shaders->bytes);
    return shaders;
  }
  if (failed(checkLibraries(kernels)))
    return failure();
  initializeTargets();
  llvm::InitializeAllAsmParsers();
  mlir::MLIRContext *context = module.getContext();
  kernels.setTargetsAttr(
      mlir::ArrayAttr::get(context, targetAttribute(context)));
  if (form == DeviceForm::Bitcode)
    hideLibraryFunctions(kernels);
  DeviceCode code;
  LogicalResult serialized = chip.vendor == Vendor::Intel
                                 ? serializeSpirV(kernels, code)
                                 : serialize(module, code);
  if (failed(serialized) || failed(assemble(code)))
    return failure();
  setImage(module, code.bytes);
  return code;
}

/// Whether a block comes after one that it goes to, or is that one.
static bool hasLoop(mlir::LLVM::LLVMFuncOp function) {
  llvm::SmallPtrSet<mlir::Block *, 16> seen;
  for (mlir::Block &block : function.getBody()) {
    seen.insert(&block);
    if (llvm::any_of(block.getSuccessors(),
                     [&](mlir::Block *next) { return seen.contains(next); }))
      return true;
  }
  return false;
}

bool lh::needsKernels(mlir::ModuleOp module) {
  return !module.getOps<gpu::GPUModuleOp>().empty() ||
         llvm::any_of(module.getOps<mlir::LLVM::LLVMFuncOp>(), hasLoop);
}

FailureOr<DeviceCode> lh::compileKernels(mlir::ModuleOp module,
                                         const Chip &chip, DeviceForm form,
                                         const DeviceTools &tools,
                                         const SourceSpan &where,
                                         DiagnosticSink &sink) {
  return KernelCompiler(chip, form, tools, where, sink).compile(module);
}
