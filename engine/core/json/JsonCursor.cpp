// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value in a JSON document, and the way to it.
#include "core/json/JsonCursor.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace lh;

/// What stands in for a value that isn't there: nothing fits it.
static const nlohmann::json &nothing() {
  static const nlohmann::json null;
  return null;
}

/// Making a tree of what nobody looks at takes longer than reading past it.
static nlohmann::json parseMost(const JsonDocument &document) {
  const char *begin = document.text.begin(), *end = document.text.end();
  if (document.leftOut.empty())
    return nlohmann::json::parse(begin, end);
  std::string member;
  auto isKept = [&](int depth, nlohmann::json::parse_event_t event,
                    nlohmann::json &parsed) {
    constexpr int ofWhole = 1, ofListed = 3;
    if (event != nlohmann::json::parse_event_t::key ||
        (depth != ofWhole && depth != ofListed))
      return true;
    StringRef key = parsed.get_ref<std::string &>();
    if (depth == ofWhole)
      member = key.str();
    return llvm::none_of(document.leftOut, [&](StringRef left) {
      auto [outer, inner] = left.split('.');
      return outer == member && inner == (depth == ofWhole ? "" : key);
    });
  };
  return nlohmann::json::parse(begin, end, isKept);
}

std::optional<nlohmann::json> lh::parseJson(JsonDocument &document) {
  try {
    return parseMost(document);
  } catch (const nlohmann::json::parse_error &error) {
    size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    bool isCut = offset >= document.text.size();
    SourceSpan where = placeOfByte(document.file, document.text, offset);
    (void)document.sink.error(
        document.errorKind, where,
        isCut ? "the record ends too early; was it written to the end?"
              : "this is not JSON; " + document.writer + " writes records");
  } catch (const nlohmann::json::out_of_range &error) {
    // It has no place, but it quotes the number.
    StringRef number = StringRef(error.what()).rtrim('\'').rsplit('\'').second;
    size_t offset =
        std::min(StringRef(document.text).find(number), document.text.size());
    (void)document.sink.error(
        document.errorKind, placeOfByte(document.file, document.text, offset),
        "number '" + number + "' is beyond what a double holds");
  }
  return std::nullopt;
}

std::vector<JsonStep> JsonCursor::path() const {
  std::vector<JsonStep> steps;
  for (const JsonCursor *cursor = this; cursor->parent; cursor = cursor->parent)
    steps.push_back(cursor->step);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

static std::string nameOf(ArrayRef<JsonStep> path) {
  std::string name;
  for (const JsonStep &step : path)
    if (const auto *key = std::get_if<std::string>(&step))
      name += (name.empty() ? "" : ".") + *key;
    else
      name += "[" + std::to_string(std::get<size_t>(step)) + "]";
  return name.empty() ? "the record" : "'" + name + "'";
}

std::string JsonCursor::name() const {
  if (!parent)
    return "";
  const auto *key = std::get_if<std::string>(&step);
  return key ? *key : std::to_string(std::get<size_t>(step));
}

void JsonCursor::error(const Twine &message) const {
  // A record that is wrong throughout needn't be told so a thousand times.
  constexpr unsigned enough = 10;
  if (++document.errors > enough)
    return;
  std::vector<JsonStep> steps = path();
  (void)document.sink.error(document.errorKind,
                            placeOfValue(document.file, document.text, steps),
                            nameOf(steps) + " " + message);
}

void JsonCursor::wrongType(const char *wanted) const {
  if (value == &nothing())
    return error(Twine("is missing; it should be ") + wanted);
  error(Twine("is ") + value->type_name() + "; it should be " + wanted);
}

bool JsonCursor::has(const char *key) const {
  if (!value->is_object())
    return false;
  auto found = value->find(key);
  return found != value->end() && !found->is_null();
}

JsonCursor JsonCursor::at(const char *key) const {
  if (!value->is_object())
    return {*this, std::string(key), nothing()};
  auto found = value->find(key);
  return {*this, std::string(key), found == value->end() ? nothing() : *found};
}

void JsonCursor::each(
    llvm::function_ref<void(const JsonCursor &)> visit) const {
  if (!value->is_array())
    return wrongType("an array");
  for (size_t i = 0; i < value->size(); ++i)
    visit(JsonCursor(*this, i, (*value)[i]));
}

void JsonCursor::eachMember(
    llvm::function_ref<void(const std::string &, const JsonCursor &)> visit)
    const {
  if (!value->is_object())
    return wrongType("an object");
  for (const auto &[name, member] : value->items())
    visit(name, JsonCursor(*this, name, member));
}

bool JsonCursor::asFlag() const {
  if (const auto *flag = value->get_ptr<const bool *>())
    return *flag;
  wrongType("true or false");
  return false;
}

std::string JsonCursor::asText() const {
  if (const auto *text = value->get_ptr<const nlohmann::json::string_t *>())
    return *text;
  wrongType("a string");
  return "";
}

double JsonCursor::asNumber() const {
  if (value->is_number())
    return value->get<double>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (const auto *text = value->get_ptr<const nlohmann::json::string_t *>()) {
    if (*text == "nan")
      return std::numeric_limits<double>::quiet_NaN();
    if (*text == "inf" || *text == "-inf")
      return *text == "inf" ? infinity : -infinity;
  }
  wrongType("a number");
  return 0;
}

int64_t JsonCursor::asInteger() const {
  if (value->is_number_integer())
    return value->get<int64_t>();
  wrongType("a whole number");
  return 0;
}
