// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are functions of other operators, as text (functions/*.txt).
#ifndef LH_COMPILER_INGRESS_ONNX_FUNCTIONTEXT_H
#define LH_COMPILER_INGRESS_ONNX_FUNCTIONTEXT_H

#include "core/support/Diagnostic.h"

#include <optional>
#include <vector>

namespace lh {

class OpTable;

/// Reads text token by token; blanks and comments (# to the line's end) are
/// between them.
class FunctionCursor {
public:
  explicit FunctionCursor(StringRef text) : rest(text) { skipBlanks(); }

  /// Takes `token` if it comes next.
  bool take(StringRef token);
  bool sees(StringRef token) const { return rest.starts_with(token); }
  /// Each is empty when something else comes next.
  StringRef takeName();  ///< letters, digits, _ and dots between letters
  StringRef takeText();  ///< what is between two quotes
  StringRef takeBlock(); ///< what is between { and its }
  std::optional<double> takeNumber();
  StringRef left() const { return rest; }

private:
  void skipBlanks();
  StringRef takeFront(size_t count);

  StringRef rest;
};

struct FunctionInput {
  StringRef name;
  bool isOptional = false;
};

/// An attribute; without a default it may be absent.
struct FunctionAttribute {
  enum class Kind { Integer, Float, Text, Integers, Floats };
  StringRef name;
  Kind kind = Kind::Integer;
  StringRef otherwise; ///< the default's text
};

struct FunctionText {
  std::vector<FunctionInput> inputs;
  std::vector<StringRef> outputs;
  std::vector<FunctionAttribute> attributes;
  StringRef body;
};

/// Puts the functions of `text` into the table.
void addFunctions(OpTable &table, StringRef text);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_FUNCTIONTEXT_H
