// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run targets`: the targets that there are, and which run here.
#include "cli/Command.h"

#include "cli/SharedOptions.h"
#include "core/plan/Globs.h"
#include "core/plan/Select.h"
#include "insight/report/TextTable.h"
#include "steps/GraphLoader.h"
#include "steps/RunSetup.h"

#include "llvm/Support/Path.h"

#include <set>

using namespace lh;

namespace {
struct TargetsOptions {
  std::vector<std::string> names; ///< globs; none: all
  GraphOptions graph;             ///< folders and the device alone
};
} // namespace

static void addTargetsFlags(CLI::App &command, TargetsOptions &options) {
  addValue(
      command, "name", "GLOB", options.names,
      "only the targets whose name matches, such as 'x86-*' (default: all)");
  addDeviceFlag(command, options.graph);
  addLibraryFlag(command, options.graph.libraryDirs);
}

/// How code for `target` is run on this machine, or why it isn't.
static std::string howItRuns(const TargetSpec &target, const PlanHost &host) {
  if (std::string reason = host.whyNot(target); !reason.empty())
    return "no: " + reason;
  if (runsSimulated(target, host))
    return host.deviceLabel(target) == "software" ? "on a device in software"
                                                  : "on a simulated device";
  return runsNatively(target, host) ? "yes" : "under an emulator";
}

static int runTargets(const TargetsOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  FailureOr<RunSetup> setup = setUpEngine(options.graph, {}, sink);
  if (failed(setup))
    return badUsage;
  ResolveOptions resolve = resolveOptions(options.graph, env);
  PlanHost host = planHostOf(*setup->engine, env);
  Globs wanted(options.names);
  std::set<std::string> names;
  for (const std::string &library : resolve.libraryDirs)
    for (const std::string &file :
         listFolder(env.files, absolutePath("targets", library)))
      if (StringRef(file).ends_with(".yaml"))
        names.insert(llvm::sys::path::stem(file).str());
  std::vector<Cells> table = {{"target", "backend", "runs here"}};
  for (const std::string &name : names) {
    if (!wanted.match({name}))
      continue;
    auto target = namedTarget(name, resolve, sources, sink);
    if (succeeded(target))
      table.push_back({name, target->backend, howItRuns(*target, host)});
  }
  std::vector<StringRef> known(names.begin(), names.end());
  if (failed(wanted.reportUnused(DiagKind::PlanUnknownTarget, "target", known,
                                 sink)) ||
      sink.errorCount() > 0)
    return badUsage;
  printTable(table, 3, env.out);
  return 0;
}

CommandRun lh::makeTargetsCommand(CLI::App &command) {
  return makeCommand(command, addTargetsFlags, runTargets);
}
