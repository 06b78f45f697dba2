// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas of `let:` and `constraints:`, as text, to expressions.
#ifndef LH_CORE_MANIFEST_FORMULAPARSER_H
#define LH_CORE_MANIFEST_FORMULAPARSER_H

#include "core/manifest/Manifest.h"
#include "core/manifest/YamlReader.h"

#include <set>

namespace lh {

/// What a formula, or a part of one, is. Unknown: it has an error, which was
/// reported.
enum class FormulaType { Integer, Boolean, Text, Unknown };

/// The names that a formula may use.
struct FormulaNames {
  struct Name {
    Reference::Scope scope = Reference::Scope::Params;
    /// None: a number with a fraction, which formulas don't compute with.
    std::optional<FormulaType> type;
  };
  std::map<std::string, Name> known;
  /// Computed values further down, which this formula can't use yet.
  std::set<std::string> later;
  /// Further names may be declared where that can't be read.
  bool lacksSome = false;
};

struct Formula {
  Expression expression;
  FormulaType type = FormulaType::Unknown;
};

/// Reads a scalar as a formula: integers with the units KiB, MiB and GiB, true
/// and false, texts in quotes, names, + - * / %, comparisons, and, or, not,
/// `? :`, min, max, ceildiv and parentheses. Reports what is wrong with its
/// syntax, names or types, at the place within it.
FailureOr<Formula> parseFormula(const YamlNode &node, const FormulaNames &names,
                                DiagnosticSink &sink);

/// "an integer", "a boolean", "a text".
StringRef formulaTypeName(FormulaType type);

} // namespace lh

#endif // LH_CORE_MANIFEST_FORMULAPARSER_H
