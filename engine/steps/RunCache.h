// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache of steps, from before a run to after it.
#ifndef LH_STEPS_RUNCACHE_H
#define LH_STEPS_RUNCACHE_H

#include "core/cache/RemoteCache.h"
#include "core/support/DriverEnv.h"
#include "steps/CachedStepRunner.h"
#include "steps/ManifestOptions.h"

namespace lh {

class Engine;

/// What `cache` and `env` say of where it is; empty: there is none.
std::string cacheFolder(const CacheOptions &cache, const DriverEnv &env);

/// The cache, for the runs of one plan with one engine.
class RunCache {
public:
  /// Looks up all steps of `plan`. Warnings go to standard error at once, and
  /// count for nothing. `engine` and `env` are borrowed.
  RunCache(const Plan &plan, Engine &engine, const CacheOptions &options,
           const std::string &folder, const DriverEnv &env);

  /// Whether it is of this plan.
  bool isFor(const Plan &plan) const;

  StepRunner &runner() { return stepRunner; }

  /// The steps that will run.
  std::vector<Step> stepsThatRun(const Plan &plan) const;

  /// After a run: reports what could not be kept, sends what was made to the
  /// remote cache, and keeps to the bound.
  void finish();

private:
  std::vector<CachedStep> lookUp(const Plan &plan, Engine &engine,
                                 const CacheOptions &options);
  void fetch(ArrayRef<StepKey> keys);
  void sayWhyOff();

  const DriverEnv &env;
  CacheStore store;
  PortablePaths paths;
  std::optional<RemoteCache> remote;
  std::vector<CachedStep> steps;
  CachedStepRunner stepRunner;
};

} // namespace lh

#endif // LH_STEPS_RUNCACHE_H
