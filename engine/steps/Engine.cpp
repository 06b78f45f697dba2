// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the parts that do steps, from the command line's flags.
#include "steps/Engine.h"

#include "runtime/Backends.h"
#include "runtime/emulated/Emulation.h"
#include "steps/ExternalPrograms.h"
#include "steps/KernelBodies.h"
#include "steps/ProgramTests.h"
#include "steps/RunCache.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lh;

/// The gaps as a plugin: beside lh-run where it was built, among the libraries
/// where it is installed.
static std::string findGapsPlugin(StringRef programFolder) {
  constexpr StringRef name = "lighthouse-gaps.so";
  for (StringRef folder : {"", "/../" LH_LIBRARY_FOLDER}) {
    llvm::SmallString<128> path(programFolder);
    path += folder;
    llvm::sys::path::append(path, name);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return name.str();
}

Engine::Engine(const Options &options)
    : hostFacts(detectHost()),
      backendRegistry(
          makeBackends(hostFacts, options.devices, options.allowExec)),
      declareDialects([this](const Located<std::string> &file,
                             DiagnosticSink &sink) {
        return mlirSession.declareDialects(file, sink);
      }),
      allowExec(options.allowExec && !options.startsNothing),
      startsNothing(options.startsNothing) {
  programs = std::make_unique<ProgramTests>(mlirSession);
  mlirSession.setGapsPlugin(findGapsPlugin(hostFacts.programFolder));
}

Engine::~Engine() = default;

std::vector<Step> Engine::useCache(const Plan &plan, const DriverEnv &env) {
  std::string folder = cacheOptions ? cacheFolder(*cacheOptions, env) : "";
  cache.reset();
  if (folder.empty())
    return plan.steps;
  cache = std::make_unique<RunCache>(plan, *this, *cacheOptions, folder, env);
  return cache->stepsThatRun(plan);
}

ProgramTestReader Engine::programReader() const {
  return [this](const std::string &path, DiagnosticSink &sink) {
    return programs->read(path, sink);
  };
}

RunCache *Engine::cacheFor(const Plan &plan) {
  return cache && cache->isFor(plan) ? cache.get() : nullptr;
}

KernelCodeFunction Engine::kernelCodes() const {
  return [this](const KernelSpec &kernel, const TargetSpec &target,
                DiagnosticSink &sink) {
    bool compiles =
        allowExec || (!startsNothing && isOfLibrary(kernel, libraryDirs));
    return kernelCode(kernel, target, hostFacts, compiles, sink);
  };
}

FailureOr<std::unique_ptr<Engine>> Engine::create(const Options &options,
                                                  DiagnosticSink &sink) {
  std::unique_ptr<Engine> engine(new Engine(options));
  for (const std::string &plugin : options.plugins)
    if (failed(engine->mlirSession.loadPlugin(plugin, sink)))
      return failure();
  engine->libraryDirs = options.libraryDirs;
  EngineRunnerOptions runner = options.runner;
  runner.module.kernelCode = engine->kernelCodes();
  if (engine->allowExec)
    runner.module.runCommand = runExternalCommand;
  runner.countsInstructions &= isCountingPluginThere(engine->hostFacts);
  runner.keepsProducts = options.cache.has_value();
  engine->pluginFiles = options.plugins;
  engine->cacheOptions = options.cache;
  engine->stepRunner = std::make_unique<EngineStepRunner>(
      engine->mlirSession, engine->backendRegistry, std::move(runner));
  return engine;
}

std::unique_ptr<EngineStepRunner> Engine::quietRunner(StringRef scratchFolder) {
  EngineRunnerOptions options;
  options.scratchFolder = scratchFolder.str();
  options.module.kernelCode = kernelCodes();
  if (allowExec)
    options.module.runCommand = runExternalCommand;
  return std::make_unique<EngineStepRunner>(mlirSession, backendRegistry,
                                            std::move(options));
}
