// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A formula's words.
#ifndef LH_CORE_MANIFEST_FORMULALEXER_H
#define LH_CORE_MANIFEST_FORMULALEXER_H

#include "core/support/Diagnostic.h"

namespace lh {

/// A word of a formula. `text` lies in the formula; of a quoted text it is what
/// stands between the quotes.
struct FormulaToken {
  enum class Kind { Number, Text, Name, Symbol, End, Bad };
  Kind kind = Kind::End;
  StringRef text;
  size_t begin = 0, end = 0; ///< in the formula, quotes and units included
  int64_t number = 0;
  std::string problem; ///< of a bad one
};

/// The word that begins at or after `position` of `formula`.
FormulaToken nextToken(StringRef formula, size_t position);

} // namespace lh

#endif // LH_CORE_MANIFEST_FORMULALEXER_H
