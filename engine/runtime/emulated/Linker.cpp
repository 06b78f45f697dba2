// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ld.lld, which links for every architecture alike.
#include "runtime/emulated/Linker.h"

#include "core/support/LlvmTools.h"
#include "runtime/cpu/CodeGeneration.h"
#include "runtime/emulated/Launch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace lh;

std::string lh::findLinker() { return findLlvmTool("ld.lld"); }

static LogicalResult noMemory(const SourceSpan &where, DiagnosticSink &sink) {
  return sink.error(DiagKind::BackendLinkFailed, where,
                    "there is no memory for the linker's files");
}

/// Links `objects` as `flags` say, which may name `others`.
static FailureOr<MemoryFile> link(ArrayRef<StringRef> objects,
                                  ArrayRef<std::string> flags,
                                  const SourceSpan &where, DiagnosticSink &sink,
                                  ArrayRef<const MemoryFile *> others = {}) {
  MemoryFile output;
  std::string linker = findLinker();
  if (linker.empty())
    return sink.error(DiagKind::BackendToolNotFound, where,
                      "there is no linker 'ld.lld' here; package " +
                          llvmName("lld") + " brings it");
  std::vector<std::string> words{linker};
  llvm::append_range(words, flags);
  std::vector<MemoryFile> inputs;
  inputs.reserve(objects.size());
  bool isUsable = output.isUsable();
  for (StringRef object : objects) {
    MemoryFile &input = inputs.emplace_back();
    isUsable &= input.isUsable() && input.write(object);
    words.push_back(input.path());
  }
  if (!isUsable)
    return noMemory(where, sink);
  std::vector<const MemoryFile *> keeps(others.begin(), others.end());
  keeps.push_back(&output);
  for (const MemoryFile &input : inputs)
    keeps.push_back(&input);
  words.insert(words.end(), {"-o", "-"});
  LaunchResult done = launch(words, keeps, &output);
  if (done.problem.empty() && done.exitCode == 0 && done.signal == 0)
    return output;
  return sink.error(DiagKind::BackendLinkFailed, where,
                    "the code can't be linked: " +
                        (done.problem.empty() ? lastLines(done.errors, 3)
                                              : StringRef(done.problem)));
}

FailureOr<MemoryFile> lh::linkSharedLibrary(StringRef object,
                                            const SourceSpan &where,
                                            DiagnosticSink &sink) {
  // A library that the object names would bring code along that nobody checks.
  return link({object},
              {"-shared", "--no-dependent-libraries", "--hash-style=gnu"},
              where, sink);
}

/// A library of this name that has nothing in it: who is linked to it asks for
/// it by name.
static FailureOr<MemoryFile> emptyLibrary(StringRef name,
                                          llvm::TargetMachine &machine,
                                          const SourceSpan &where,
                                          DiagnosticSink &sink) {
  llvm::LLVMContext context;
  llvm::Module nothing("", context);
  nothing.setTargetTriple(machine.getTargetTriple());
  nothing.setDataLayout(machine.createDataLayout());
  auto object = generateCode(nothing, machine, CodeForm::Object, where, sink);
  if (failed(object))
    return failure();
  return link({*object}, {"-shared", "-soname", name.str()}, where, sink);
}

/// Everything else stays the library's own.
static std::string exportsOnly(ArrayRef<std::string> names) {
  return "{ global: " + llvm::join(names, "; ") + "; local: *; };\n";
}

FailureOr<std::string> lh::linkLibrary(const LibraryLink &library,
                                       llvm::TargetMachine &machine,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  MemoryFile script;
  if (!script.isUsable() || !script.write(exportsOnly(library.exports)))
    return noMemory(where, sink);
  std::vector<std::string> flags = {
      "-shared",          "--no-dependent-libraries",
      "--hash-style=gnu", "--strip-debug",
      "-Bsymbolic",       "-soname",
      library.name,       "--version-script",
      script.path(),      "--no-as-needed",
      "--build-id"};
  std::vector<MemoryFile> needed;
  needed.reserve(library.needs.size());
  for (const std::string &name : library.needs) {
    auto empty = emptyLibrary(name, machine, where, sink);
    if (failed(empty))
      return failure();
    flags.push_back(needed.emplace_back(std::move(*empty)).path());
  }
  std::vector<const MemoryFile *> others{&script};
  for (const MemoryFile &each : needed)
    others.push_back(&each);
  auto linked = link(library.objects, flags, where, sink, others);
  if (failed(linked))
    return failure();
  return linked->read();
}

FailureOr<std::string> lh::joinObjects(ArrayRef<StringRef> objects,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  FailureOr<MemoryFile> joined =
      link(objects, {"--relocatable", "--no-dependent-libraries"}, where, sink);
  if (failed(joined))
    return failure();
  return joined->read();
}
