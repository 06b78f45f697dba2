// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of commands that keep what steps do.
#include "cli/CacheFlags.h"

#include <CLI/CLI.hpp>

using namespace lh;

void lh::addCacheFlags(CLI::App &command, CacheOptions &cache) {
  CLI::Option *off = command.add_flag("--no-cache", cache.off,
                                      "run every step, and keep nothing of it");
  command
      .add_option("--cache", cache.folder,
                  "keep what steps do here (default: LIGHTHOUSE_CACHE, else "
                  "lighthouse in XDG_CACHE_HOME or ~/.cache)")
      ->type_name("DIR")
      ->excludes(off);
  command
      .add_option("--cache-size", cache.mebibytes,
                  "the most that is kept (default: 2048)")
      ->type_name("MIB");
  command.add_flag("--explain-cache", cache.explain,
                   "say of each step whether it was known, and if not, what "
                   "has changed");
  command.add_flag("--paranoid", cache.paranoid,
                   "tell models and weights apart by what they hold, not by "
                   "size, time and inode");
}
