// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of bubbles and of kernels: for a file NAME.yaml the manifest
// NAME.test.yaml beside it.
#ifndef LH_CLI_BUBBLETESTS_H
#define LH_CLI_BUBBLETESTS_H

#include "core/graph/ResolvedGraph.h"
#include "core/plan/RunRecord.h"

#include "llvm/Support/VirtualFileSystem.h"

namespace lh {

struct BubbleTest {
  std::string name;     ///< "lib:cpu/vectorize", or the path as given
  std::string bubble;   ///< the bubble file, absolute
  std::string manifest; ///< absolute; empty: there is none
};

/// The bubbles that `what` names, each a library's bubble (`lib:area/name`), a
/// bubble file or a kernel, its test, or a folder of them; all of the
/// libraries' when `what` is empty. Reports names that stand for nothing, and
/// as warnings the bubbles that have no test; where one is asked for by name,
/// as an error.
FailureOr<std::vector<BubbleTest>>
findBubbleTests(ArrayRef<std::string> what, ArrayRef<std::string> libraryDirs,
                StringRef workingDirectory, llvm::vfs::FileSystem &files,
                DiagnosticSink &sink);

/// Whether the manifest tests `test`'s bubble: uses it, and compares numbers or
/// expects something of the IR. Reports what is missing.
LogicalResult checkBubbleTest(const BubbleTest &test,
                              const ResolvedGraph &graph, DiagnosticSink &sink);

/// Whether a step of the bubble's own file changed a module in `record`, the
/// test's run. Reports a bubble whose steps ran and changed nothing.
LogicalResult checkBubbleActed(const BubbleTest &test, const RunRecord &record,
                               DiagnosticSink &sink);

} // namespace lh

#endif // LH_CLI_BUBBLETESTS_H
