// What does the steps: session, backends and runner, put together.
#ifndef LH_DRIVER_ENGINE_H
#define LH_DRIVER_ENGINE_H

#include "backend/EngineStepRunner.h"
#include "backend/HostFacts.h"
#include "driver/CommandLine.h"

#include <memory>

namespace lh {

class Engine {
public:
  struct Options {
    std::vector<std::string> plugins;
    bool allowExec = false;
    MlirPrintFlags print;
    std::string scratchFolder;       ///< may be empty when nothing runs
    bool keepsInputs = false;        ///< see EngineRunnerOptions
    bool countsInstructions = false; ///< likewise
    decltype(EngineRunnerOptions::afterRun) afterRun = {};
    decltype(EngineRunnerOptions::beforeRun) beforeRun = {};
    std::string snapshotFolder = {}; ///< see ModuleRunnerOptions
    DeviceChoice devices = DeviceChoice::Auto;
  };

  /// Fails when a plugin can't be loaded.
  static FailureOr<std::unique_ptr<Engine>> create(const Options &options,
                                                   DiagnosticSink &sink);

  const HostFacts &host() const { return hostFacts; }
  const BackendRegistry &backends() const { return backendRegistry; }
  MlirSession &session() { return mlirSession; }
  EngineStepRunner &runner() { return *stepRunner; }

  /// Another runner, which prints nothing and keeps no snapshots; what run
  /// steps leave goes to `scratchFolder`.
  std::unique_ptr<EngineStepRunner> quietRunner(StringRef scratchFolder);

private:
  explicit Engine(DeviceChoice devices);

  HostFacts hostFacts;
  BackendRegistry backendRegistry;
  MlirSession mlirSession;
  bool allowExec = false;
  std::unique_ptr<EngineStepRunner> stepRunner;
};

} // namespace lh

#endif // LH_DRIVER_ENGINE_H
