// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a manifest as text, for files that the engine writes.
#include "core/manifest/FormText.h"

#include "core/manifest/ValueText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace lh;

std::string lh::quotedText(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream(quoted)
      << llvm::json::Value(llvm::json::fixUTF8(text));
  return quoted;
}

std::string lh::yamlText(const Value &value) {
  if (const auto *text = std::get_if<std::string>(&value))
    return quotedText(*text);
  const auto *number = std::get_if<double>(&value);
  if (!number)
    return valueText(value);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", *number);
  bool looksInteger =
      StringRef(text).find_first_not_of("-0123456789") == StringRef::npos;
  return looksInteger ? text + ".0" : text;
}

namespace {

/// `{key: value, ...}`; what is empty is left out.
class FlowMapping {
public:
  void add(StringRef key, const std::string &value) {
    if (!value.empty())
      entries.push_back(key.str() + ": " + value);
  }
  void add(StringRef key, ArrayRef<std::string> words) {
    if (!words.empty())
      addList(key, words);
  }
  void addList(StringRef key, ArrayRef<std::string> words) {
    std::vector<std::string> quoted;
    for (const std::string &word : words)
      quoted.push_back(quotedText(word));
    add(key, "[" + llvm::join(quoted, ", ") + "]");
  }
  /// Empty when nothing was added.
  std::string text() const {
    return entries.empty() ? "" : "{" + llvm::join(entries, ", ") + "}";
  }

private:
  std::vector<std::string> entries;
};

} // namespace

std::string lh::formText(const FormDecl &form) {
  FlowMapping dialects, ops, types, vectors, all;
  if (form.dialectsOnly)
    dialects.addList("only", *form.dialectsOnly);
  dialects.add("none", ArrayRef(form.dialectsNone));
  dialects.add("some", ArrayRef(form.dialectsSome));
  ops.add("none", ArrayRef(form.opsNone));
  ops.add("some", ArrayRef(form.opsSome));
  types.add("none", ArrayRef(form.typesNone));
  types.add("some", ArrayRef(form.typesSome));
  if (form.largestVector)
    vectors.add("max", std::to_string(*form.largestVector));
  all.add("dialects", dialects.text());
  all.add("ops", ops.text());
  all.add("types", types.text());
  all.add("vectors", vectors.text());
  auto addWord = [&](StringRef key, const std::optional<std::string> &word) {
    if (word)
      all.add(key, quotedText(*word));
  };
  addWord("shapes", form.shapes);
  addWord("allocas", form.allocas);
  addWord("boundary", form.boundary);
  if (form.checkFile)
    all.add("filecheck", quotedText(form.checkFile->file));
  std::string text = all.text();
  return text.empty() ? "{}" : text;
}
