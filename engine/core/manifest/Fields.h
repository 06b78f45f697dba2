// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of structs as the fields of the table of keys: how values of each
// type are read and written.
#ifndef LH_CORE_MANIFEST_FIELDS_H
#define LH_CORE_MANIFEST_FIELDS_H

#include "core/manifest/NodeValues.h"
#include "core/manifest/Values.h"
#include "core/manifest/YamlText.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace lh {

template <typename T>
requires std::is_integral_v<T>
bool readValue(const Reading &from, T &into) {
  Value value = valueOf(from.node);
  const auto *integer = std::get_if<int64_t>(&value);
  if (!integer || (*integer < 0 && std::is_unsigned_v<T>))
    return false;
  into = static_cast<T>(*integer);
  return true;
}
template <typename T>
requires std::is_integral_v<T> YamlNode writeValue(T value, const ValueSpec &) {
  return plainNode(std::to_string(value));
}

template <typename T>
requires std::is_enum_v<T>
bool readValue(const Reading &from, T &into) {
  const StringRef *word = llvm::find(from.spec.words, from.node.text);
  if (word == from.spec.words.end())
    return false;
  into = static_cast<T>(word - from.spec.words.begin());
  return true;
}
template <typename T>
requires std::is_enum_v<T> YamlNode writeValue(T value, const ValueSpec &spec) {
  return textNode(spec.words[static_cast<size_t>(value)]);
}

/// A struct with keys of its own.
template <typename T>
requires std::is_class_v<T>
bool readValue(const Reading &from, T &into) {
  if (!from.node.isMapping())
    return false;
  if constexpr (requires { into.where; })
    into.where = from.node.where;
  readKeys(from.node, *from.spec.keys(), &into, from.sink);
  complete(into, from);
  return true;
}
template <typename T>
requires std::is_class_v<T> YamlNode writeValue(const T &value,
                                                const ValueSpec &spec) {
  return writeKeys(&value, *spec.keys());
}

template <typename T> bool readValue(const Reading &from, Located<T> &into) {
  into.where = from.node.where;
  return readValue(from, into.value);
}
template <typename T>
YamlNode writeValue(const Located<T> &value, const ValueSpec &spec) {
  return writeValue(value.value, spec);
}

template <typename T>
bool readValue(const Reading &from, std::optional<T> &into) {
  T value{};
  if (!readValue(from, value))
    return false;
  into = std::move(value);
  return true;
}
template <typename T>
YamlNode writeValue(const std::optional<T> &value, const ValueSpec &spec) {
  return value ? writeValue(*value, spec) : YamlNode();
}

/// A list, or entries that keep their order and know their names.
template <typename T>
bool readValue(const Reading &from, std::vector<T> &into) {
  if (!from.spec.element) // one value is a list of one
    return readValue(from, into.emplace_back());
  bool isMap = from.spec.form == ValueSpec::Form::MapOf;
  if (isMap ? !from.node.isMapping() : !from.node.isSequence())
    return false;
  for (size_t i = 0; i < from.node.items.size(); ++i) {
    YamlNode &node = from.node.items[i];
    unsigned errors = from.sink.errorCount();
    bool isRefused = node.isBroken && node.isScalar() && !isMap;
    T item{};
    if constexpr (requires { item.name; })
      item.name = isMap ? from.node.keys[i] : Located<std::string>();
    bool isThere = readValue({node, isMap ? from.node.keys[i].where : from.key,
                              *from.spec.element, from.sink},
                             item);
    node.isBroken |= from.sink.errorCount() != errors;
    if ((isThere && !isRefused) || isMap)
      into.push_back(std::move(item));
  }
  return true;
}
template <typename T>
YamlNode writeValue(const std::vector<T> &values, const ValueSpec &spec) {
  if (!spec.element)
    return values.empty() ? YamlNode() : writeValue(values.front(), spec);
  YamlNode node = listNode();
  for (const T &value : values) {
    node.items.push_back(writeValue(value, *spec.element));
    if constexpr (requires { value.name; })
      node.keys.push_back(value.name);
  }
  node.isBlock = spec.form == ValueSpec::Form::MapOf;
  if (node.isBlock)
    node.kind = YamlNode::Kind::Mapping;
  return node;
}

