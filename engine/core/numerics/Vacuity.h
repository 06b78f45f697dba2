// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons that wrong outputs would pass as well.
#ifndef LH_CORE_NUMERICS_VACUITY_H
#define LH_CORE_NUMERICS_VACUITY_H

#include "core/numerics/Comparator.h"

namespace lh {

/// What a comparison can't notice, or why its expected values say nothing.
enum class Vacuity {
  Unjudged, ///< no element has a finite bound
  Zeros,    ///< an output of zeros would pass
  Constant, ///< an output that is the same everywhere would pass
  Shuffled, ///< the expected values in another order would pass
  /// The expected values are all the same.
  ConstantExpected,
  /// Each row (along the last dimension) of the expected values sums to 1 and
  /// is within 1 % of uniform: a softmax to which its logits make no
  /// difference.
  UniformRows
};

struct VacuityFinding {
  Vacuity kind;
  std::string words; ///< "an output of zeros would pass"
};

/// What makes comparing an output of `actualType` with `expected` vacuous;
/// `tolerance` and `bounds` are as for compareTensors(). At most one finding
/// says what would pass, the plainest, and at most one what is wrong with the
/// expected values; both are found in one pass that ends as soon as they are
/// out of the question, in constant memory.
///
/// - Without elements there is no finding.
/// - Zeros that are expected everywhere may pass as zeros; they are a
///   ConstantExpected.
/// - Constant and Shuffled need two different expected values: of one element
///   only zero tells whether its size was checked.
/// - ConstantExpected leaves out a single element, bool and integers of 32 and
///   64 bits: masks, indices and shapes are often the same everywhere.
/// - `seed` decides the order in Shuffled.
std::vector<VacuityFinding> findVacuity(const Tensor &expected,
                                        DType actualType,
                                        const Tolerance &tolerance,
                                        const Tensor *bounds = nullptr,
                                        uint64_t seed = 0);

} // namespace lh

#endif // LH_CORE_NUMERICS_VACUITY_H
