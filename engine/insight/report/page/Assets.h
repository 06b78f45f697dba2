// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page's own files, put into the program by CMake.
#ifndef LH_INSIGHT_REPORT_PAGE_ASSETS_H
#define LH_INSIGHT_REPORT_PAGE_ASSETS_H

#include "llvm/ADT/StringRef.h"

namespace lh::assets {

extern const llvm::StringRef pageSkeleton; ///< page.html
extern const llvm::StringRef pageStyle;    ///< page.css
extern const llvm::StringRef pageScript;   ///< page.js
extern const llvm::StringRef spaceStyle;   ///< space.css

} // namespace lh::assets

#endif // LH_INSIGHT_REPORT_PAGE_ASSETS_H
