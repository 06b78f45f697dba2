// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides about one output by the strongest criterion that applies.
#ifndef LH_CORE_PLAN_JUDGE_H
#define LH_CORE_PLAN_JUDGE_H

#include "core/manifest/Manifest.h"
#include "core/numerics/Comparator.h"
#include "core/plan/Picks.h"
#include "core/plan/RunRecord.h"
#include "core/plan/Selections.h"

namespace lh {

/// All that is known about one output. Tensors are borrowed.
struct Evidence {
  const Tensor &actual;
  const Tensor &expected;
  OracleMode mode = OracleMode::Tolerance;
  /// The inputs were drawn so that every value on the way is exact.
  bool isExactSet = false;
  /// The output depends on numbers that another generator drew for what is
  /// expected.
  bool isDrawn = false;
  /// How far each element may be off (float64, same shape), if derived.
  const Tensor *bounds = nullptr;
  /// The same output from the plain lowering in the model's own types.
  const Tensor *plain = nullptr;
  /// What the output's positions were picked from, if it holds positions; and
  /// the plain lowering's scores.
  std::optional<PickSource> picks = {};
  const Tensor *plainScores = nullptr;
  /// What the output's boxes were selected from, if it holds selected boxes.
  std::optional<SelectionSource> selection = {};
  Tolerance tolerance = {};   ///< by hand, else built in
  NumericsDecl numerics = {}; ///< what the bubbles of the path declare
};

struct Judgement {
  Criterion criterion = Criterion::Tolerance;
  CompareResult result;
  /// Why it failed though no single element did; else empty.
  std::string reason;
  /// Set when the demanded criterion doesn't apply: nothing was compared.
  std::string inapplicable;
  /// How the decision was reached, a line each.
  std::vector<std::string> basis;
  /// Wrong outputs that would have passed as well: nothing was verified.
  std::vector<std::string> vacuities;
  /// Expected values that say little.
  std::vector<std::string> warnings;
};

/// How far numbers that decide on positions may be off: as much as ratio allows
/// beside the plain lowering's. Infinite where that leaves the range.
double slackByRatio(const Tensor &plain, const Tensor &oracle);

/// `auto` takes exact for an exact data set, bound where one was derived,
/// ratio where a plain result is at hand, else the tolerance; the other modes
/// take theirs or nothing. What is drawn, and not equal within the tolerance,
/// is judged by its distribution. docs/numerics.md defines each.
Judgement judge(const Evidence &evidence);

} // namespace lh

#endif // LH_CORE_PLAN_JUDGE_H
