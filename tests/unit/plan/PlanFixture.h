// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small graphs and a machine to plan for.
#ifndef LH_TESTS_PLAN_PLANFIXTURE_H
#define LH_TESTS_PLAN_PLANFIXTURE_H

#include "core/numerics/Tensor.h"
#include "core/plan/MakePlan.h"

namespace lh {

Located<std::string> named(const std::string &text);
Expression literal(const std::string &text);
Expression reference(Reference::Scope scope, const std::string &name);

/// An x86 machine with a file system in memory; targets whose name begins with
/// "far" can't run on it.
struct Machine {
  Machine();
  void addFile(const std::string &path, const std::string &content = "");
  /// model.onnx, one input, one output and their sidecar, at /golden/<name>.
  void addGolden(const std::string &name);
  /// A sidecar for outputs `y` of float32 and the model "model", for `target`;
  /// `more` are further fields, each with a comma before it.
  void addSidecar(const std::string &folder, const std::string &target = "any",
                  const std::string &more = "");

  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files;
  PlanHost facts;
};

/// The content of a .npy file.
std::string npy(const std::vector<double> &values,
                DType dtype = DType::Float32);

/// import (reads ${case.model}) -> fuse -> {lower -> run, loops -> run2}: the
/// pipelines `fast` and `plain`; target `host`; case `digits`, a golden.
ResolvedGraph makeGraph();

void addTarget(ResolvedGraph &graph, const std::string &name,
               int64_t vectorBits);
void addPasses(ResolvedGraph &graph, const std::string &name,
               Expression pipeline);

/// What making a plan gave.
struct Planned {
  FailureOr<Plan> plan = failure();
  std::vector<Diagnostic> diagnostics;

  bool failedWith(DiagKind kind) const {
    return failed(plan) && !diagnostics.empty() &&
           diagnostics.front().kind == kind;
  }
};
Planned planFor(const ResolvedGraph &graph, const Machine &machine,
                const Selection &selection = {});

/// How many steps have this bubble's name.
size_t countSteps(const Plan &plan, StringRef bubble);

} // namespace lh

#endif // LH_TESTS_PLAN_PLANFIXTURE_H
