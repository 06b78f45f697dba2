// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts values into a bubble's expressions.
#ifndef LH_CORE_PLAN_BINDACTION_H
#define LH_CORE_PLAN_BINDACTION_H

#include "core/graph/Evaluate.h"
#include "core/graph/ResolvedGraph.h"
#include "core/plan/Plan.h"

namespace lh {

/// All that a bubble's expressions may refer to, and what a run needs besides.
/// Everything is borrowed.
struct BindingPoint {
  const TargetSpec &target;
  const DataSet &data;
  const std::map<std::string, Value> &sweepPoint;
  Scope scope;
  /// The target's code runs on this machine's own processor.
  bool isNative = true;
  /// It runs on a simulation of the target's device.
  bool isSimulated = false;
  StringRef outputFolder = {};    ///< see emitPlace()
  ArrayRef<TunedSpec> tuned = {}; ///< of all targets
  std::shared_ptr<const std::map<std::string, Value>> facts = {}; ///< target's
  /// Of a path that ends in a tool: what the tool says of itself.
  StringRef toolVersion = {};
  std::string model = {}; ///< that the path's import reads
};

/// The steps that `bubble` stands for at `point`: two (compile, run) for
/// `execute`, one for all others. Parents and ids are not set. Fails, after
/// reporting, when a value is not there.
FailureOr<std::vector<Step>> bindBubble(const ResolvedBubble &bubble,
                                        const BindingPoint &point,
                                        DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_PLAN_BINDACTION_H
