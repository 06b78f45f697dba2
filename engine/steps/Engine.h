// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What does the steps: session, backends and runner, put together.
#ifndef LH_STEPS_ENGINE_H
#define LH_STEPS_ENGINE_H

#include "core/plan/MakePlan.h"
#include "core/support/DriverEnv.h"
#include "runtime/abi/HostFacts.h"
#include "steps/EngineStepRunner.h"
#include "steps/ManifestOptions.h"

#include <memory>

namespace lh {

class ProgramTests;
class RunCache;

class Engine {
public:
  struct Options {
    std::vector<std::string> plugins = {};
    bool allowExec = false;
    /// Nothing runs: plans may name any program, and none is started.
    bool startsNothing = false;
    /// The installed libraries, whose kernels are compiled without leave.
    std::vector<std::string> libraryDirs = {};
    DeviceChoice devices = DeviceChoice::Auto;
    /// What steps do may be kept, and found: see Engine::useCache().
    std::optional<CacheOptions> cache = {};
    EngineRunnerOptions runner = {}; ///< but what follows from the rest
  };

  /// Fails when a plugin can't be loaded.
  static FailureOr<std::unique_ptr<Engine>> create(const Options &options,
                                                   DiagnosticSink &sink);
  ~Engine();

  const HostFacts &host() const { return hostFacts; }
  const BackendRegistry &backends() const { return backendRegistry; }
  MlirSession &session() { return mlirSession; }
  EngineStepRunner &runner() { return *stepRunner; }
  /// The installed libraries' folders.
  const std::vector<std::string> &libraries() const { return libraryDirs; }
  ArrayRef<std::string> plugins() const { return pluginFiles; }
  /// Whether plans may name programs: with --allow-exec, or if none is started.
  bool mayNamePrograms() const { return allowExec || startsNothing; }

  /// Whether programs that files name may be started, to be asked something.
  bool startsPrograms() const { return allowExec; }

  /// From now on runs of `plan` take from the cache what it has, and keep what
  /// they do, if the options allow it and there is a cache. Returns the steps
  /// that will run.
  std::vector<Step> useCache(const Plan &plan, const DriverEnv &env);
  /// The cache when it is of this plan; else null.
  RunCache *cacheFor(const Plan &plan);

  /// Takes StableHLO's tests apart; the files go with the engine.
  ProgramTestReader programReader() const;

  /// Makes own dialects known to the session.
  const DialectDeclarer &dialectDeclarer() const { return declareDialects; }

  /// Another runner, which prints nothing and keeps no snapshots; what run
  /// steps leave goes to `scratchFolder`.
  std::unique_ptr<EngineStepRunner> quietRunner(StringRef scratchFolder);

private:
  explicit Engine(const Options &options);
  /// Where a runner has kernels' bodies from.
  KernelCodeFunction kernelCodes() const;

  HostFacts hostFacts;
  BackendRegistry backendRegistry;
  MlirSession mlirSession;
  DialectDeclarer declareDialects;
  bool allowExec, startsNothing;
  std::vector<std::string> libraryDirs;
  std::vector<std::string> pluginFiles;
  std::optional<CacheOptions> cacheOptions;
  std::unique_ptr<EngineStepRunner> stepRunner;
  std::unique_ptr<RunCache> cache;
  std::unique_ptr<ProgramTests> programs;
};

} // namespace lh

#endif // LH_STEPS_ENGINE_H
