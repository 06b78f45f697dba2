// Compiled code as bytes, and back.
#include "backend/CompiledCode.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/raw_ostream.h"

using namespace lh;

// The bytes: a line with the length of what comes next and whether the code
// uses threads; `lh.abi` as text; the object.

std::string lh::encodeCode(const CompiledCode &code, mlir::ModuleOp module) {
  std::string abi;
  llvm::raw_string_ostream(abi) << module->getAttr("lh.abi");
  return std::to_string(abi.size()) + " " + (code.usesThreads ? "1" : "0") +
         "\n" + abi + code.object;
}

FailureOr<CompiledCode> lh::decodeCode(StringRef bytes, StringRef entry,
                                       mlir::MLIRContext &context,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  auto [line, rest] = bytes.split('\n');
  auto [length, threads] = line.split(' ');
  size_t size = 0;
  mlir::Attribute abi;
  if (!length.getAsInteger(10, size) && size <= rest.size())
    abi = mlir::parseAttribute(rest.take_front(size).str(), &context);
  if (!abi)
    return sink.error(DiagKind::ExecCacheDamaged, where,
                      "the cache's code for '" + entry +
                          "' can't be read; '--no-cache' compiles it anew");
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  (*module)->setAttr("lh.abi", abi);
  FailureOr<ModuleAbi> read = readEntryAbi(*module, entry, where, sink);
  if (failed(read))
    return failure();
  return CompiledCode{rest.drop_front(size).str(), std::move(*read),
                      threads == "1"};
}
