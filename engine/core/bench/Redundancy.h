// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of several things that cost nothing one by one can go together.
#ifndef LH_CORE_BENCH_REDUNDANCY_H
#define LH_CORE_BENCH_REDUNDANCY_H

#include "core/support/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lh {

struct Redundancy {
  /// Together they cost nothing: none of them is needed.
  std::vector<std::string> removable;
  /// Two of which one is needed, and does as well as the other.
  std::vector<std::pair<std::string, std::string>> pairs;
  /// Needed once several others are gone, no single one of which is its pair.
  std::vector<std::string> needed;
};

/// Whether leaving all of these out costs something; nothing: nobody will
/// answer any more.
using CostQuestion =
    llvm::function_ref<std::optional<bool>(ArrayRef<std::string>)>;

/// Takes away `costless`, which cost nothing one by one, half by half, and
/// looks for the partner of each that is then needed. Asks once where all can
/// go, and about log2 of their number for each that can't.
Redundancy findRedundancy(ArrayRef<std::string> costless, CostQuestion costs);

} // namespace lh

#endif // LH_CORE_BENCH_REDUNDANCY_H
