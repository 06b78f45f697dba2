// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that several commands have, with their flags.
#ifndef LH_CLI_SHAREDOPTIONS_H
#define LH_CLI_SHAREDOPTIONS_H

#include "steps/ManifestOptions.h"

#include <CLI/CLI.hpp>

namespace lh {

struct PrintOptions;

/// Where the time of a run went.
struct TimingOptions {
  bool print = false;
  std::string trace; ///< where the run goes for a viewer of traces
};

/// While it lives, flags of the command stand under this heading in its help.
class FlagHeading {
public:
  FlagHeading(CLI::App &command, const char *heading)
      : command(command), outer(command.option_defaults()->get_group()) {
    command.option_defaults()->group(heading);
  }
  ~FlagHeading() { command.option_defaults()->group(outer); }
  FlagHeading(const FlagHeading &) = delete;
  FlagHeading &operator=(const FlagHeading &) = delete;

private:
  CLI::App &command;
  std::string outer;
};

/// A flag that takes one value each time it is given.
CLI::Option *addRepeatedFlag(CLI::App &command, const char *flag,
                             std::vector<std::string> &values, const char *type,
                             const char *help);
/// `flag NAME=VALUE`, which may be repeated, into `values`.
void addAssignmentsFlag(CLI::App &command, const char *flag,
                        std::map<std::string, std::string> &values,
                        const char *help);
/// `--set`.
void addSetFlag(CLI::App &command, GraphOptions &graph);
/// `--library` and `--plugin`.
void addLibraryFlags(CLI::App &command, std::vector<std::string> &dirs,
                     std::vector<std::string> &plugins);
void addLibraryFlag(CLI::App &command, std::vector<std::string> &dirs);
void addAllowExecFlag(CLI::App &command, bool &allowExec);
/// `--pipeline` and `--case`.
void addNameFlags(CLI::App &command, GraphOptions &graph);
/// What picks a part of a manifest's graph; without the manifest.
void addSelectionFlags(CLI::App &command, GraphOptions &graph);
/// The manifest, and addSelectionFlags().
void addGraphFlags(CLI::App &command, GraphOptions &graph);
/// One or more manifests.
void addManifests(CLI::App &command, std::vector<std::string> &manifests);
void addCacheFlags(CLI::App &command, CacheOptions &cache);
void addPrintFlags(CLI::App &command, PrintOptions &print);
void addTimingFlags(CLI::App &command, TimingOptions &timing);
void addToleranceFlags(CLI::App &command, ToleranceDecl &tolerance);
void addThreadsFlag(CLI::App &command, GraphOptions &graph);
void addDeviceFlag(CLI::App &command, GraphOptions &graph);
void addJobsFlag(CLI::App &command, ManifestRunOptions &run);
void addStepTimeoutFlag(CLI::App &command, ManifestRunOptions &run);
/// How steps are run and judged.
void addExecutionFlags(CLI::App &command, ManifestRunOptions &run);
/// `--json`.
void addJsonFlag(CLI::App &command, std::string &file, const char *help);

} // namespace lh

#endif // LH_CLI_SHAREDOPTIONS_H
