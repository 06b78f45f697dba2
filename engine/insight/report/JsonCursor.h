// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value in a JSON document, and the way to it, for readers that must say
// where something is wrong.
#ifndef LH_INSIGHT_REPORT_JSONCURSOR_H
#define LH_INSIGHT_REPORT_JSONCURSOR_H

#include "insight/report/JsonPlace.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>

namespace lh {

/// The text that cursors walk in, and where errors about it go.
struct JsonDocument {
  std::string file;
  StringRef text;
  DiagnosticSink &sink;
  DiagKind errorKind;
  StringRef writer; ///< what writes such texts, for messages
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

  std::string text(const char *key) const { return at(key).asText(); }
  double number(const char *key) const { return at(key).asNumber(); }
  int64_t integer(const char *key) const { return at(key).asInteger(); }
  size_t index(const char *key, size_t end) const {
    return at(key).asIndex(end);
  }
  bool flag(const char *key) const;

  std::string textOr(const char *key, const char *other) const {
    return has(key) ? text(key) : other;
  }
  double numberOr(const char *key, double other) const {
    return has(key) ? number(key) : other;
  }
  int64_t integerOr(const char *key, int64_t other) const {
    return has(key) ? integer(key) : other;
  }
  bool flagOr(const char *key, bool other) const {
    return has(key) ? flag(key) : other;
  }

  /// Of an array at `key`, which may be absent.
  void each(const char *key,
            llvm::function_ref<void(const JsonCursor &)> visit) const;
  /// Of an object at `key`, which may be absent.
  void
  eachMember(const char *key,
             llvm::function_ref<void(const std::string &, const JsonCursor &)>
                 visit) const;

  std::string asText() const;
  double asNumber() const;
  int64_t asInteger() const;
  /// Less than `end`.
  size_t asIndex(size_t end) const;

  void error(const Twine &message) const;

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

#endif // LH_INSIGHT_REPORT_JSONCURSOR_H
