// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run build`: a model as a library for programs.
#include "cli/Command.h"

#include "cli/RunAndReport.h"
#include "cli/SharedOptions.h"
#include "steps/GraphLoader.h"

#include "llvm/Support/Path.h"

using namespace lh;

namespace {
struct BuildOptions {
  ManifestRunOptions run;
  CacheOptions cache;
  RunProducts products;
};
} // namespace

static void addBuildFlags(CLI::App &command, BuildOptions &options) {
  addGraphFlags(command, options.run.graph);
  {
    FlagHeading heading(command, "The library");
    addValue(command, "-o,--output", "FILE", options.products.library.path,
             "the library: 'libNAME.so', or 'libNAME.a' for a static one; its "
             "header and its description as JSON lie beside it (default: "
             "libNAME.so here, after the model or the manifest)");
    command.add_flag("--weights", options.products.library.weightsBeside,
                     "put the weights into a file beside the library, "
                     "NAME.weights, instead of into it");
  }
  addJsonFlag(command, options.products.json,
              "write the results of the run by which the library was judged as "
              "JSON");
  addExecutionFlags(command, options.run);
  addCacheFlags(command, options.cache);
}

static int runBuild(const BuildOptions &asked, DriverEnv &env) {
  BuildOptions options = asked;
  std::string &library = options.products.library.path;
  if (library.empty())
    library =
        "lib" + llvm::sys::path::stem(options.run.graph.manifest).str() + ".so";
  return runAndReport(options.run, options.cache, env, options.products).first;
}

CommandRun lh::makeBuildCommand(CLI::App &command) {
  return makeCommand(command, addBuildFlags, runBuild);
}
