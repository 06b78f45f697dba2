// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of `lh-run bisect`.
#include "cli/BisectFlags.h"

#include "cli/SharedFlags.h"

#include <CLI/CLI.hpp>

using namespace lh;

CLI::App *lh::declareBisect(CLI::App &app, BisectOptions &options) {
  CLI::App *bisect = app.add_subcommand(
      "bisect", "find the bubble, the pass and the op that spoil the numbers");
  addGraphFlags(*bisect, options.run.graph);
  addExecutionFlags(*bisect, options.run);
  bisect
      ->add_option("--property", options.property,
                   "what to look for: wrong numbers, code that fails, NaN and "
                   "infinities that the reference lacks, or code that is slow "
                   "(default: what the first result that fails shows)")
      ->type_name("mismatch|crash|nan|slow")
      ->check(CLI::IsMember({"mismatch", "crash", "nan", "slow"}));
  bisect
      ->add_option("--slower-than", options.slowerThan,
                   "slow is what takes so many times as long as the imported "
                   "module, lowered plainly (default: 2)")
      ->type_name("TIMES")
      ->check(CLI::PositiveNumber);
  bisect
      ->add_option("--repeat", options.repeat,
                   "run each probe so often; it is bad if one run is (for "
                   "faults that come and go)")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000U));
  bisect
      ->add_option("--out", options.outDir,
                   "the folder that a manifest goes to which shows the fault "
                   "alone (default: lh-bisect)")
      ->type_name("DIR");
  bisect->add_option("--json", options.json, "write what was found as JSON")
      ->type_name("FILE");
  return bisect;
}
