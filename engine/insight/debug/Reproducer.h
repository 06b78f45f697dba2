// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder that repeats the failure of one step.
#ifndef LH_INSIGHT_DEBUG_REPRODUCER_H
#define LH_INSIGHT_DEBUG_REPRODUCER_H

#include "core/plan/FailureSignature.h"
#include "steps/ManifestOptions.h"

namespace lh {

/// What the folder's failure.json says, besides what its manifest does.
struct Reproducer {
  std::string bubble; ///< as the first manifest named it
  FailureSignature failure;
  std::string reason; ///< with its numbers
  std::string from;   ///< the manifest in which it failed first
  std::string case_, target, pipeline;
  /// The bubbles of the path in which it failed, in order, and which of them
  /// did.
  std::vector<std::string> path;
  size_t position = 0;
  /// The flags that it needs.
  std::vector<std::string> plugins, libraryDirs;
  bool allowExec = false;
  unsigned threads = 0;
  std::string device = "auto";
  double stepTimeout = 0;
  uint64_t memoryLimitMiB = 0;
  /// What mlir-opt would be called with; empty: it has no equal for the step.
  std::string mlirOpt;
};

/// The names of the files in every reproducer's folder.
namespace reproducerFiles {
constexpr const char *manifest = "manifest.yaml";
constexpr const char *record = "failure.json";
constexpr const char *notes = "README.md";
constexpr const char *text = "input.mlir";
constexpr const char *bytecode = "input.mlirbc";
} // namespace reproducerFiles

/// failure.json's contents.
std::string recordText(const Reproducer &reproducer);

/// README.md's contents: what failed, and the commands that repeat it. `input`
/// is the module's file; empty: there is none.
std::string notesText(const Reproducer &reproducer, StringRef input);

/// Reads `folder`/failure.json. Says what is missing or wrong.
FailureOr<Reproducer> readReproducer(const std::string &folder,
                                     DiagnosticSink &sink);

/// How it is run again.
ManifestRunOptions runOptionsOf(const Reproducer &reproducer,
                                const std::string &folder);

} // namespace lh

#endif // LH_INSIGHT_DEBUG_REPRODUCER_H
