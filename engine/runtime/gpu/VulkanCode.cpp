// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks shaders and writes them.
#include "runtime/gpu/VulkanCode.h"

#include "compiler/session/MlirDiagnostics.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;
namespace gpu = mlir::gpu;
namespace spirv = mlir::spirv;

/// Of what a kernel's memory holds: numbers, and arrays of them in a struct.
static int64_t bytesOf(mlir::Type type) {
  int64_t bytes = 0;
  if (auto block = mlir::dyn_cast<spirv::StructType>(type))
    for (mlir::Type member : block.getElementTypes())
      bytes += bytesOf(member);
  else if (auto array = mlir::dyn_cast<spirv::ArrayType>(type))
    bytes = array.getNumElements() * bytesOf(array.getElementType());
  else if (type.isIntOrFloat())
    bytes = (type.getIntOrFloatBitWidth() + 7) / 8;
  return bytes;
}

/// Bytes of the workgroup memory that a shader uses.
static int64_t sharedBytesOf(spirv::FuncOp shader) {
  auto module = shader->getParentOfType<spirv::ModuleOp>();
  llvm::SmallSet<StringRef, 8> seen;
  int64_t bytes = 0;
  shader.walk([&](spirv::AddressOfOp use) {
    auto variable =
        module.lookupSymbol<spirv::GlobalVariableOp>(use.getVariable());
    if (variable.storageClass() != spirv::StorageClass::Workgroup ||
        !seen.insert(use.getVariable()).second)
      return;
    auto type = mlir::cast<spirv::PointerType>(variable.getType());
    bytes += bytesOf(type.getPointeeType());
  });
  return bytes;
}

static LogicalResult checkSharedMemory(spirv::ModuleOp shaders,
                                       const Chip &chip,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  LogicalResult result = success();
  for (auto shader : shaders.getOps<spirv::FuncOp>())
    if (int64_t bytes = sharedBytesOf(shader); bytes > chip.sharedBytes)
      result =
          sink.error(DiagKind::BackendOverBudget, where,
                     "kernel '" + shader.getName() + "' uses " + Twine(bytes) +
                         " bytes of shared memory; the target has " +
                         Twine(chip.sharedBytes));
  return result;
}

/// SPIR-V 1.5, which Vulkan 1.2 takes, has in itself all that these shaders
/// need; `spirv-update-vce` finds an older version with extensions for them,
/// in which an entry lists fewer variables than `spirv-lower-abi-attrs` lists.
static void raiseVersion(spirv::ModuleOp shaders) {
  auto needs = shaders.getVceTriple();
  if (!needs)
    return;
  llvm::SmallVector<spirv::Capability> capabilities(needs->getCapabilities());
  shaders.setVceTripleAttr(spirv::VerCapExtAttr::get(
      spirv::Version::V_1_5, capabilities, llvm::ArrayRef<spirv::Extension>(),
      shaders.getContext()));
}

static FailureOr<std::string> write(spirv::ModuleOp shaders, DeviceForm form,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink) {
  std::string text;
  if (form == DeviceForm::Assembly) {
    llvm::raw_string_ostream(text) << shaders << '\n';
    return text;
  }
  MlirDiagnostics said(*shaders.getContext(), DiagKind::BackendCompileFailed,
                       where);
  llvm::SmallVector<uint32_t> words;
  bool written = succeeded(spirv::serialize(shaders, words));
  bool explained = said.hasErrors();
  said.flushTo(sink);
  if (!written)
    return explained ? LogicalResult(failure())
                     : sink.error(DiagKind::BackendCompileFailed, where,
                                  "the kernels can't be written as SPIR-V");
  text.assign(reinterpret_cast<const char *>(words.data()),
              words.size() * sizeof(uint32_t));
  return text;
}

FailureOr<DeviceCode> lh::takeShaders(mlir::ModuleOp module, const Chip &chip,
                                      DeviceForm form, const SourceSpan &where,
                                      DiagnosticSink &sink) {
  auto all = llvm::to_vector(module.getOps<spirv::ModuleOp>());
  auto kernels = *module.getOps<gpu::GPUModuleOp>().begin();
  if (all.size() != 1 || !kernels.getTargetsAttr())
    return sink.error(DiagKind::BackendNotLowered, where,
                      "the kernels aren't one 'spirv.module'; "
                      "'lib:gpu/lower-to-vulkan' makes it");
  spirv::ModuleOp shaders = all.front();
  if (failed(checkSharedMemory(shaders, chip, where, sink)))
    return failure();
  raiseVersion(shaders);
  FailureOr<std::string> bytes = write(shaders, form, where, sink);
  if (failed(bytes))
    return failure();
  mlir::OpBuilder builder(kernels);
  auto object = gpu::ObjectAttr::get(
      kernels.getContext(), kernels.getTargetsAttr()[0],
      gpu::CompilationTarget::Binary, builder.getStringAttr(""), {}, {});
  gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                        /*offloadingHandler=*/nullptr,
                        builder.getArrayAttr(object));
  kernels.erase();
  shaders.erase();
  DeviceCode code;
  code.bytes = std::move(*bytes);
  return code;
}
