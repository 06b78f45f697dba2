// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts in drawings: escaped for each format, cut, and measured.
#ifndef LH_INSIGHT_MAP_TEXT_H
#define LH_INSIGHT_MAP_TEXT_H

#include "core/support/Diagnostic.h"

namespace lh {

/// For text and attribute values (in either quotes) of HTML, SVG and XML:
/// escaped, valid UTF-8, without the control characters that XML forbids and
/// those that turn the direction of writing (U+FFFD stands for each).
std::string escapeMarkup(StringRef text);

/// Within double quotes of DOT.
std::string escapeDot(StringRef text);

/// Within double quotes of a Mermaid label.
std::string escapeMermaid(StringRef text);

/// At most `maximum` characters (not bytes), ending in an ellipsis if cut.
std::string shortened(StringRef text, size_t maximum);

/// About how wide `text` is in a common sans-serif face, in pixels; rather
/// too much than too little.
double textWidth(StringRef text, double fontSize, bool bold = false);

} // namespace lh

#endif // LH_INSIGHT_MAP_TEXT_H
