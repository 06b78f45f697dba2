// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a resolved graph to a plan: what to run, for whom, on which data.
#ifndef LH_CORE_PLAN_MAKEPLAN_H
#define LH_CORE_PLAN_MAKEPLAN_H

#include "core/graph/Resolver.h"
#include "core/manifest/Expectations.h"
#include "core/plan/Plan.h"

#include "llvm/Support/VirtualFileSystem.h"

#include <functional>

namespace lh {

/// What the command line picks out of a manifest. Patterns are globs, where
/// `*` matches anything.
struct Selection {
  /// Target names or patterns; none: the first that runs natively here, else
  /// the first that runs at all, else the first.
  std::vector<std::string> targets;
  std::vector<std::string> pipelines; ///< none: all
  /// A case of many folders is picked whole by its name, or in part by
  /// `name/folder`; none: all.
  std::vector<std::string> cases;
  /// Paths end after this bubble, whose module goes to `untilPath`.
  std::string until;
  std::string untilPath = "-";
  std::string outputFolder; ///< of `emit` bubbles; empty: the working folder
  /// `x=@file.npy` or `x=1x8x8xf32=normal`, in place of the cases' own.
  std::vector<std::string> inputs;
  std::optional<uint64_t> seed;     ///< in place of the generated cases' own
  ToleranceDecl tolerance;          ///< stronger than every other
  std::optional<OracleMode> oracle; ///< stronger than even `tolerance`
  /// Golden folders may lack outputs and provenance: these will be made.
  bool recordsGoldens = false;
};

/// One program of StableHLO's suite, with its tensors in files.
struct ProgramTest {
  std::string name; ///< of its function, where its file has several
  std::string model;
  std::vector<std::string> inputs, expected;
};

/// Takes the tests of a file apart.
using ProgramTestReader = std::function<FailureOr<std::vector<ProgramTest>>(
    const std::string &path, DiagnosticSink &sink)>;

/// Makes the dialects of a file of IRDL known, once; their names.
using DialectDeclarer = std::function<FailureOr<std::vector<std::string>>(
    const Located<std::string> &file, DiagnosticSink &sink)>;

/// Another compiler, as it was found on this machine.
struct ToolState {
  std::string version; ///< as it says itself
  std::string lacks;   ///< why it can't be used here; empty: it can
};

/// What planning must know of this machine. The file system is borrowed.
struct PlanHost {
  std::string architecture; ///< as `uname -m` says
  TargetSpec host;          ///< for the oracle, and manifests without targets
  /// Why a target's code can't run here, natively or emulated; "" if it can.
  std::function<std::string(const TargetSpec &)> whyNot;
  llvm::vfs::FileSystem &files;
  Present present = {}; ///< by which announced failures end
  /// What a kernel needs and this machine lacks; "" if it lacks nothing.
  std::function<std::string(const KernelSpec &)> kernelLacks = {};
  /// "simulated" or "software" for a target whose hardware is: its results are
  /// labelled so, beside the point of the sweep (ResultKey::sweep).
  std::function<std::string(const TargetSpec &)> deviceLabel = {};
  /// Asks a tool's own program; absent where none may be started.
  std::function<ToolState(const ToolSpec &)> askTool = {};
  ProgramTestReader readPrograms = {};
  DialectDeclarer declareDialects = {};
};

/// A plan that isn't complete is one of what is sound, to be prepared
/// (EngineStepRunner::prepare) but never run.
struct PlanParts {
  Plan plan;
  bool isComplete = true;
};

/// The same as makePlan as far as it goes. Reports every error but those that
/// only follow from what the graph lacks.
PlanParts planParts(const ResolvedGraph &graph, const MissingParts &missing,
                    const Selection &selection, const PlanHost &host,
                    DiagnosticSink &sink);

/// Expands paths x targets x cases x data sets x sweep points and shares equal
/// prefixes. Fails, after reporting every error, when a name of `selection`
/// fits nothing, a case lacks its files, a golden's recorded model hash
/// differs, or a value can't be bound.
FailureOr<Plan> makePlan(const ResolvedGraph &graph, const Selection &selection,
                         const PlanHost &host, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_PLAN_MAKEPLAN_H
