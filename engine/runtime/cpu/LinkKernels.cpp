// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks LLVM IR of kernels and links it.
#include "runtime/cpu/LinkKernels.h"

#include "compiler/session/KernelFunctions.h"
#include "core/manifest/KernelParser.h"
#include "runtime/cpu/TargetMachine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <set>

using namespace lh;

static std::string printed(const llvm::Type &type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

/// f(m, n, k, a, lda, b, ldb, c, ldc), and a bias behind them.
static llvm::FunctionType *calledAs(StringRef pattern,
                                    llvm::LLVMContext &context) {
  llvm::Type *number = llvm::Type::getInt64Ty(context);
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::SmallVector<llvm::Type *> arguments{number,  number,  number,
                                            pointer, number,  pointer,
                                            number,  pointer, number};
  if (pattern.contains("bias"))
    arguments.push_back(pointer);
  return llvm::FunctionType::get(llvm::Type::getVoidTy(context), arguments,
                                 /*isVarArg=*/false);
}

namespace {
/// One body while it is checked.
class Body {
public:
  Body(llvm::Module &module, const KernelSpec &kernel, const TargetSpec &target,
       const llvm::TargetMachine &machine, DiagnosticSink &sink)
      : module(module), kernel(kernel), target(target), machine(machine),
        sink(sink) {}

  LogicalResult checkMachine();
  LogicalResult checkFunctions();
  void own();

private:
  LogicalResult fail(const SourceSpan &where, const Twine &message) {
    return sink.error(DiagKind::BackendBadKernel, where,
                      "kernel '" + kernel.name + "': " + message);
  }
  const SourceSpan &where() const { return bodyFile(kernel).where; }

  llvm::Module &module;
  const KernelSpec &kernel;
  const TargetSpec &target;
  const llvm::TargetMachine &machine;
  DiagnosticSink &sink;
};
} // namespace

/// LLVM ends the process when it is asked about a name that it doesn't know.
static bool has(const llvm::TargetMachine &machine, const std::string &name) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  return llvm::any_of(info.getAllProcessorFeatures(),
                      [&](const auto &known) { return name == known.Key; }) &&
         info.checkFeatures("+" + name);
}

static std::set<std::string> featuresOf(const llvm::Function &function) {
  llvm::SmallVector<StringRef> words;
  function.getFnAttribute("target-features")
      .getValueAsString()
      .split(words, ',', -1, /*KeepEmpty=*/false);
  std::set<std::string> features;
  for (StringRef word : words)
    if (word.consume_front("+") && !isSystemFeature(word))
      features.insert(word.str());
  return features;
}

/// IR without a triple is for any machine.
LogicalResult Body::checkMachine() {
  const llvm::Triple &own = module.getTargetTriple();
  const llvm::Triple &wanted = machine.getTargetTriple();
  if (own.getArch() != llvm::Triple::UnknownArch &&
      own.getArch() != wanted.getArch())
    return fail(where(), "its body is for " + own.getArchName() + ", target '" +
                             target.name + "' is " + wanted.getArchName());
  std::set<std::string> known, lacked;
  if (const llvm::Function *plain = module.getFunction(plainFunction))
    known = featuresOf(*plain);
  for (const llvm::Function &function : module)
    for (const std::string &feature : featuresOf(function))
      if (!known.count(feature) && !has(machine, feature))
        lacked.insert("'" + feature + "'");
  if (lacked.empty())
    return success();
  return fail(where(), "its body uses " + llvm::join(lacked, ", ") +
                           ", which target '" + target.name + "' lacks");
}

LogicalResult Body::checkFunctions() {
  std::vector<StringRef> defined;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      defined.push_back(function.getName());
  LogicalResult result = success();
  for (const auto &[pattern, symbol] : kernel.functions) {
    if (!llvm::is_contained(defined, symbol.value)) {
      result = fail(symbol.where, "its body has no function '" + symbol.value +
                                      "' for others to call" +
                                      didYouMean(symbol.value, defined));
      continue;
    }
    llvm::FunctionType *own =
        module.getFunction(symbol.value)->getFunctionType();
    llvm::FunctionType *wanted = calledAs(pattern, module.getContext());
    if (own != wanted)
      result = fail(symbol.where, "'" + symbol.value + "' is '" +
                                      printed(*own) + "'; a function for '" +
                                      pattern + "' is called as '" +
                                      printed(*wanted) + "' (docs/kernels.md)");
  }
  return result;
}

