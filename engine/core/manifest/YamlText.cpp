// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A document as YAML text: in flow what fits on a line, else in blocks.
#include "core/manifest/YamlText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

static constexpr size_t longestLine = 120;

static YamlNode nodeOf(YamlNode::Kind kind, const Twine &text = "",
                       bool quoted = false) {
  YamlNode node;
  node.kind = kind;
  node.text = text.str();
  node.quoted = quoted;
  return node;
}

YamlNode lh::textNode(const Twine &text) {
  return nodeOf(YamlNode::Kind::Scalar, text, true);
}
YamlNode lh::plainNode(const Twine &text) {
  return nodeOf(YamlNode::Kind::Scalar, text);
}
YamlNode lh::listNode() { return nodeOf(YamlNode::Kind::Sequence); }
YamlNode lh::mappingNode() { return nodeOf(YamlNode::Kind::Mapping); }

void lh::setKey(YamlNode &mapping, const Located<std::string> &key,
                YamlNode item) {
  auto same = llvm::find_if(mapping.keys, [&](const auto &known) {
    return known.value == key.value;
  });
  if (same == mapping.keys.end()) {
    mapping.keys.push_back(key);
    mapping.items.push_back(std::move(item));
    return;
  }
  mapping.items[size_t(same - mapping.keys.begin())] = std::move(item);
  *same = key;
}

/// Characters as they are, but for what YAML takes no other way than escaped.
std::string lh::quotedYaml(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream out(quoted);
  const llvm::UTF8 *at = text.bytes_begin(), *end = text.bytes_end();
  out << '"';
  while (at != end) {
    const llvm::UTF8 *begin = at;
    llvm::UTF32 point = 0xfffd; // for a byte that is no UTF-8
    if (llvm::convertUTF8Sequence(&at, end, &point, llvm::strictConversion) !=
        llvm::conversionOK)
      at = begin + 1;
    if (point == '"' || point == '\\')
      out << '\\' << char(point);
    else if (point == '\n')
      out << "\\n";
    else if (llvm::sys::unicode::isPrintable(int(point)) && point != 0xfffd)
      out << StringRef(reinterpret_cast<const char *>(begin),
                       size_t(at - begin));
    else
      out << llvm::format(point > 0xffff ? "\\U%08x" : "\\u%04x",
                          unsigned(point));
  }
  out << '"';
  return quoted;
}

/// Text that can't be taken for a number, a boolean, nothing or a collection.
static std::string nameText(StringRef name) {
  auto isInner = [](char c) {
    return llvm::isAlnum(c) || StringRef("_-/.").contains(c);
  };
  bool isPlain =
      !name.empty() && llvm::isAlpha(name.front()) && isInner(name.back());
  for (size_t i = 0; i < name.size() && isPlain; ++i)
    isPlain = isInner(name[i]) || name[i] == '>' ||
              (name[i] == ' ' && name[i - 1] != ' ') ||
              (name[i] == ':' && isInner(name[i + 1]));
  isPlain &= !llvm::is_contained({"true", "false", "null", "yes", "no", "on",
                                  "off", "y", "n", "inf", "nan"},
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

static std::string flowMembers(const YamlNode &node) {
  std::vector<std::string> members;
  for (size_t i = 0; i < node.items.size(); ++i)
    members.push_back(
        (node.isMapping() ? nameText(node.keys[i].value) + ": " : "") +
        flowText(node.items[i]));
  return llvm::join(members, ", ");
}

std::string lh::flowText(const YamlNode &node) {
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

static void writeComment(llvm::raw_ostream &out, const YamlNode &node,
                         const std::string &margin) {
  for (StringRef line : llvm::split(StringRef(node.comment), '\n'))
    if (!line.empty())
      out << margin << "# " << line << '\n';
}

static void writeBlock(llvm::raw_ostream &out, const YamlNode &node,
                       const std::string &margin);

/// A mapping in a list, a key on each line, the first behind the dash.
static void writeItem(llvm::raw_ostream &out, const YamlNode &item,
                      const std::string &margin) {
  std::string text;
  llvm::raw_string_ostream inner(text);
  writeBlock(inner, item, margin + "  ");
  out << margin << "- " << StringRef(text).drop_front(margin.size() + 2);
}

static void writeBlock(llvm::raw_ostream &out, const YamlNode &node,
                       const std::string &margin) {
  for (size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode &item = node.items[i];
    writeComment(out, item, margin);
    if (!node.isMapping() && item.isMapping() && item.isBlock) {
      writeItem(out, item, margin);
      continue;
    }
    std::string begin =
        margin + (node.isMapping() ? nameText(node.keys[i].value) + ":" : "-");
    std::string line = begin + " " + flowText(item);
    bool isBlock = !item.items.empty() && node.isMapping() &&
                   (item.isBlock || line.size() > longestLine);
    out << (isBlock ? begin : line) << '\n';
    if (isBlock)
      writeBlock(out, item, margin + "  ");
  }
}

std::string lh::yamlText(const YamlNode &root) {
  std::string text;
  llvm::raw_string_ostream out(text);
  writeComment(out, root, "");
  writeBlock(out, root, "");
  return text;
}
