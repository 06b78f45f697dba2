// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ld.lld, which links for every architecture alike.
#include "runtime/emulated/Linker.h"

#include "runtime/emulated/Launch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Program.h"

using namespace lh;

std::string lh::findLinker() {
  std::string versioned = "ld.lld-" + std::to_string(LLVM_VERSION_MAJOR);
  for (const std::string &name : {versioned, std::string("ld.lld")})
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return *path;
  return "";
}

/// Links `objects` as `flags` say.
static FailureOr<MemoryFile> link(ArrayRef<StringRef> objects,
                                  ArrayRef<std::string> flags,
                                  const SourceSpan &where,
                                  DiagnosticSink &sink) {
  MemoryFile output;
  std::string linker = findLinker();
  if (linker.empty())
    return sink.error(DiagKind::BackendToolNotFound, where,
                      "there is no linker 'ld.lld' here; package lld-" +
                          Twine(LLVM_VERSION_MAJOR) + " brings it");
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
    return sink.error(DiagKind::BackendLinkFailed, where,
                      "there is no memory for the linker's files");
  std::vector<const MemoryFile *> keeps{&output};
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

FailureOr<std::string> lh::joinObjects(ArrayRef<StringRef> objects,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  FailureOr<MemoryFile> joined =
      link(objects, {"--relocatable", "--no-dependent-libraries"}, where, sink);
  if (failed(joined))
    return failure();
  return joined->read();
}
