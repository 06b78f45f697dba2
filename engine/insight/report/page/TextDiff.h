// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lines of a module changed, whatever its values are numbered.
#ifndef LH_INSIGHT_REPORT_PAGE_TEXTDIFF_H
#define LH_INSIGHT_REPORT_PAGE_TEXTDIFF_H

#include "core/support/Diagnostic.h"

#include <optional>

namespace lh {

enum class DiffSide { Both, Before, After };

struct DiffLine {
  DiffSide side = DiffSide::Both;
  StringRef text; ///< borrowed; of the text after, where both have it
  size_t before = 0, after = 0; ///< its number in each, from 1
};

/// All lines of both texts. Lines that differ only in the numbers of values
/// (%12, #map3) count as equal: one new operation renumbers all below it.
/// Nothing when the texts have more than `mostChanges` changes.
std::optional<std::vector<DiffLine>>
diffLines(StringRef before, StringRef after, size_t mostChanges = 4000);

} // namespace lh

#endif // LH_INSIGHT_REPORT_PAGE_TEXTDIFF_H