/// Entries by name.
template <typename T>
bool readValue(const Reading &from, std::map<std::string, T> &into) {
  for (size_t i = 0; i < from.node.keys.size(); ++i) {
    const Located<std::string> &key = from.node.keys[i];
    readValue({from.node.items[i], key.where, *from.spec.element, from.sink},
              into[key.value]);
  }
  return true;
}
template <typename T>
YamlNode writeValue(const std::map<std::string, T> &values,
                    const ValueSpec &spec) {
  YamlNode node = mappingNode();
  for (const auto &[name, value] : values)
    setKey(node, {name, {}}, writeValue(value, *spec.element));
  return node;
}

/// The alternative of a variant, in the path to a field.
template <typename T> struct Alternative {};
template <typename T> constexpr Alternative<T> as{};

namespace detail {

template <typename Step> struct StepOf;
template <typename T, typename Member> struct StepOf<Member T::*> {
  using Owner = T;
  static auto &in(auto &object, Member T::*member) { return object.*member; }
};
template <typename T> struct StepOf<Alternative<T>> {
  using Owner = T;
  static auto &in(auto &object, Alternative<T>) { return object; }
};
template <auto step> using Step = StepOf<std::remove_const_t<decltype(step)>>;

/// What `object` holds of this type, and if it can, from now on.
template <typename T> T *hold(T &object) { return &object; }
template <typename T, typename... Held> T *hold(std::variant<Held...> &object) {
  if (!std::holds_alternative<T>(object))
    object.template emplace<T>();
  return std::get_if<T>(&object);
}
template <typename T, typename Held> T *hold(std::optional<Held> &object) {
  return hold<T>(object ? *object : object.emplace());
}
/// The same of a constant, or null.
template <typename T> const T *hold(const T &object) { return &object; }
template <typename T, typename... Held>
const T *hold(const std::variant<Held...> &object) {
  return std::get_if<T>(&object);
}
template <typename T, typename Held>
const T *hold(const std::optional<Held> &object) {
  return object ? hold<T>(*object) : nullptr;
}

/// What the path leads to; null where a constant object doesn't have it.
template <auto step, auto... rest> auto *follow(auto &object) {
  auto *owner = hold<typename Step<step>::Owner>(object);
  using Found = decltype(&Step<step>::in(*owner, step));
  if constexpr (sizeof...(rest) == 0)
    return owner ? &Step<step>::in(*owner, step) : Found();
  else
    return owner ? follow<rest...>(Step<step>::in(*owner, step))
                 : decltype(follow<rest...>(Step<step>::in(*owner, step)))();
}

template <auto first, auto... rest>
void readField(void *owner, const Reading &from) {
  using Owner = typename Step<first>::Owner;
  readValue(from, *follow<first, rest...>(*static_cast<Owner *>(owner)));
}

template <auto first, auto... rest>
YamlNode writeField(const void *owner, const ValueSpec &spec, bool always) {
  using Owner = typename Step<first>::Owner;
  const auto *value =
      follow<first, rest...>(*static_cast<const Owner *>(owner));
  if (!value)
    return {};
  constexpr auto last = std::get<sizeof...(rest)>(std::tuple(first, rest...));
  using LastOwner = typename Step<last>::Owner;
  static const LastOwner unset{};
  YamlNode node = writeValue(*value, spec);
  bool isDefault =
      flowText(node) == flowText(writeValue(Step<last>::in(unset, last), spec));
  return isDefault && !always ? YamlNode() : node;
}

} // namespace detail

/// The member that the path leads to, by members and alternatives, through
/// optionals and variants: `field<&BubbleDecl::action, &UseDecl::path>`.
template <auto... path>
constexpr Field field{detail::readField<path...>, detail::writeField<path...>};

/// One that is read by code of its own.
template <auto... path>
constexpr Field writtenField{nullptr, detail::writeField<path...>};

/// Of keys within which keys belong to the same owner.
constexpr Field sameOwner{[](void *owner, const Reading &from) {
                            if (from.node.isMapping())
                              readKeys(from.node, *from.spec.keys(), owner,
                                       from.sink);
                          },
                          [](const void *owner, const ValueSpec &spec, bool) {
                            YamlNode node = writeKeys(owner, *spec.keys());
                            return node.items.empty() ? YamlNode() : node;
                          }};

/// `command:`, of an ingress or by itself.
constexpr Field commandField{readCommand, writeCommand};
constexpr Field exporterField{readExporter, writeExporter};

} // namespace lh

#endif // LH_CORE_MANIFEST_FIELDS_H
