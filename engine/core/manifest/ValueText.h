// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values as the words a user reads.
#ifndef LH_CORE_MANIFEST_VALUETEXT_H
#define LH_CORE_MANIFEST_VALUETEXT_H

#include "core/manifest/Manifest.h"

namespace lh {

/// `value` as a user would write it: true, 4, 0.5, text, [1, 2].
std::string valueText(const Value &value);

/// "a boolean", "an integer", "a number", "a string", "a list of integers".
StringRef valueTypeName(const Value &value);

/// `expression` as a user would write it, references and formulas in `${}`.
std::string expressionText(const Expression &expression);

/// Equal as a user means it: 4 and 4.0 are the same number.
bool sameValue(const Value &left, const Value &right);

/// The number in `value`, if it is one.
std::optional<double> asNumber(const Value &value);

} // namespace lh

#endif // LH_CORE_MANIFEST_VALUETEXT_H