/// Names that no other code has; and no processor of its own, so that it can be
/// inlined into code for the target.
void Body::own() {
  for (llvm::GlobalValue &value : module.global_values())
    if (!value.isDeclaration())
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (const auto &[pattern, symbol] : kernel.functions) {
    llvm::Function *function = module.getFunction(symbol.value);
    function->setLinkage(llvm::GlobalValue::ExternalLinkage);
    function->setName(kernelSymbol(kernel, symbol.value));
  }
  for (llvm::Function &function : module)
    for (StringRef attribute : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(attribute);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
}

FailureOr<std::string> lh::kernelBody(StringRef code, const KernelSpec &kernel,
                                      const TargetSpec &target,
                                      const llvm::TargetMachine &machine,
                                      DiagnosticSink &sink) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const Located<std::string> &file = bodyFile(kernel);
  std::unique_ptr<llvm::Module> module =
      llvm::parseIR(llvm::MemoryBufferRef(code, file.value), problem, context);
  if (!module)
    return sink.error(DiagKind::BackendBadKernel, file.where,
                      "kernel '" + kernel.name + "': its body can't be read: " +
                          (problem.getLineNo() > 0
                               ? "line " + Twine(problem.getLineNo()) + ": "
                               : Twine()) +
                          problem.getMessage());
  std::string invalid;
  llvm::raw_string_ostream said(invalid);
  if (llvm::verifyModule(*module, &said))
    return sink.error(
        DiagKind::BackendBadKernel, file.where,
        "kernel '" + kernel.name +
            "': its body is no valid LLVM IR: " + StringRef(invalid).trim());
  Body body(*module, kernel, target, machine, sink);
  if (failed(body.checkMachine()) || failed(body.checkFunctions()))
    return failure();
  body.own();
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(*module, stream);
  return bitcode;
}

LogicalResult lh::checkKernelFeatures(const KernelSpec &kernel,
                                      const TargetSpec &target,
                                      const llvm::TargetMachine &machine,
                                      DiagnosticSink &sink) {
  LogicalResult result = success();
  for (const Located<std::string> &feature : kernel.features)
    if (!has(machine, feature.value))
      result =
          sink.error(DiagKind::BackendBadKernel, feature.where,
                     "kernel '" + kernel.name + "' needs '" + feature.value +
                         "', which target '" + target.name + "' lacks");
  return result;
}

/// The functions that others can call.
static std::set<std::string> exported(const llvm::object::ObjectFile &file) {
  std::set<std::string> names;
  auto add = [&](const llvm::object::SymbolRef &symbol) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    using Symbol = llvm::object::SymbolRef;
    if (flags && name && (*flags & Symbol::SF_Global) &&
        !(*flags & Symbol::SF_Undefined))
      names.insert(name->str());
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  };
  for (const llvm::object::SymbolRef &symbol : file.symbols())
    add(symbol);
  if (const auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(&file))
    for (const llvm::object::SymbolRef &symbol :
         elf->getDynamicSymbolIterators())
      add(symbol);
  return names;
}

LogicalResult lh::checkBinary(StringRef code, const KernelSpec &kernel,
                              const TargetSpec &target,
                              const llvm::TargetMachine &machine,
                              DiagnosticSink &sink) {
  const Located<std::string> &body = bodyFile(kernel);
  auto fail = [&](const SourceSpan &where, const Twine &message) {
    return sink.error(DiagKind::BackendBadKernel, where,
                      "kernel '" + kernel.name + "': " + message);
  };
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(code, body.value));
  if (!file)
    return fail(body.where,
                "its body can't be read: " + llvm::toString(file.takeError()));
  const auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(&**file);
  bool isLibrary = elf && elf->getEType() == llvm::ELF::ET_DYN;
  bool isObject = elf && elf->getEType() == llvm::ELF::ET_REL;
  if (std::holds_alternative<ObjectCode>(kernel.body) ? !isObject : !isLibrary)
    return fail(body.where, isObject ? "its body is an object file, not a "
                                       "shared library"
                                     : "its body is no object file");
  llvm::Triple::ArchType wanted = machine.getTargetTriple().getArch();
  if ((*file)->getArch() != wanted)
    return fail(body.where,
                "its body is for " +
                    llvm::Triple::getArchTypeName((*file)->getArch()) +
                    ", target '" + target.name + "' is " +
                    llvm::Triple::getArchTypeName(wanted));
  std::set<std::string> names = exported(**file);
  LogicalResult result = success();
  for (const auto &[pattern, symbol] : kernel.functions)
    if (!names.count(symbol.value))
      result = fail(
          symbol.where,
          "its body has no function '" + symbol.value + "' for others to call" +
              didYouMean(symbol.value,
                         std::vector<StringRef>(names.begin(), names.end())));
  return result;
}

/// Links one body and makes what comes of it the module's own.
static LogicalResult linkBody(llvm::Linker &linker, llvm::Module &code,
                              const KernelBody &body, const SourceSpan &where,
                              DiagnosticSink &sink) {
  auto fail = [&](const Twine &why) {
    return sink.error(DiagKind::BackendBadKernel, where,
                      "the body of kernel '" + body.kernel +
                          "' can't be linked: " + why);
  };
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> parsed =
      llvm::parseIR(llvm::MemoryBufferRef(body.code.bytes, body.kernel),
                    problem, code.getContext());
  if (!parsed)
    return fail(problem.getMessage());
  if (linker.linkInModule(std::move(parsed), llvm::Linker::LinkOnlyNeeded))
    return fail("it doesn't fit the code that calls it");
  for (const std::string &name : body.functions)
    if (llvm::Function *function = code.getFunction(name))
      if (!function->isDeclaration())
        function->setLinkage(llvm::GlobalValue::InternalLinkage);
  return success();
}

LogicalResult lh::linkKernels(ArrayRef<KernelBody> bodies, llvm::Module &code,
                              const SourceSpan &where, DiagnosticSink &sink) {
  llvm::Linker linker(code);
  for (const KernelBody &body : bodies)
    if (body.code.form == KernelCode::Form::Bitcode &&
        failed(linkBody(linker, code, body, where, sink)))
      return failure();
  return success();
}
