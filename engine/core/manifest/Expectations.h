// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures that a manifest announces, and when the announcement ends.
#ifndef LH_CORE_MANIFEST_EXPECTATIONS_H
#define LH_CORE_MANIFEST_EXPECTATIONS_H

#include "core/manifest/Manifest.h"

namespace lh {

/// Whether `text` can be an `until`: a date or a version.
bool isEnd(StringRef text);

/// What an announcement is measured by: the day as "2026-11-21", and the
/// versions of "lh-run" and "LLVM".
struct Present {
  std::string today;
  std::map<std::string, std::string> versions;
};

/// Why `until`, "2027-06-30" or "LLVM 23", is over; "" when it isn't. A day
/// counts to its end, a version ends with its beginning.
std::string whyOver(StringRef until, const Present &present);

} // namespace lh

#endif // LH_CORE_MANIFEST_EXPECTATIONS_H
