// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What helps with an operation that nothing has converted.
#ifndef LH_CLI_HINTS_H
#define LH_CLI_HINTS_H

#include "core/graph/Resolver.h"
#include "core/plan/RunRecord.h"
#include "core/support/DriverEnv.h"

namespace lh {

/// Adds notes to each error that says of an operation that it could not be
/// legalized, or that it can't be translated: the bubble that brought its
/// dialect in, bubbles of the manifest and of the library that leave none
/// behind (by what they ensure), upstream passes that convert from it. Casts
/// that were left behind get a note on why. Looks at nothing unless there is
/// such an error.
void addHints(RunRecord &record, const ResolvedGraph &graph,
              const ResolveOptions &resolve, const DriverEnv &env);

} // namespace lh

#endif // LH_CLI_HINTS_H
