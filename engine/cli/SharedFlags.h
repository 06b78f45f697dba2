// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags that several commands have.
#ifndef LH_CLI_SHAREDFLAGS_H
#define LH_CLI_SHAREDFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

/// `flag NAME=VALUE`, which may be repeated, into `values`.
void addAssignments(CLI::App &command, const std::string &flag,
                    std::map<std::string, std::string> &values,
                    const std::string &help);
/// `--set`.
void addSetFlag(CLI::App &command, GraphOptions &graph);
void addLibraryFlags(CLI::App &command, std::vector<std::string> &dirs,
                     std::vector<std::string> &plugins);
void addAllowExecFlag(CLI::App &command, bool &allowExec);
/// What picks a part of a manifest's graph; without the manifest.
void addSelectionFlags(CLI::App &command, GraphOptions &graph);
/// The manifest, and addSelectionFlags().
void addGraphFlags(CLI::App &command, GraphOptions &graph);
void addPrintFlags(CLI::App &command, MlirPrintFlags &print);
void addToleranceFlags(CLI::App &command, std::optional<double> &atol,
                       std::optional<double> &rtol,
                       std::optional<int64_t> &ulp);
void addThreadsFlag(CLI::App &command, GraphOptions &graph);
void addDeviceFlag(CLI::App &command, GraphOptions &graph);
/// How steps are run and judged.
void addExecutionFlags(CLI::App &command, RunCommandOptions &run);

} // namespace lh

#endif // LH_CLI_SHAREDFLAGS_H
