// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache of steps, from before a run to after it.
#include "steps/RunCache.h"

#include "compiler/ingress/onnx/ModelFiles.h"
#include "core/cache/CacheNotes.h"
#include "core/cache/EngineBuild.h"
#include "core/cache/FileIdentity.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"
#include "core/support/Version.h"
#include "steps/Engine.h"
#include "steps/GraphLoader.h"

#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace lh;

std::string lh::cacheFolder(const CacheOptions &cache, const DriverEnv &env) {
  if (cache.off)
    return "";
  if (!cache.folder.empty())
    return absolutePath(cache.folder, workingDirectory());
  return env.cacheDir;
}

static std::string hashFolderOf(const CacheStore &store) {
  return store.folder() + "/hashes";
}

static KeyContext contextOf(Engine &engine, const CacheOptions &options,
                            const PortablePaths &paths,
                            const CacheStore &store) {
  KeyContext context;
  context.paths = paths;
  context.hashFolder = hashFolderOf(store);
  context.engine.push_back({"engine build", engineBuild()});
  for (const auto &[name, version] : versions())
    context.engine.push_back({name, version});
  FileIdentities files;
  for (const std::string &plugin : engine.plugins())
    context.engine.push_back(
        {"plugin '" + paths.pack(plugin) + "'", files.byContents(plugin)});
  context.paranoid = options.paranoid;
  context.filesOfModel = externalFilesOf;
  context.codeFacts = [&engine](const TargetSpec &target) {
    const Backend *backend = engine.backends().find(target.backend);
    return backend ? backend->codeFacts(target) : "";
  };
  return context;
}

namespace {
/// Prints without counting: --strict is about manifests, not about caches.
struct Printer {
  explicit Printer(const DriverEnv &env)
      : sources(env.files), sink(env.err, sources, sinkOptions(env)) {}

  SourceStore sources;
  StreamSink sink;
};
} // namespace

/// Whatever comes is kept here first, and looked at as if it had been.
void RunCache::fetch(ArrayRef<StepKey> keys) {
  std::vector<std::string> missing;
  std::set<StringRef> asked;
  for (const StepKey &key : keys)
    if (!key.key.empty() && !store.has(key.key) && asked.insert(key.key).second)
      missing.push_back(key.key);
  size_t damaged = 0;
  remote->fetch(missing, [&](StringRef key, StringRef bytes) {
    damaged += !store.adopt(key, bytes);
  });
  if (damaged > 0)
    Printer(env).sink.warning(DiagKind::ExecCacheDamaged, {},
                              Twine(damaged) + " entries of the cache at '" +
                                  remote->url() +
                                  "' are damaged; they are made again");
  sayWhyOff();
}

/// Once: it stays off.
void RunCache::sayWhyOff() {
  if (!remote || remote->problem().empty())
    return;
  Printer(env).sink.warning(
      DiagKind::ExecRemoteCache, {},
      "the remote cache '" + remote->url() +
          "' is left out of this run: " + remote->problem());
  remote.reset();
}

std::vector<CachedStep> RunCache::lookUp(const Plan &plan, Engine &engine,
                                         const CacheOptions &options) {
  Printer printer(env);
  if (!store.whyUnusable().empty())
    printer.sink.warning(DiagKind::ExecCacheUnusable, {},
                         "nothing can be kept in '" + store.folder() +
                             "': " + store.whyUnusable() +
                             "; '--cache DIR' names another folder, "
                             "'--no-cache' does without");
  std::vector<StepKey> keys =
      keysOf(plan, contextOf(engine, options, paths, store));
  if (remote)
    fetch(keys);
  std::vector<CachedStep> steps =
      planCache(plan, std::move(keys), paths, store, printer.sink);
  if (!options.explain)
    return steps;
  std::vector<std::string> notes =
      cacheNotes(plan, steps, paths, store, workingDirectory());
  for (size_t i = 0; i < steps.size(); ++i)
    steps[i].note = std::move(notes[i]);
  return steps;
}

/// A folder that the command line names is trusted as a plugin is.
static std::optional<uid_t> ownerOf(const CacheOptions &options) {
  return options.folder.empty() ? std::optional(geteuid()) : std::nullopt;
}

static PortablePaths pathsOf(const Plan &plan, const Engine &engine,
                             const CacheStore &store) {
  PortablePaths paths(folderOf(plan.file), engine.libraries());
  FileIdentities files(hashFolderOf(store));
  for (const Step &step : plan.steps)
    if (const auto *import = std::get_if<ImportAction>(&step.action))
      if (llvm::sys::path::is_absolute(import->path))
        paths.addFolder(folderOf(import->path),
                        keyHex({files.byContents(import->path)}).substr(0, 16));
  return paths;
}

static std::optional<RemoteCache> remoteOf(const CacheOptions &options) {
  std::optional<RemoteCacheAddress> address = parseRemoteCache(options.remote);
  return address ? std::optional<RemoteCache>(*address) : std::nullopt;
}

RunCache::RunCache(const Plan &plan, Engine &engine,
                   const CacheOptions &options, const std::string &folder,
                   const DriverEnv &env)
    : env(env), store(folder, options.mebibytes << 20, ownerOf(options)),
      paths(pathsOf(plan, engine, store)), remote(remoteOf(options)),
      steps(lookUp(plan, engine, options)),
      stepRunner(engine.runner(), steps, paths, store,
                 engine.session().context()) {
  engine.runner().setPaths(paths);
}

bool RunCache::isFor(const Plan &plan) const {
  bool same = plan.steps.size() == steps.size();
  for (size_t i = 0; same && i < steps.size(); ++i) {
    StringRef place = steps[i].key.place;
    same = place == plan.steps[i].bubble ||
           place.ends_with(" " + plan.steps[i].bubble);
  }
  return same;
}

std::vector<Step> RunCache::stepsThatRun(const Plan &plan) const {
  std::vector<Step> list;
  for (const Step &step : plan.steps)
    if (steps[step.id].decision == CacheDecision::Run)
      list.push_back(step);
  return list;
}

void RunCache::finish() {
  std::string failures = store.failures();
  if (!failures.empty())
    Printer(env).sink.warning(DiagKind::ExecCacheUnusable, {},
                              "in '" + store.folder() + "' " + failures);
  std::string whyNotPrivate = store.whyNotPrivate();
  if (!whyNotPrivate.empty())
    Printer(env).sink.warning(
        DiagKind::ExecCacheNotPrivate, {},
        whyNotPrivate + "; a cache holds code, so nothing of it was used; "
                        "'--cache DIR' uses a folder whoever may write to it");
  if (remote) {
    std::vector<std::string> made;
    std::set<StringRef> seen;
    for (const CachedStep &step : steps)
      if (step.decision == CacheDecision::Run && !step.key.key.empty() &&
          seen.insert(step.key.key).second)
        made.push_back(step.key.key);
    remote->store(made, [&](StringRef key) { return store.bytesOf(key); });
    sayWhyOff();
  }
  store.trim();
}
