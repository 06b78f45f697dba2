// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which steps of a plan need not run, since what they do is known.
#include "core/cache/CachePlan.h"

#include "core/cache/CacheRecord.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {

/// What a step's children want of it.
struct Demand {
  bool module = false, code = false;

  void operator|=(Demand other) {
    module |= other.module;
    code |= other.code;
  }
};

class Planner {
public:
  Planner(const Plan &plan, const PortablePaths &paths, CacheStore &store,
          DiagnosticSink &sink)
      : plan(plan), paths(paths), store(store), sink(sink) {}

  Demand decide(const Step &step, Demand wanted, CachedStep &cached);

private:
  bool find(const Step &step, CachedStep &cached);
  bool load(const Step &step, CachedStep &cached);
  bool use(CacheLookup found, const Step &step, CachedStep &cached);

  const Plan &plan;
  const PortablePaths &paths;
  CacheStore &store;
  DiagnosticSink &sink;
};

} // namespace

template <typename Action> static bool is(const Step &step) {
  return std::holds_alternative<Action>(step.action);
}

/// Notes a miss, and reports damage.
bool Planner::use(CacheLookup found, const Step &step, CachedStep &cached) {
  if (found == CacheLookup::Found)
    return true;
  cached.miss = CachedStep::Miss::Unknown;
  if (found == CacheLookup::Missing)
    return false;
  cached.miss = CachedStep::Miss::Damaged;
  sink.warning(DiagKind::ExecCacheDamaged, step.declaredAt,
               "the cache's entry of bubble '" + step.bubble +
                   "' is damaged; it is dropped, and the bubble runs");
  store.remove(cached.key.key);
  return false;
}

bool Planner::find(const Step &step, CachedStep &cached) {
  CacheHead head;
  if (!use(store.find(cached.key.key, head), step, cached))
    return false;
  auto outcome = decodeOutcome(head.about, cached.key.key, step, paths);
  if (!outcome)
    return use(CacheLookup::Damaged, step, cached);
  cached.outcome = std::move(*outcome);
  if (head.contentBytes == 0)
    cached.miss = CachedStep::Miss::NotKept;
  return true;
}

/// What the step left behind, into `cached.content`.
bool Planner::load(const Step &step, CachedStep &cached) {
  if (cached.miss == CachedStep::Miss::NotKept ||
      !use(store.read(cached.key.key, cached.content), step, cached))
    return false;
  cached.decision = CacheDecision::Load;
  return true;
}

/// Which takes less than to look for what it printed.
static bool printsModule(const Step &step) {
  const auto *emit = std::get_if<EmitAction>(&step.action);
  return emit && emit->format == EmitFormat::Mlir;
}

/// What a step wants of its parent when it runs.
static Demand whenRun(const Step &step, Demand wanted) {
  if (is<ImportAction>(step))
    return {};
  if (is<RunAction>(step))
    return {wanted.module, true};
  return {true, is<EmitAction>(step) && wanted.code};
}

/// Returns what the step wants of its parent.
Demand Planner::decide(const Step &step, Demand wanted, CachedStep &cached) {
  if (cached.key.key.empty() || printsModule(step) || !find(step, cached))
    return whenRun(step, wanted);
  // These leave the module as it is.
  bool passes = is<EmitAction>(step) || is<CompileAction>(step);
  bool makes = is<EmitAction>(step) ||
               (is<CompileAction>(step) ? wanted.code : wanted.module);
  if (!passes && !is<ImportAction>(step) && !cached.outcome.changedModule) {
    passes = true;
    makes = false;
  }
  if (makes && !load(step, cached))
    return whenRun(step, wanted);
  if (!makes)
    cached.decision = CacheDecision::Skip;
  cached.miss = CachedStep::Miss::None;
  Demand demand;
  demand.module = passes && wanted.module;
  demand.code = is<EmitAction>(step) && wanted.code;
  return demand;
}

/// The innermost chain that the step is of: 'optimize/tile' for
/// 'optimize/tile/single'.
static StringRef chainOf(const Step &step) {
  return StringRef(step.bubble).rsplit('/').first;
}

/// Whether a later run may well begin with the module after this step: behind
/// whole chains, where the tree forks, and before code is made of it.
static bool keepsModule(const Plan &plan, const Step &step) {
  if (is<CompileAction>(step) || is<EmitAction>(step) || is<RunAction>(step))
    return false;
  return step.children.size() != 1 ||
         llvm::any_of(step.children, [&](StepId child) {
           return chainOf(plan.steps[child]) != chainOf(step) ||
                  is<CompileAction>(plan.steps[child]);
         });
}

std::vector<CachedStep> lh::planCache(const Plan &plan,
                                      std::vector<StepKey> keys,
                                      const PortablePaths &paths,
                                      CacheStore &store, DiagnosticSink &sink) {
  Planner planner(plan, paths, store, sink);
  std::vector<CachedStep> steps(plan.steps.size());
  std::vector<Demand> wanted(plan.steps.size());
  for (const Step &step : llvm::reverse(plan.steps)) {
    CachedStep &cached = steps[step.id];
    cached.key = std::move(keys[step.id]);
    Demand demand = planner.decide(step, wanted[step.id], cached);
    if (step.parent)
      wanted[*step.parent] |= demand;
    cached.keepsModule = keepsModule(plan, step);
  }
  return steps;
}
