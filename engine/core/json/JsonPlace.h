// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a value stands in the text of a JSON document.
#ifndef LH_CORE_JSON_JSONPLACE_H
#define LH_CORE_JSON_JSONPLACE_H

#include "core/support/Diagnostic.h"

#include <variant>

namespace lh {

/// A key of an object, or an index of an array.
using JsonStep = std::variant<std::string, size_t>;

/// The place, from 1, of byte `offset` of `text`.
SourceSpan placeOfByte(StringRef file, StringRef text, size_t offset);

/// The place of the value that `path` leads to from the top of `text`, which
/// is valid JSON; of the innermost value there is when the path ends early.
SourceSpan placeOfValue(StringRef file, StringRef text,
                        ArrayRef<JsonStep> path);

} // namespace lh

#endif // LH_CORE_JSON_JSONPLACE_H
