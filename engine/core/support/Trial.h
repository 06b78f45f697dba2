// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether work that may crash comes to its end.
#ifndef LH_CORE_SUPPORT_TRIAL_H
#define LH_CORE_SUPPORT_TRIAL_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>

namespace lh {

/// What a trial may take.
struct TrialLimits {
  uint64_t bytes = 0;   ///< beyond what this process holds
  unsigned seconds = 0; ///< of processor time; ten times that of the clock
};

/// Does `work` in a child process, in silence, and forgets what it made. Empty
/// if it comes to its end, otherwise what ends it: "aborts", "takes more than
/// 10 s". Other threads don't exist in the child: what waits for one runs into
/// the limit. Where no child can be made, nothing is tried.
std::string endOfTrial(llvm::function_ref<void()> work,
                       const TrialLimits &limits);

} // namespace lh

#endif // LH_CORE_SUPPORT_TRIAL_H
