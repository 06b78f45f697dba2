// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A document as YAML text: blocks at the top, the rest in flow.
#include "core/manifest/YamlText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace lh;

std::string lh::quotedYaml(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream(quoted)
      << llvm::json::Value(llvm::json::fixUTF8(text));
  return quoted;
}

/// A name that can't be taken for a number, a boolean or nothing.
static std::string nameText(StringRef name) {
  bool isPlain =
      !name.empty() && llvm::isAlpha(name.front()) &&
      llvm::all_of(name,
                   [](char c) {
                     return llvm::isAlnum(c) || StringRef("_-/").contains(c);
                   }) &&
      !llvm::is_contained({"true", "false", "null", "yes", "no", "on", "off",
                           "y", "n", "inf", "nan"},
                          name.lower());
  return isPlain ? name.str() : quotedYaml(name);
}

/// A plain scalar may be a number or a word with a meaning: it stays plain.
static std::string scalarText(const YamlNode &node) {
  bool isPlain =
      !node.quoted && !node.text.empty() && llvm::all_of(node.text, [](char c) {
        return llvm::isAlnum(c) || StringRef("_-+.").contains(c);
      });
  return isPlain ? node.text : nameText(node.text);
}

static std::string flowText(const YamlNode &node);

static std::string flowMembers(const YamlNode &node) {
  std::vector<std::string> members;
  for (size_t i = 0; i < node.items.size(); ++i)
    members.push_back(
        (node.isMapping() ? nameText(node.keys[i].value) + ": " : "") +
        flowText(node.items[i]));
  return llvm::join(members, ", ");
}

static std::string flowText(const YamlNode &node) {
  switch (node.kind) {
  case YamlNode::Kind::Null:
    return "null";
  case YamlNode::Kind::Scalar:
    return scalarText(node);
  case YamlNode::Kind::Sequence:
    return "[" + flowMembers(node) + "]";
  case YamlNode::Kind::Mapping:
    return "{" + flowMembers(node) + "}";
  }
  return "";
}

/// A top-level mapping has a line for each member.
static std::string blockText(const YamlNode &node) {
  if (!node.isMapping() || node.items.empty())
    return " " + flowText(node) + "\n";
  std::string text = "\n";
  for (size_t i = 0; i < node.items.size(); ++i)
    text += "  " + nameText(node.keys[i].value) + ": " +
            flowText(node.items[i]) + "\n";
  return text;
}

std::string lh::yamlText(const YamlNode &root) {
  std::string text;
  for (size_t i = 0; i < root.items.size(); ++i)
    text += root.keys[i].value + ":" + blockText(root.items[i]);
  return text;
}
