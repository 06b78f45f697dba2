// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an entry of the cache says of itself.
#ifndef LH_CORE_CACHE_CACHERECORD_H
#define LH_CORE_CACHE_CACHERECORD_H

#include "core/cache/CacheKeys.h"
#include "core/plan/RunRecord.h"

namespace lh {

/// A step's key, and what the step had done.
struct CacheRecord {
  StepKey key;
  StepOutcome outcome;
};

/// JSON. Places in the manifest are noted together with where the bubble and
/// its action stood in it, and paths as `paths` has them.
std::string encodeRecord(const CacheRecord &record, const Step &step,
                         const PortablePaths &paths);

/// What encodeRecord() wrote for `step` as it is now: the outcome is that
/// step's, and places in the manifest have moved along with the bubble. Nothing
/// when it isn't such a text, or not of `key`.
std::optional<StepOutcome> decodeOutcome(StringRef text, StringRef key,
                                         const Step &step,
                                         const PortablePaths &paths);

/// The key in such a text; nothing when it isn't one.
std::optional<StepKey> decodeKey(StringRef text);

} // namespace lh

#endif // LH_CORE_CACHE_CACHERECORD_H
