// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `{name}` in the words of programs: places that are known when one is started.
#ifndef LH_CORE_MANIFEST_PLACEHOLDERS_H
#define LH_CORE_MANIFEST_PLACEHOLDERS_H

#include "core/support/Diagnostic.h"

#include <map>
#include <string>
#include <vector>

namespace lh {

/// The names in braces, in their order: letters and `_` alone.
std::vector<StringRef> placesIn(StringRef word);

/// `word` with what the names in braces stand for; each place once, so that
/// nothing in a path is taken for a name. What stands for nothing stays.
std::string withPlaces(StringRef word,
                       const std::map<std::string, std::string> &places);

} // namespace lh

#endif // LH_CORE_MANIFEST_PLACEHOLDERS_H
