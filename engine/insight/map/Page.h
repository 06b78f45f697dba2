// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame of every page that lh-run writes: one file, no network.
#ifndef LH_INSIGHT_MAP_PAGE_H
#define LH_INSIGHT_MAP_PAGE_H

#include "core/support/Diagnostic.h"

namespace lh {

/// What a page adds to the frame. Everything but `title` is written as it is:
/// whoever fills it escapes (`escapeMarkup`).
struct Page {
  std::string title;
  std::string body;
  std::string styles; ///< after those of maps and of the frame
  std::string script; ///< after the frame's own
};

/// The page as HTML. Its content security policy lets no script run but its
/// own, and nothing be loaded. The frame's styles know `header`, `.layout` with
/// `nav` and `main`, `.panel`, `.drawer`, `table`; light, dark and print.
std::string htmlPage(const Page &page);

} // namespace lh

#endif // LH_INSIGHT_MAP_PAGE_H
