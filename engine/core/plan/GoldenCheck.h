// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the files of a golden folder are what its sidecar says.
#ifndef LH_CORE_PLAN_GOLDENCHECK_H
#define LH_CORE_PLAN_GOLDENCHECK_H

#include "core/plan/Provenance.h"

#include "llvm/Support/VirtualFileSystem.h"

#include <utility>

namespace lh {

/// A folder with expected outputs and a provenance.json: a golden's own, or
/// one of its overrides.
struct GoldenFolder {
  std::string path;
  std::string target = "any"; ///< whom the sidecar must say it is for
  std::string dtype;          ///< of every file in it; empty: any
  /// The outputs in it, as (name, path).
  std::vector<std::pair<std::string, std::string>> outputs;
};

/// Checks the sidecar's presence and fields, the hashes of `model` and of the
/// files that it lists, and each output's readability and element type.
/// Reports every mistake, those outside of a file at `from`. NaNs that the
/// sidecar doesn't announce are a warning.
LogicalResult checkGoldenFolder(llvm::vfs::FileSystem &files,
                                const GoldenFolder &folder, StringRef model,
                                StringRef modelHash, const SourceSpan &from,
                                DiagnosticSink &sink);

/// The number of NaNs in a tensor file's content; fails as its reader does.
struct TensorFacts {
  std::string dtype;
  int64_t nans = 0;
};
FailureOr<TensorFacts> tensorFacts(StringRef bytes, StringRef path,
                                   DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_PLAN_GOLDENCHECK_H
