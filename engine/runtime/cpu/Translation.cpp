// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs MLIR's translation and reports what it says.
#include "runtime/cpu/Translation.h"

#include "compiler/session/MlirDiagnostics.h"
#include "runtime/cpu/LinkKernels.h"
#include "runtime/cpu/TargetMachine.h"
#include "runtime/cpu/VectorLibrary.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <set>

using namespace lh;

TranslatedModule::TranslatedModule() = default;
TranslatedModule::TranslatedModule(TranslatedModule &&) noexcept = default;
TranslatedModule &
TranslatedModule::operator=(TranslatedModule &&) noexcept = default;
TranslatedModule::~TranslatedModule() = default;

/// Names each kind of op that has no translation, once.
static LogicalResult checkLowered(mlir::ModuleOp module,
                                  ArrayRef<StringRef> alsoTranslated,
                                  const SourceSpan &where,
                                  DiagnosticSink &sink) {
  std::set<std::string> left;
  module.walk([&](mlir::Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    static constexpr StringRef known[] = {"llvm", "builtin", "omp", "arm_sme"};
    if (!llvm::is_contained(known, dialect) &&
        !llvm::is_contained(alsoTranslated, dialect))
      left.insert(op->getName().getStringRef().str());
  });
  if (left.empty())
    return success();
  std::string names;
  for (const std::string &name : left)
    names += (names.empty() ? "'" : ", '") + name + "'";
  return sink.error(DiagKind::BackendNotLowered, where,
                    "the module still has " + names +
                        "; everything must be in the 'llvm' dialect before "
                        "it is compiled");
}

/// LLVM 22 aborts on scalable vectors whose least number of elements is no
/// power of two.
static bool abortsLlvm(mlir::Type type) {
  bool found = false;
  type.walk([&](mlir::VectorType vector) {
    found |=
        vector.isScalable() &&
        !llvm::isPowerOf2_64(static_cast<uint64_t>(vector.getShape().back()));
  });
  return found;
}

/// Names the first op with such a vector; the rest follow from it.
static LogicalResult checkVectors(mlir::ModuleOp module,
                                  const SourceSpan &where,
                                  DiagnosticSink &sink) {
  mlir::Operation *bad = nullptr;
  module.walk([&](mlir::Operation *op) {
    if (!llvm::any_of(op->getResultTypes(), abortsLlvm))
      return mlir::WalkResult::advance();
    bad = op;
    return mlir::WalkResult::interrupt();
  });
  if (!bad)
    return success();
  std::string type;
  llvm::raw_string_ostream stream(type);
  (*llvm::find_if(bad->getResultTypes(), abortsLlvm)).print(stream);
  return sink.error(DiagKind::BackendCompileFailed, where,
                    "the module computes a '" + type +
                        "'; LLVM can't generate code for scalable vectors "
                        "whose size is no power of two",
                    {{spanOf(bad->getLoc()), "by this"}});
}

/// How wide LLVM's vectorizers may go; some CPUs' own default is 256 bits.
static void setVectorWidth(llvm::Module &module, const TargetSpec &target) {
  auto fact = target.facts.find("vector_bits");
  if (fact == target.facts.end() ||
      !std::holds_alternative<int64_t>(fact->second.value))
    return;
  std::string bits = std::to_string(std::get<int64_t>(fact->second.value));
  for (llvm::Function &function : module)
    if (!function.isDeclaration() &&
        !function.hasFnAttribute("prefer-vector-width"))
      function.addFnAttr("prefer-vector-width", bits);
}

/// How long scalable vectors can be; the optimizer counts on it.
static void setScaleRange(llvm::Module &module, const TargetSpec &target) {
  auto fact = target.facts.find("vscale_range");
  if (fact == target.facts.end())
    return;
  const auto *range = std::get_if<std::vector<int64_t>>(&fact->second.value);
  if (!range || range->size() != 2)
    return;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(
          module.getContext(), static_cast<unsigned>(range->front()),
          static_cast<unsigned>(range->back())));
}

/// Whose costs the code generator weighs, where `cpu` says only what it may
/// use.
static void setTuning(llvm::Module &module, const TargetSpec &target) {
  auto fact = target.facts.find("tuned_for");
  if (fact == target.facts.end())
    return;
  if (const auto *core = std::get_if<std::string>(&fact->second.value))
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr("tune-cpu", *core);
}

FailureOr<TranslatedModule>
lh::translateForTarget(mlir::ModuleOp module, const TargetSpec &target,
                       const HostFacts &host, const SourceSpan &where,
                       DiagnosticSink &sink,
                       ArrayRef<StringRef> alsoTranslated) {
  auto machine = makeTargetMachine(target, host, sink);
  if (failed(machine) ||
      failed(checkLowered(module, alsoTranslated, where, sink)) ||
      failed(checkVectors(module, where, sink)))
    return failure();
  MlirDiagnostics said(*module.getContext(), DiagKind::BackendCompileFailed,
                       where);
  TranslatedModule translated;
  translated.machine = std::move(*machine);
  translated.context = std::make_unique<llvm::LLVMContext>();
  translated.module =
      mlir::translateModuleToLLVMIR(module, *translated.context, "lh");
  said.flushTo(sink);
  if (!translated.module && said.hasErrors())
    return failure();
  if (!translated.module)
    return sink.error(DiagKind::BackendCompileFailed, where,
                      "the module can't be translated to LLVM IR");
  translated.module->setTargetTriple(translated.machine->getTargetTriple());
  translated.module->setDataLayout(translated.machine->createDataLayout());
  translated.kernels = kernelBodies(module);
  if (failed(noteVectorLibrary(module, *translated.module, *translated.machine,
                               where, sink)) ||
      failed(linkKernels(translated.kernels, *translated.module, where, sink)))
    return failure();
  llvm::erase_if(translated.kernels, [](const KernelBody &body) {
    return body.code.form == KernelCode::Form::Bitcode;
  });
  setVectorWidth(*translated.module, target);
  setScaleRange(*translated.module, target);
  setTuning(*translated.module, target);
  return translated;
}
