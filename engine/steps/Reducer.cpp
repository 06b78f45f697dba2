// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a module smaller while something stays true of it.
#include "steps/Reducer.h"

#include "compiler/ingress/mlir/MlirImporter.h"
#include "compiler/session/ModuleFile.h"
#include "compiler/session/ModuleText.h"
#include "steps/ModuleCuts.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace lh;

using OwnedModule = mlir::OwningOpRef<mlir::ModuleOp>;

struct Reducer::State {
  explicit State(MlirSession &session) : context(session.context()) {}

  mlir::ModuleOp shown() const { return candidate ? *candidate : *best; }

  bool attempt(llvm::function_ref<bool(mlir::ModuleOp)> cut);
  bool sweepOperations(size_t chunk);
  bool sweepOnce();
  void cutOperationsInChunks();
  void cutAllResults();
  void unwrapAll();
  void cutAttributesInChunks();
  bool isEnough() const { return limits->isEnough(); }
  size_t count() const { return operationsOf(*best).size(); }

  mlir::MLIRContext &context;
  OwnedModule best, candidate;
  size_t probes = 0;
  llvm::function_ref<bool()> stillTrue = nullptr;
  const ReduceLimits *limits = nullptr;
  Substitutes values = Substitutes::Arguments;
};

/// Keeps what `cut` makes of a copy, if that is still a module of the kind that
/// is looked for.
bool Reducer::State::attempt(llvm::function_ref<bool(mlir::ModuleOp)> cut) {
  if (isEnough())
    return false;
  OwnedModule copy = mlir::ModuleOp(*best).clone();
  if (!cut(*copy))
    return false;
  {
    mlir::ScopedDiagnosticHandler quiet(
        &context, [](mlir::Diagnostic &) { return llvm::success(); });
    if (failed(mlir::verify(*copy)))
      return false;
  }
  candidate = std::move(copy);
  ++probes;
  bool holds = stillTrue();
  if (holds)
    best = std::move(candidate);
  candidate = nullptr;
  return holds;
}

/// From the last operation to the first: what is before stays where it is.
bool Reducer::State::sweepOperations(size_t chunk) {
  bool any = false;
  for (size_t last = count(); last > 0 && !isEnough();) {
    size_t first = last > chunk ? last - chunk : 0;
    size_t before = count();
    any |= attempt([&](mlir::ModuleOp copy) {
      return cutOperations(copy, first, last, values) &&
             operationsOf(copy).size() < before;
    });
    last = std::min(first, count());
  }
  return any;
}

void Reducer::State::cutOperationsInChunks() {
  for (size_t chunk = count(); chunk > 0 && !isEnough(); chunk /= 2)
    sweepOperations(chunk);
}

void Reducer::State::cutAllResults() {
  for (size_t i = 0; i < functionCount(*best); ++i) {
    if (attempt([&](mlir::ModuleOp copy) {
          return cutResults(copy, i, std::nullopt);
        }))
      continue;
    constexpr unsigned mostResults = 64; // what isn't there costs no probe
    for (unsigned result = mostResults; result-- > 0 && !isEnough();)
      attempt([&](mlir::ModuleOp copy) { return cutResults(copy, i, result); });
  }
}

void Reducer::State::unwrapAll() {
  for (size_t i = 0; i < count() && !isEnough();) {
    bool unwrapped = attempt([&](mlir::ModuleOp copy) {
      return unwrapOperation(copy, i, values) &&
             operationsOf(copy).size() < count();
    });
    i += !unwrapped;
  }
}

void Reducer::State::cutAttributesInChunks() {
  for (size_t chunk = count(); chunk > 0 && !isEnough(); chunk /= 2)
    for (size_t last = count(); last > 0;) {
      size_t first = last > chunk ? last - chunk : 0;
      attempt([&](mlir::ModuleOp copy) {
        return cutAttributes(copy, first, last);
      });
      last = first;
    }
}

/// All kinds of cuts, each of which may make room for others.
bool Reducer::State::sweepOnce() {
  size_t before = count();
  cutOperationsInChunks();
  if (!limits->keepsValues && limits->changesValues) {
    cutAllResults();
    unwrapAll();
  }
  cutAttributesInChunks();
  if (limits->addsArguments && !limits->keepsValues && limits->changesValues)
    attempt(cutUnusedArguments);
  return count() < before;
}

Reducer::Reducer(MlirSession &session)
    : state(std::make_unique<State>(session)) {}

Reducer::~Reducer() = default;

LogicalResult Reducer::load(const std::string &path, DiagnosticSink &sink) {
  FailureOr<OwnedModule> module = importMlir(path, state->context, sink);
  if (failed(module))
    return failure();
  state->best = std::move(*module);
  return success();
}

void Reducer::reduce(llvm::function_ref<bool()> stillTrue,
                     const ReduceLimits &limits) {
  state->stillTrue = stillTrue;
  state->limits = &limits;
  state->values = !limits.changesValues  ? Substitutes::Nothing
                  : limits.keepsValues   ? Substitutes::Operands
                  : limits.addsArguments ? Substitutes::Arguments
                                         : Substitutes::Constants;
  while (state->sweepOnce() && !limits.isEnough())
    ;
  state->limits = nullptr;
  state->stillTrue = nullptr;
}

void Reducer::giveTo(ModuleRunner &runner) const {
  runner.setModule(state->shown().clone());
}

std::string Reducer::text() const { return moduleText(state->shown()); }

std::string Reducer::bytecode() const { return moduleBytecode(state->shown()); }

size_t Reducer::operationCount() const { return state->count(); }

size_t Reducer::probeCount() const { return state->probes; }
