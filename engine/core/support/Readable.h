// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text from users' files cut to what a reader takes in.
#ifndef LH_CORE_SUPPORT_READABLE_H
#define LH_CORE_SUPPORT_READABLE_H

#include "core/support/Diagnostic.h"

namespace lh {

/// A message with values in quotes of at most 200 bytes, and of at most 2,000
/// bytes in all: of what is longer, beginning and end are left.
std::string readableMessage(StringRef message);

/// A part of a line of text round a column.
struct LineExcerpt {
  StringRef text;
  size_t skipped = 0; ///< bytes of the line before `text`
  bool isCut = false; ///< there is more behind `text`
};

/// The line itself, or some 160 bytes of a very long one round `column` (from
/// 1), which must be in the line or right behind it.
LineExcerpt excerptOf(StringRef line, size_t column);

} // namespace lh

#endif // LH_CORE_SUPPORT_READABLE_H
