// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small steps sideways are taken out of a layout.
#ifndef LH_INSIGHT_MAP_STRAIGHTEN_H
#define LH_INSIGHT_MAP_STRAIGHTEN_H

#include "core/support/Diagnostic.h"

namespace lh {

/// Something that stands in a row: from `x - left` to `x + right`.
struct Column {
  unsigned rank = 0;
  double x = 0, left = 0, right = 0;
};

/// A hop is upright when `to` stands at `from`'s x plus `offset`.
struct UprightWish {
  size_t from = 0, to = 0;
  double offset = 0;
  size_t weight = 1;
};

/// Makes hops upright, the weightiest first, by moving what they join by at
/// most `limit`, together with all that is upright to it already, where
/// neighbours in a row stay `gap` apart.
void straighten(std::vector<Column> &columns, ArrayRef<UprightWish> wishes,
                double limit, double gap);

} // namespace lh

#endif // LH_INSIGHT_MAP_STRAIGHTEN_H
