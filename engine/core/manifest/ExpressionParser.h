// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits a scalar into literal text and `${scope.name}` references.
#ifndef LH_CORE_MANIFEST_EXPRESSIONPARSER_H
#define LH_CORE_MANIFEST_EXPRESSIONPARSER_H

#include "core/manifest/Manifest.h"
#include "core/manifest/YamlReader.h"

namespace lh {

/// Reads a scalar, or a list of integers, as an expression; `$${` stands for
/// the text `${`. Malformed references are errors, and are left out of the
/// result; any other node gives an empty string without an error (the checker
/// has reported it).
Expression parseExpression(const YamlNode &node, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_EXPRESSIONPARSER_H
