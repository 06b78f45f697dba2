// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which steps of a plan need not run, since what they do is known.
#ifndef LH_CORE_CACHE_CACHEPLAN_H
#define LH_CORE_CACHE_CACHEPLAN_H

#include "core/cache/CacheKeys.h"
#include "core/cache/CacheStore.h"
#include "core/plan/RunRecord.h"

namespace lh {

enum class CacheDecision {
  Run,
  Load, ///< what it left behind is at hand
  Skip  ///< what it left behind is not needed
};

/// What becomes of one step.
struct CachedStep {
  CacheDecision decision = CacheDecision::Run;
  StepKey key;
  /// Of Load and Skip: what it did.
  StepOutcome outcome = {};
  /// Of Load: the module as bytecode, the code that was compiled, or the bytes
  /// of the file that it writes.
  std::unique_ptr<llvm::MemoryBuffer> content = {};
  /// Of Run: why the cache did not have it.
  enum class Miss { None, Unknown, Damaged, NotKept } miss = Miss::None;
  /// Why it runs, where that was asked for.
  std::string note = {};
  /// Of Run: whether the module after it is to be kept.
  bool keepsModule = false;
};

/// Looks for every step of `plan` in `store`, from the leaves up: a step whose
/// result nobody asks for any more is not even loaded. What is damaged is told
/// to `sink`, dropped, and made again. `keys` are keysOf(plan), with `paths`.
std::vector<CachedStep> planCache(const Plan &plan, std::vector<StepKey> keys,
                                  const PortablePaths &paths, CacheStore &store,
                                  DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_CACHE_CACHEPLAN_H
