// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value in a JSON document, and the way to it, for readers that must say
// where something is wrong.
#ifndef LH_CORE_JSON_JSONCURSOR_H
#define LH_CORE_JSON_JSONCURSOR_H

#include "core/json/JsonPlace.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace lh {

/// The text that cursors walk in, and where errors about it go.
struct JsonDocument {
  std::string file;
  StringRef text;
  DiagnosticSink &sink;
  DiagKind errorKind;
  StringRef writer;    ///< what writes such texts, for messages
  unsigned errors = 0; ///< of cursors, those that were not shown too
  /// What parseJson() doesn't keep: members of the whole ("space"), and of the
  /// objects in a list that is one ("results.seconds").
  ArrayRef<StringRef> leftOut = {};
};

/// The text as JSON; where it stops being that is an error.
std::optional<nlohmann::json> parseJson(JsonDocument &document);

/// Borrows the document, the value, and the cursor it came from. Whatever is
/// asked for and isn't there, or is of another type, is an error; then the
/// answer is the type's empty value. Numbers may be "nan", "inf" and "-inf".
class JsonCursor {
public:
  JsonCursor(JsonDocument &document, const nlohmann::json &value)
      : document(document), value(&value) {}

  /// Whether the key is there, with something other than null.
  bool has(const char *key) const;
  JsonCursor at(const char *key) const;

  bool isNull() const { return value->is_null(); }
  bool isArray() const { return value->is_array(); }
  bool asFlag() const;
  std::string asText() const;
  double asNumber() const;
  int64_t asInteger() const;

  /// Of an array.
  void each(llvm::function_ref<void(const JsonCursor &)> visit) const;
  /// Of an object.
  void eachMember(
      llvm::function_ref<void(const std::string &, const JsonCursor &)> visit)
      const;

  /// The key or index that led here; "" at the top.
  std::string name() const;
  void error(const Twine &message) const;
  /// How many there are in the document.
  unsigned errorCount() const { return document.errors; }

private:
  JsonCursor(const JsonCursor &parent, JsonStep step,
             const nlohmann::json &value)
      : document(parent.document), value(&value), parent(&parent),
        step(std::move(step)) {}

  std::vector<JsonStep> path() const;
  void wrongType(const char *wanted) const;

  JsonDocument &document;
  const nlohmann::json *value;
  const JsonCursor *parent = nullptr;
  JsonStep step = size_t{0};
};

} // namespace lh

#endif // LH_CORE_JSON_JSONCURSOR_H
