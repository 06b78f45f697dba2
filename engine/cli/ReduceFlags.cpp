// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of `lh-run reduce`.
#include "cli/ReduceFlags.h"

#include "cli/SharedFlags.h"

#include <CLI/CLI.hpp>

using namespace lh;

CLI::App *lh::declareReduce(CLI::App &app, ReduceOptions &options) {
  CLI::App *reduce = app.add_subcommand(
      "reduce", "make the folder of a failing step smaller: its passes, its "
                "schedule, its module, while it fails the same");
  reduce
      ->add_option("folder", options.folder,
                   "the folder that a failing step left")
      ->required()
      ->type_name("DIR");
  reduce
      ->add_option("-o,--output", options.output,
                   "the folder to write (default: DIR-reduced)")
      ->type_name("DIR");
  reduce
      ->add_option("--time-limit", options.timeLimit,
                   "be content with what there is after this long (default: "
                   "60)")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
  addAllowExecFlag(*reduce, options.allowExec);
  reduce->add_flag("-v,--verbose", options.verbose,
                   "say how the failure is recognised");
  return reduce;
}
