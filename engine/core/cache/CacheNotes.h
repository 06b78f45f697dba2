// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why the cache did not have a step, for --explain-cache.
#ifndef LH_CORE_CACHE_CACHENOTES_H
#define LH_CORE_CACHE_CACHENOTES_H

#include "core/cache/CachePlan.h"

namespace lh {

/// By step: what is different from the most similar result that is kept of the
/// same bubbles ("parameter 'k_unroll' 4 -> 8"); empty for those that don't
/// run. Reads the whole store. Paths are shown from `workingDirectory`.
std::vector<std::string> cacheNotes(const Plan &plan,
                                    ArrayRef<CachedStep> steps,
                                    const PortablePaths &paths,
                                    const CacheStore &store,
                                    StringRef workingDirectory);

} // namespace lh

#endif // LH_CORE_CACHE_CACHENOTES_H
