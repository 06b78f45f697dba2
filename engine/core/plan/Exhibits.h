// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors that a comparison is judged by, from the files of its leaves.
#ifndef LH_CORE_PLAN_EXHIBITS_H
#define LH_CORE_PLAN_EXHIBITS_H

#include "core/numerics/Tensor.h"
#include "core/plan/RunRecord.h"
#include "core/plan/Selections.h"

namespace lh {

using NamedFiles = std::vector<std::pair<std::string, std::string>>;

/// Fails with the reason.
FailureOr<Tensor> loadTensor(const std::string &path, std::string &reason);

/// What a leaf has written.
NamedFiles filesOf(const StepOutcome &outcome);

/// Pairs outputs with references: by name when the references have names, else
/// by position. What is missing or left over is told in `mismatch`.
std::vector<std::pair<size_t, size_t>> pairOutputs(const NamedFiles &actual,
                                                   const NamedFiles &expected,
                                                   std::string &mismatch);

/// What the oracle's leaves hold about one output besides its values.
struct Exhibits {
  std::optional<Tensor> bounds, plain, scoreBounds;
  std::optional<std::pair<Tensor, int64_t>> scores, plainScores;
  /// What boxes were selected from, and the plain lowering's.
  std::optional<Tensor> rules, boxes, boxScores, plainBoxes, plainBoxScores;
};

Exhibits gatherExhibits(const PlannedComparison &comparison,
                        ArrayRef<StepOutcome> outcomes,
                        const std::string &name);

/// What the boxes were selected from, where both lowerings tell.
std::optional<SelectionSource> selectionOf(const Exhibits &exhibits);

} // namespace lh

#endif // LH_CORE_PLAN_EXHIBITS_H
