// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The style sheets and scripts of this folder, as text.
#ifndef LH_INSIGHT_MAP_PAGEASSETS_H
#define LH_INSIGHT_MAP_PAGEASSETS_H

namespace lh {

extern const char *const mapCss;     ///< map.css
extern const char *const pageCss;    ///< page.css
extern const char *const pageScript; ///< page.js

} // namespace lh

#endif // LH_INSIGHT_MAP_PAGEASSETS_H
