// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ld.lld, which links for every architecture alike.
#include "runtime/emulated/Linker.h"

#include "runtime/emulated/Launch.h"

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

FailureOr<MemoryFile> lh::linkSharedLibrary(StringRef object,
                                            const SourceSpan &where,
                                            DiagnosticSink &sink) {
  MemoryFile input, output;
  std::string linker = findLinker();
  if (linker.empty())
    return sink.error(DiagKind::BackendToolNotFound, where,
                      "there is no linker 'ld.lld' here; package lld-" +
                          Twine(LLVM_VERSION_MAJOR) + " brings it");
  if (!input.isUsable() || !output.isUsable() || !input.write(object))
    return sink.error(DiagKind::BackendLinkFailed, where,
                      "there is no memory for the linker's files");
  // A library that the object names would bring code along that nobody checks.
  std::vector<std::string> words{linker,
                                 "-shared",
                                 "--no-dependent-libraries",
                                 "--hash-style=gnu",
                                 input.path(),
                                 "-o",
                                 "-"};
  LaunchResult done = launch(words, {&input, &output}, &output);
  if (done.problem.empty() && done.exitCode == 0 && done.signal == 0)
    return output;
  return sink.error(DiagKind::BackendLinkFailed, where,
                    "the code can't be linked: " +
                        (done.problem.empty() ? lastLines(done.errors, 3)
                                              : StringRef(done.problem)));
}
