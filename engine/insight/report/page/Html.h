// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text for HTML pages: escaped names, numbers that people read.
#ifndef LH_INSIGHT_REPORT_PAGE_HTML_H
#define LH_INSIGHT_REPORT_PAGE_HTML_H

#include "core/support/Diagnostic.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace lh {

/// Prints `text` so that it is text, between tags and in quoted attributes:
/// markup is escaped, broken UTF-8 repaired; control characters and those that
/// turn the direction of writing are shown as U+FFFD.
struct Html {
  std::string text;
};
llvm::raw_ostream &operator<<(llvm::raw_ostream &out, const Html &html);

/// "1.2e-05", "nan", "inf".
std::string numberText(double value);
/// An error as a share of what is allowed: "12 %"; "wrong" where nothing is.
std::string allowedText(double share);
/// "12,345".
std::string countText(int64_t value);
/// "3.4 MB".
std::string bytesText(double bytes);
/// "1.45 ms" for pages: as durationText, with the sign for micro.
std::string timeText(double seconds);

/// " selected" names: a word for CSS of "not applicable" is "not-applicable".
std::string cssClass(StringRef name);

} // namespace lh

#endif // LH_INSIGHT_REPORT_PAGE_HTML_H
