// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run compare` of what a manifest's runs give.
#ifndef LH_CLI_COMPARERUNS_H
#define LH_CLI_COMPARERUNS_H

#include "steps/RunSetup.h"

namespace lh {

struct CompareOptions {
  std::string actual, expected; ///< tensor files; or a manifest alone
  /// Of a manifest: two pipelines to compare, or node by node.
  std::vector<std::string> pipelines;
  bool perNode = false;
  ManifestRunOptions run;
  std::string bounds; ///< a file of each element's allowed error
  std::string json;   ///< where to write the statistics
};

/// Where and how something differs from its reference: a line of a table.
struct ComparedLine {
  std::vector<std::string> names; ///< what is compared
  std::string reason;             ///< why there are no numbers; else empty
  OutputComparison output;
  bool passed = false;
};

/// Prints a table, worst first: what gave no numbers, what failed, what takes
/// most of what is allowed; then how many passed. Writes it to `json` if that
/// is given. `heads` name the first columns. The exit code.
int reportCompared(std::vector<ComparedLine> lines, ArrayRef<std::string> heads,
                   const std::string &json, llvm::raw_ostream &out,
                   DiagnosticSink &sink);

/// `compare MANIFEST --pipelines A,B`, and `--per-node`: the exit code.
int comparePipelines(const CompareOptions &options, DriverEnv &env);
int compareNodes(const CompareOptions &options, DriverEnv &env);

} // namespace lh

#endif // LH_CLI_COMPARERUNS_H
