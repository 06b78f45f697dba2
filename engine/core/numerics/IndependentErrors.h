// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many independent errors the elements of a result have.
#ifndef LH_CORE_NUMERICS_INDEPENDENTERRORS_H
#define LH_CORE_NUMERICS_INDEPENDENTERRORS_H

#include "core/numerics/Tensor.h"

namespace lh {

/// Of `actual` (same shape as `expected`): one for each element, as far as
/// normal errors of one size go. Fewer where some are far larger than the
/// others, as special numbers make them, or where a row's elements (of the last
/// dimension) share the rounding of its sums: as it is, after a mean was
/// subtracted; in proportion to the result, after a division. Errors that
/// aren't finite don't count; where all are 0, each element does.
double independentErrors(const Tensor &actual, const Tensor &expected);

} // namespace lh

#endif // LH_CORE_NUMERICS_INDEPENDENTERRORS_H
