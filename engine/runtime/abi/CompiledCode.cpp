// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled code as bytes, and back.
#include "runtime/abi/CompiledCode.h"

#include "compiler/gaps/Marks.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/raw_ostream.h"

using namespace lh;

// The bytes: a line with the lengths of `lh.abi` and of the object, and whether
// the code uses threads and vector functions; these two; the object with
// counters.

std::string lh::encodeCode(const CompiledCode &code, mlir::ModuleOp module) {
  std::string abi;
  llvm::raw_string_ostream(abi) << module->getAttr(abiMark);
  return std::to_string(abi.size()) + " " + std::to_string(code.object.size()) +
         (code.usesThreads ? " 1" : " 0") +
         (code.usesVectorLibrary ? " 1" : " 0") + "\n" + abi + code.object +
         code.countingObject;
}

FailureOr<CompiledCode> lh::decodeCode(StringRef bytes, StringRef entry,
                                       mlir::MLIRContext &context,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  auto [line, rest] = bytes.split('\n');
  llvm::SmallVector<StringRef> words;
  line.split(words, ' ');
  size_t size = 0, objectSize = 0;
  mlir::Attribute abi;
  if (words.size() == 4 && !words[0].getAsInteger(10, size) &&
      !words[1].getAsInteger(10, objectSize) && size <= rest.size() &&
      objectSize <= rest.size() - size)
    abi = mlir::parseAttribute(rest.take_front(size).str(), &context);
  if (!abi)
    return sink.error(DiagKind::ExecCacheDamaged, where,
                      "the cache's code for '" + entry +
                          "' can't be read; '--no-cache' compiles it anew");
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  (*module)->setAttr(abiMark, abi);
  FailureOr<ModuleAbi> read = readEntryAbi(*module, entry, where, sink);
  if (failed(read))
    return failure();
  StringRef objects = rest.drop_front(size);
  return CompiledCode{objects.take_front(objectSize).str(), std::move(*read),
                      words[2] == "1", words[3] == "1",
                      objects.drop_front(objectSize).str()};
}
