// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of commands that keep what steps do.
#ifndef LH_CLI_CACHEFLAGS_H
#define LH_CLI_CACHEFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
} // namespace CLI

namespace lh {

void addCacheFlags(CLI::App &command, CacheOptions &cache);

} // namespace lh

#endif // LH_CLI_CACHEFLAGS_H
