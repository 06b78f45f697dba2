// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes records as JSON, and reads them back, by one description of each.
//
// A record's description is a function beside it that names its fields:
//
//   void fieldsOf(auto &v, Is<PassTime> auto &pass) {
//     v("name", pass.name);
//     v.late("depth", pass.depth);
//   }
//
// `v` is a FieldWriter or a FieldReader. A field is a flag, a number, a text,
// an enumerator (enumNames() names all), a record, a function that names the
// fields of an object within, or an optional, a list or a map of these.
#ifndef LH_CORE_JSON_FIELDS_H
#define LH_CORE_JSON_FIELDS_H

#include "core/json/Json.h"
#include "core/json/JsonCursor.h"
#include "core/support/EnumNames.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <concepts>
#include <map>

namespace lh {

/// Whom a text is for.
enum class FieldUse {
  /// Users and their programs: its keys are documented.
  Report,
  /// lh-run itself, the same build of it: all of a record, numbers finite.
  Own
};

/// For the parameter of a description: the record, const where it is written.
template <typename T, typename Record>
concept Is = std::same_as<std::remove_const_t<T>, Record>;

/// Whether a description sets fields: `v` is a FieldReader.
template <typename Visitor>
inline constexpr bool areRead = std::remove_reference_t<Visitor>::reads;

/// A map whose members stay in the order in which they were added.
template <typename T> using NamedList = std::vector<std::pair<std::string, T>>;

namespace detail {

template <typename T>
concept Optional = requires(T field) {
  field.has_value();
};
template <typename T>
concept Text = std::convertible_to<const T &, StringRef>;
template <typename T>
concept List = !Optional<T> && !Text<T> && requires {
  typename T::value_type;
};
/// A list of pairs: an object, whose keys are texts or numbers.
template <typename T>
concept Members = requires {
  typename T::value_type::second_type;
};

template <typename T> bool isEmpty(const T &field) {
  if constexpr (Optional<T>)
    return !field.has_value();
  else if constexpr (requires { field.empty(); })
    return field.empty();
  else if constexpr (requires { field.isKnown(); })
    return !field.isKnown();
  else
    return field == T();
}

/// `record` may be the description itself.
void describe(auto &v, auto &record) {
  if constexpr (std::invocable<decltype(record), decltype(v)>)
    record(v);
  else
    fieldsOf(v, record);
}

} // namespace detail

class FieldWriter {
public:
  static constexpr bool reads = false;

  explicit FieldWriter(FieldUse use) : use(use) {}

  /// A field that is always there.
  template <typename T> void operator()(const char *name, const T &field) {
    json[name] = value(field);
  }
  /// One that records of earlier versions may lack.
  template <typename T> void late(const char *name, const T &field) {
    json[name] = value(field);
  }
  /// One that is left out where it is empty.
  template <typename T> void ifAny(const char *name, const T &field) {
    if (!detail::isEmpty(field))
      json[name] = value(field);
  }
  /// The same, and never in reports.
  template <typename T> void own(const char *name, const T &field) {
    if (use == FieldUse::Own)
      ifAny(name, field);
  }
  /// What follows from other fields: only written, only in reports.
  template <typename T> void derived(const char *name, const T &field) {
    if (use == FieldUse::Report)
      json[name] = value(field);
  }
  /// A list of records that `describe` names the fields of.
  template <typename T>
  void each(const char *name, const T &records, auto describe) {
    Json list = Json::array();
    for (const auto &record : records)
      list.push_back(value([&](auto &inner) { describe(inner, record); }));
    json[name] = std::move(list);
  }
  /// A map as a list of objects: its keys under `key`, its values under `item`.
  template <typename T>
  void pairs(const char *name, const T &map, const char *key,
             const char *item) {
    Json list = Json::array();
    for (const auto &[first, second] : map)
      list.push_back({{key, value(first)}, {item, value(second)}});
    json[name] = std::move(list);
  }

  Json json = Json::object();

private:
  template <typename T> Json value(const T &field) {
    if constexpr (std::floating_point<T>)
      return use == FieldUse::Own && !std::isfinite(field) ? Json(0)
                                                           : jsonNumber(field);
    else if constexpr (std::integral<T>)
      return field;
    else if constexpr (std::is_enum_v<T>)
      return enumName(field).str();
    else if constexpr (detail::Text<T>)
      return StringRef(field).str();
    else if constexpr (detail::Optional<T>)
      return field ? value(*field) : Json();
    else if constexpr (detail::List<T>)
      return list(field);
    else
      return object(field);
  }

  template <typename T> Json list(const T &field) {
    if constexpr (detail::Members<T>) {
      Json members = Json::object();
      for (const auto &[key, item] : field)
        if constexpr (std::integral<typename T::value_type::first_type>)
          members[std::to_string(key)] = value(item);
        else
          members[key] = value(item);
      return members;
    } else {
      Json items = Json::array();
      for (const auto &item : field)
        items.push_back(value(item));
      return items;
    }
  }

  template <typename T> Json object(const T &record) {
    FieldWriter inner(use);
    detail::describe(inner, record);
    return std::move(inner.json);
  }

  FieldUse use;
};

/// Errors go to the cursor's document; what is wrong becomes the empty value.
class FieldReader {
public:
  static constexpr bool reads = true;

