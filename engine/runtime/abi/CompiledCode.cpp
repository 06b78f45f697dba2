// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled code as bytes, and back.
#include "runtime/abi/CompiledCode.h"

#include "compiler/gaps/Marks.h"
#include "runtime/abi/PathAttributes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

// The bytes: a line with the lengths of `lh.abi` and of the object, whether the
// code uses threads and vector functions, and the length of its libraries;
// these three, in the order abi, libraries, object; the object with counters. A
// library is a line with the lengths of its path and its bytes, and its
// functions; these two.

static std::string encode(ArrayRef<KernelLibrary> libraries,
                          const PortablePaths &paths) {
  std::string text;
  for (const KernelLibrary &library : libraries) {
    std::string path = paths.pack(library.path);
    text += std::to_string(path.size()) + " " +
            std::to_string(library.bytes.size()) + " " +
            llvm::join(library.functions, " ") + "\n" + path + library.bytes;
  }
  return text;
}

/// Nothing where the text is damaged.
static std::optional<std::vector<KernelLibrary>>
decode(StringRef text, const PortablePaths &paths) {
  std::vector<KernelLibrary> libraries;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    llvm::SmallVector<StringRef> words;
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    size_t path = 0, bytes = 0;
    if (words.size() < 2 || words[0].getAsInteger(10, path) ||
        words[1].getAsInteger(10, bytes) || path > rest.size() ||
        bytes > rest.size() - path)
      return std::nullopt;
    KernelLibrary &library = libraries.emplace_back();
    library.path = paths.unpack(rest.take_front(path));
    library.bytes = rest.substr(path, bytes).str();
    for (StringRef name : llvm::drop_begin(words, 2))
      library.functions.push_back(name.str());
    text = rest.drop_front(path + bytes);
  }
  return libraries;
}

std::string lh::encodeCode(const CompiledCode &code, mlir::ModuleOp module,
                           const PortablePaths &paths) {
  std::string abi;
  llvm::raw_string_ostream(abi)
      << withPaths(module->getAttr(abiMark),
                   [&](StringRef path) { return paths.pack(path); });
  std::string libraries = encode(code.libraries, paths);
  return std::to_string(abi.size()) + " " + std::to_string(code.object.size()) +
         (code.usesThreads ? " 1" : " 0") +
         (code.usesVectorLibrary ? " 1 " : " 0 ") +
         std::to_string(libraries.size()) + "\n" + abi + libraries +
         code.object + code.countingObject;
}

FailureOr<CompiledCode> lh::decodeCode(StringRef bytes, StringRef entry,
                                       mlir::MLIRContext &context,
                                       const PortablePaths &paths,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  auto [line, rest] = bytes.split('\n');
  llvm::SmallVector<StringRef> words;
  line.split(words, ' ');
  size_t size = 0, objectSize = 0, librariesSize = 0;
  mlir::Attribute abi;
  if (words.size() == 5 && !words[0].getAsInteger(10, size) &&
      !words[1].getAsInteger(10, objectSize) &&
      !words[4].getAsInteger(10, librariesSize) && size <= rest.size() &&
      librariesSize <= rest.size() - size &&
      objectSize <= rest.size() - size - librariesSize)
    abi = mlir::parseAttribute(rest.take_front(size).str(), &context);
  abi = withPaths(abi, [&](StringRef path) { return paths.unpack(path); });
  auto libraries = decode(rest.substr(size, librariesSize), paths);
  if (!abi || !libraries)
    return sink.error(DiagKind::ExecCacheDamaged, where,
                      "the cache's code for '" + entry +
                          "' can't be read; '--no-cache' compiles it anew");
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  (*module)->setAttr(abiMark, abi);
  FailureOr<ModuleAbi> read = readEntryAbi(*module, entry, where, sink);
  if (failed(read))
    return failure();
  StringRef objects = rest.drop_front(size + librariesSize);
  return CompiledCode{objects.take_front(objectSize).str(),
                      std::move(*read),
                      words[2] == "1",
                      words[3] == "1",
                      objects.drop_front(objectSize).str(),
                      std::move(*libraries)};
}
