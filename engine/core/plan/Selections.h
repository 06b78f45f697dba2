// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes that NonMaxSuppression selected, judged by the numbers it looked at.
#ifndef LH_CORE_PLAN_SELECTIONS_H
#define LH_CORE_PLAN_SELECTIONS_H

#include "core/numerics/Tensor.h"

namespace lh {

/// The operator's inputs that are no tensors, as lh-expose-scores hands them
/// out: four numbers, in this order.
struct SelectionRules {
  int64_t limit = 0; ///< boxes per image and class
  double overlapLimit = 0;
  double scoreLimit = 0; ///< -infinity: every score is good
  bool isCentred = false;

  /// Nothing when the tensor doesn't hold four numbers.
  static std::optional<SelectionRules> from(const Tensor &numbers);
};

/// What was selected from, as the oracle has it (float64): boxes of shape
/// [images, boxes, 4], scores of [images, classes, boxes]. Borrowed.
struct SelectionSource {
  const Tensor &boxes, &scores;
  SelectionRules rules;
  /// How far any coordinate and any score may be off.
  double boxSlack = 0, scoreSlack = 0;
};

/// Goes through the selection step by step and tells the first that can't be
/// right, or "". A step can be right where coordinates and scores within their
/// slack, and overlaps computed in float32 from those, allow it: then a box may
/// come before another, be left out or not. Without slack, equal scores go by
/// position. `rows` holds (image, class, box), of shape [n, 3].
///
/// Nothing when the numbers don't allow a judgement: NaN, infinities and
/// magnitudes whose areas may overflow.
std::optional<std::string> faultOfSelection(const Tensor &rows,
                                            const SelectionSource &source);

} // namespace lh

#endif // LH_CORE_PLAN_SELECTIONS_H