  FieldReader(const JsonCursor &object, FieldUse use)
      : object(object), use(use) {}

  template <typename T> void operator()(const char *name, T &&field) {
    read(object.at(name), field);
  }
  template <typename T> void late(const char *name, T &&field) {
    if (object.has(name))
      read(object.at(name), field);
  }
  template <typename T> void ifAny(const char *name, T &&field) {
    late(name, field);
  }
  template <typename T> void own(const char *name, T &&field) {
    if (use == FieldUse::Own)
      late(name, field);
  }
  template <typename T> void derived(const char *, const T &) {}
  template <typename T> void each(const char *name, T &records, auto describe) {
    if (object.has(name))
      object.at(name).each([&](const JsonCursor &item) {
        FieldReader inner(item, use);
        describe(inner, records.emplace_back());
      });
  }
  template <typename T>
  void pairs(const char *name, T &map, const char *key, const char *item) {
    if (object.has(name))
      object.at(name).each([&](const JsonCursor &entry) {
        std::string first = entry.at(key).asText();
        read(entry.at(item), map[first]);
      });
  }

private:
  template <typename T> void read(const JsonCursor &at, T &field) {
    if constexpr (std::same_as<T, bool>)
      field = at.asFlag();
    else if constexpr (std::floating_point<T>)
      field = at.asNumber();
    else if constexpr (std::integral<T>)
      readWhole(at, field);
    else if constexpr (std::is_enum_v<T>)
      readName(at, field);
    else if constexpr (std::same_as<T, std::string>)
      field = at.asText();
    else if constexpr (detail::Optional<T>)
      at.isNull() ? field.reset() : read(at, field.emplace());
    else if constexpr (detail::List<T>)
      readList(at, field);
    else
      readObject(at, field);
  }

  template <typename T> void readObject(const JsonCursor &at, T &record) {
    FieldReader inner(at, use);
    detail::describe(inner, record);
  }

  template <typename T> void readWhole(const JsonCursor &at, T &field) {
    int64_t number = at.asInteger();
    if (!std::in_range<T>(number))
      at.error("is " + Twine(number) + ", which is out of range");
    field = std::in_range<T>(number) ? static_cast<T>(number) : T();
  }

  template <typename T> void readName(const JsonCursor &at, T &field) {
    std::string name = at.asText();
    ArrayRef<StringRef> names = enumNames(T());
    if (const auto *found = llvm::find(names, name); found != names.end()) {
      field = static_cast<T>(found - names.begin());
      return;
    }
    // Reports of other versions have kinds of diagnostics that this one lacks.
    if constexpr (std::same_as<T, DiagKind>)
      if (use == FieldUse::Report) {
        field = DiagKind::IrMessage;
        return;
      }
    if (!name.empty())
      at.error("is '" + name + "', which no " + at.name() + " is called");
  }

  template <typename T> void readList(const JsonCursor &at, T &field) {
    if constexpr (detail::Members<T>)
      at.eachMember([&](const std::string &name, const JsonCursor &member) {
        read(member, memberOf(field, name));
      });
    else if constexpr (requires { field.emplace_back(); })
      at.each(
          [&](const JsonCursor &item) { read(item, field.emplace_back()); });
    else // an array
      at.each([&, i = size_t(0)](const JsonCursor &item) mutable {
        if (i < field.size())
          read(item, field[i++]);
      });
  }

  template <typename T>
  static auto &memberOf(std::map<std::string, T> &map,
                        const std::string &name) {
    return map[name];
  }
  template <typename T>
  static auto &memberOf(NamedList<T> &list, const std::string &name) {
    return list.emplace_back(name, T()).second;
  }
  /// A key that is no number becomes one that is out of any range.
  template <typename T>
  static auto &memberOf(std::vector<std::pair<size_t, T>> &list,
                        StringRef name) {
    size_t key = 0;
    if (name.getAsInteger(10, key))
      key = SIZE_MAX;
    return list.emplace_back(key, T()).second;
  }

  const JsonCursor &object;
  FieldUse use;
};

template <typename T> Json writeFields(const T &record, FieldUse use) {
  FieldWriter writer(use);
  detail::describe(writer, record);
  return std::move(writer.json);
}

/// What lh-run keeps for itself, in one line.
template <typename T> std::string writeOwn(const T &record) {
  return printJson(writeFields(record, FieldUse::Own), std::nullopt);
}

/// Fails when anything in `object` is wrong, which has been said then.
template <typename T>
LogicalResult readFields(const JsonCursor &object, FieldUse use, T &record) {
  unsigned errors = object.errorCount();
  FieldReader reader(object, use);
  detail::describe(reader, record);
  return success(object.errorCount() == errors);
}

/// Reads what writeOwn() wrote; fails, silently, when `text` is anything else.
template <typename T> LogicalResult readOwn(StringRef text, T &&record) {
  CollectingSink sink;
  JsonDocument document{"", text, sink, DiagKind::ReportBadRecord, ""};
  std::optional<nlohmann::json> json = parseJson(document);
  if (!json)
    return failure();
  return readFields(JsonCursor(document, *json), FieldUse::Own, record);
}

} // namespace lh

#endif // LH_CORE_JSON_FIELDS_H
