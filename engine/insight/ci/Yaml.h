// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts and lists for YAML, in the form that it shares with JSON.
#ifndef LH_INSIGHT_CI_YAML_H
#define LH_INSIGHT_CI_YAML_H

#include "core/support/Diagnostic.h"

namespace lh {

/// A double-quoted scalar. YAML takes JSON's escapes, but fewer characters as
/// they are: all beyond printable ASCII is escaped.
std::string yamlText(StringRef text);

/// "[a, b]".
std::string yamlList(ArrayRef<std::string> texts);

} // namespace lh

#endif // LH_INSIGHT_CI_YAML_H
