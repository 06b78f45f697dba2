// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is written reads back as what it was, for every key of the table.
#include "core/manifest/ManifestText.h"
#include "core/manifest/KernelParser.h"
#include "core/manifest/KeyTable.h"
#include "core/manifest/ManifestParser.h"
#include "core/manifest/NodeValues.h"
#include "core/manifest/TargetParser.h"
#include "core/manifest/TunedParser.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace lh;
using Form = ValueSpec::Form;

static const std::vector<std::string> hostile = {"a b",
                                                 "true",
                                                 "Null",
                                                 "~",
                                                 "4",
                                                 "-4",
                                                 "0x10",
                                                 "1e-3",
                                                 "4.0",
                                                 ".5",
                                                 "- x",
                                                 "a: b",
                                                 "a:",
                                                 ":",
                                                 "#x",
                                                 "x #y",
                                                 "'",
                                                 "\"",
                                                 "\\",
                                                 "\n",
                                                 "a\n  b\n",
                                                 "\t",
                                                 "\r\n",
                                                 "\x01",
                                                 "\x7f",
                                                 "\xc3\xa9",
                                                 "\xe2\x80\xa8",
                                                 "\xf0\x9f\x98\x80",
                                                 "\xef\xbb\xbf",
                                                 "\xc2\x85",
                                                 "{x}",
                                                 "[y, z]",
                                                 "*a",
                                                 "&a",
                                                 "!t",
                                                 "%d",
                                                 "@x",
                                                 "`x`",
                                                 " ",
                                                 " x",
                                                 "x ",
                                                 "-",
                                                 "?",
                                                 "---",
                                                 "...",
                                                 ">",
                                                 "|",
                                                 "yes",
                                                 "NO",
                                                 "lib:cpu/x",
                                                 "a -> b",
                                                 "a  b",
                                                 "a, b",
                                                 "2027-06-30",
                                                 "$",
                                                 "<<",
                                                 "C:\\x\\y",
                                                 "a>b",
                                                 "12:30:45",
                                                 "+1",
                                                 "nan"};

namespace {

/// Documents that the table allows, at random.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  YamlNode mapping(const MappingSpec &spec);
  std::set<std::pair<const MappingSpec *, std::string>> seen;

private:
  template <typename List> const auto &any(const List &list) {
    return list[below(std::size(list))];
  }
  size_t below(size_t count) { return random() % count; }

  YamlNode value(const KeySpec &key);
  YamlNode valueOf(const ValueSpec &spec);
  YamlNode scalar();
  std::string name();
  void settle(YamlNode &node, const MappingSpec &spec);

  std::mt19937 random;
};

} // namespace

std::string Generator::name() {
  static const std::vector<std::string> names = {
      "a", "off", "true", "null", "12", "1e5", "0x10", "_x", "a.b-c", "Y"};
  return any(names);
}

YamlNode Generator::scalar() {
  static const std::vector<std::string> plain = {
      "true",  "false", "0",    "-7",     "9223372036854775807", "0.1",
      "1e-05", "4.0",   "-0.0", "1e+300", "0.30000000000000004"};
  return below(2) ? textNode(any(hostile)) : plainNode(any(plain));
}

YamlNode Generator::valueOf(const ValueSpec &spec) {
  if (spec.alternative && below(2))
    return valueOf(*spec.alternative);
  static const std::vector<std::string> expressions = {
      "${params.x}", "a${target.y}b", "$${x}", "${case.model}/$${", "$$${z}"};
  YamlNode node;
  switch (spec.form) {
  case Form::Version:
    return plainNode("1");
  case Form::Boolean:
    return plainNode(below(2) ? "true" : "false");
  case Form::Integer:
    return plainNode(Twine(below(8) + 1));
  case Form::Number:
    return plainNode(below(2) ? "1" : "0.0625");
  case Form::Text:
    return textNode(any(hostile));
  case Form::Word:
    return textNode(any(spec.words));
  case Form::Scalar:
    return scalar();
  case Form::Expression:
    return below(2) ? scalar() : textNode(any(expressions));
  case Form::List:
    node = listNode();
    for (size_t i = below(3) + 1; i > 0; --i)
      node.items.push_back(valueOf(*spec.element));
    return node;
  case Form::MapOf:
    node = mappingNode();
    for (size_t i = below(3) + 1; i > 0; --i)
      setKey(node, {spec.words.empty() ? name() : any(spec.words).str(), {}},
             valueOf(*spec.element));
    return node;
  case Form::Mapping:
    return mapping(*spec.mapping);
  }
  return node;
}

/// Where the form doesn't say all, one value that does.
YamlNode Generator::value(const KeySpec &key) {
  static const std::map<std::string, std::string> special = {
      {"matched", "\">=1\""},
      {"until", "LLVM 23"},
      {"prefix", "AVX-512"},
      {"fail", "no masks"},
      {"winograd", "[4, 3]"},
      {"range", "[-1, 0.5]"},
      {"edges", "[a -> b -> c, a -> c]"},
      {"let", "{block: \"1 + 2\", \"no\": \"block * 2\"}"},
      {"that", "\"1 < 2\""},
      {"weights", "true"},
      {"numbers", "{rows: [\"4\", \"2 * 3\"], block: [\"8\"]}"},
      {"sets", "[drawn, specials]"},
      {"min", "1"},
      {"max", "16"}};
  auto known = special.find(key.name.str());
  if (known == special.end())
    return valueOf(key.value);
  CollectingSink sink;
  auto read = readYaml(known->second, "special", sink);
  REQUIRE(succeeded(read));
  return *read;
}

static void drop(YamlNode &node, StringRef key) {
  for (size_t i = node.keys.size(); i-- > 0;)
    if (node.keys[i].value == key) {
      node.keys.erase(node.keys.begin() + long(i));
      node.items.erase(node.items.begin() + long(i));
    }
}

/// What the rules beyond the table ask for.
void Generator::settle(YamlNode &node, const MappingSpec &spec) {
  const YamlNode *execute = node.find("execute");
  const YamlNode *expect = node.find("expect");
  if (expect && execute && !expect->find("fail"))
    drop(node, "expect");
  if (node.find("emit"))
    setKey(node, {"path", {}}, textNode(any(hostile)));
  if (spec.title == "bubble" && !node.find("use") && !node.find("schedule"))
    drop(node, "with");
  const YamlNode *ingress = node.find("ingress");
  if (ingress && ingress->text == "command") {
    YamlNode command = listNode();
    command.items.push_back(textNode(any(hostile)));
    setKey(node, {"command", {}}, command);
    drop(node, "exporter");
  } else if (ingress && !node.find("exporter")) {
    setKey(node, {"model", {}}, textNode(any(hostile)));
  } else if (ingress) {
    drop(node, "model");
  }
}

YamlNode Generator::mapping(const MappingSpec &spec) {
  YamlNode node = mappingNode();
  size_t choice =
      spec.exactlyOneOf.empty() ? 0 : below(spec.exactlyOneOf.size());
  auto isOther = [&](StringRef name) {
    for (size_t i = 0; i < spec.exactlyOneOf.size(); ++i)
      if (i != choice && spec.exactlyOneOf[i].key == name)
        return true;
    return false;
  };
  for (const KeySpec &key : spec.keys) {
    bool isChosen =
        !spec.exactlyOneOf.empty() && spec.exactlyOneOf[choice].key == key.name;
    bool isAllowed = key.rules.needs.empty() || node.find(key.rules.needs);
    if (isOther(key.name) || !isAllowed ||
        (!isChosen && !key.rules.required && below(2)))
      continue;
    setKey(node, {key.name.str(), {}}, value(key));
  }
  settle(node, spec);
  for (const Located<std::string> &key : node.keys)
    seen.insert({&spec, key.value});
  return node;
}

/// Whether `written` says what `given` does. Defaults may be absent.
static void checkSame(const YamlNode &given, const YamlNode &written) {
  REQUIRE(int(given.kind) == int(written.kind));
  if (given.isScalar())
    CHECK(valueOf(given) == valueOf(written));
  if (given.isSequence()) {
    REQUIRE(given.items.size() == written.items.size());
    for (size_t i = 0; i < given.items.size(); ++i)
      checkSame(given.items[i], written.items[i]);
  }
  if (!given.isMapping())
    return;
  for (const Located<std::string> &key : written.keys) {
    INFO(key.value);
    CHECK(given.find(key.value));
  }
  for (const Located<std::string> &key : given.keys) {
    INFO(key.value);
    const YamlNode &value = *given.find(key.value);
    const YamlNode *copy = written.find(key.value);
    bool isDefault =
        value.isScalar()
            ? (key.value == "pattern" && value.text == "uniform") ||
                  (key.value == "band" && value.text == "1") ||
                  value.text == "normal" || value.text == "declared" ||
                  value.text == "false"
            : value.items.empty();
    if (!copy && isDefault)
      continue;
    REQUIRE(copy);
    bool isShort = key.value == "execute" && copy->isScalar();
    checkSame(isShort && value.isMapping() ? *value.find("entry") : value,
              *copy);
  }
}

static YamlNode readBack(const std::string &text) {
  CollectingSink sink;
  auto node = readYaml(text, "written", sink);
  INFO(text);
  REQUIRE(succeeded(node));
  return *node;
}

/// Every key of `mapping` and of those within.
static void
collectKeys(const MappingSpec &mapping,
            std::set<std::pair<const MappingSpec *, std::string>> &keys) {
  for (const KeySpec &key : mapping.keys) {
    if (!keys.insert({&mapping, key.name.str()}).second)
      return;
    for (const ValueSpec *form = &key.value; form; form = form->alternative)
      for (const ValueSpec *value = form; value; value = value->element)
        if (const MappingSpec *inner = value->keys())
          collectKeys(*inner, keys);
  }
}

/// A kernel's functions have names, its tiles divide, and what it doesn't do
/// isn't said.
static void makeSound(YamlNode &kernel) {
  for (size_t i = 0; i < kernel.keys.size(); ++i) {
    YamlNode &node = kernel.items[i];
    if (kernel.keys[i].value == "reassociates")
      node = plainNode("true");
    for (YamlNode &item : node.items) {
      if (kernel.keys[i].value == "computes")
        item =
            textNode("f" + std::to_string(node.items.size() -
                                          size_t(&item - node.items.data())));
      const YamlNode *most = item.find("max");
      if (kernel.keys[i].value == "sizes" && item.find("multiple"))
        setKey(item, {"multiple", {}}, most ? *most : plainNode("3"));
    }
  }
}

/// `parse` gives the value of a text, or a failure.
template <typename Parse>
static void checkFile(const MappingSpec &mapping, Parse parse) {
  std::set<std::pair<const MappingSpec *, std::string>> keys, seen;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Generator generator(seed);
    YamlNode document = generator.mapping(mapping);
    drop(document, "extends"); // another file says what that means
    if (mapping.title == "target")
      setKey(document, {"backend", {}}, textNode("cpu"));
    if (mapping.title == "kernel")
      makeSound(document);
    seen.insert(generator.seen.begin(), generator.seen.end());
    std::string text = yamlText(document);
    INFO(text);
    CollectingSink sink;
    auto value = parse(text, sink);
    for (const Diagnostic &diagnostic : sink.diagnostics())
      FAIL(diagnostic.message);
    checkSame(document, readBack(yamlText(documentOf(*value))));
  }
  collectKeys(mapping, keys);
  CHECK(seen == keys);
}

TEST_CASE("every key of a manifest is written as it was read", "[manifest]") {
  checkFile(manifestMapping(), [](StringRef text, DiagnosticSink &sink) {
    return parseManifest(text, "/p/m.yaml", sink);
  });
}

TEST_CASE("every key of a bubble file is written as it was read",
          "[manifest]") {
  checkFile(bubbleFileMapping(), [](StringRef text, DiagnosticSink &sink) {
    return parseBubbleFile(text, "/p/b.yaml", sink);
  });
}

TEST_CASE("every key of a target is written as it was read", "[manifest]") {
  checkFile(targetMapping(), [](StringRef text, DiagnosticSink &sink) {
    return parseTarget(text, "/p/t.yaml", sink);
  });
}

TEST_CASE("every key of a kernel is written as it was read", "[manifest]") {
  checkFile(kernelMapping(), [](StringRef text, DiagnosticSink &sink) {
    return parseKernel(text, "/p/k.yaml", sink);
  });
}

TEST_CASE("every key of a tuned file is written as it was read", "[manifest]") {
  checkFile(tunedMapping(), [](StringRef text, DiagnosticSink &sink) {
    return parseTuned(text, "/p/tuned.yaml", sink);
  });
}

TEST_CASE("a mapping in a list may have a line for each key", "[manifest]") {
  YamlNode root = mappingNode(), list = listNode(), item = mappingNode();
  setKey(item, {"a", {}}, plainNode("1"));
  setKey(item, {"b", {}}, listNode());
  item.isBlock = true;
  list.items = {item, item};
  list.isBlock = true;
  setKey(root, {"list", {}}, list);
  CHECK(yamlText(root) == "list:\n  - a: 1\n    b: []\n  - a: 1\n    b: []\n");
}

TEST_CASE("text in quotes reads back, and bytes that are none are replaced",
          "[manifest]") {
  for (const std::string &text : hostile) {
    CHECK(readBack("k: " + quotedYaml(text)).find("k")->text == text);
    CHECK(readBack("[" + quotedYaml(text) + "]").items[0].text == text);
  }
  CHECK(quotedYaml("a\xff\xc3z") == "\"a\\ufffd\\ufffdz\"");
  CHECK(quotedYaml("\xc3\xa9\x07\xe2\x80\xa8") == "\"\xc3\xa9\\u0007\\u2028\"");
  CHECK(quotedYaml(StringRef("\0", 1)) == "\"\\u0000\"");
}

TEST_CASE("a value's text keeps its type", "[manifest]") {
  BubbleFile file;
  file.with.emplace();
  for (const Value &value :
       {Value(true), Value(int64_t(4)), Value(4.0), Value(1e300),
        Value(std::string("4")), Value(std::vector<int64_t>{1, 2})})
    file.with->emplace_back(
        Located<std::string>{"v" + std::to_string(file.with->size()), {}},
        literal(value));
  CHECK(flowText(*documentOf(file).find("with")) ==
        "{v0: true, v1: 4, v2: 4.0, v3: 1e+300, v4: \"4\", v5: [1, 2]}");
}

TEST_CASE("a contract's text says what it says, and only that", "[manifest]") {
  BubbleFile file;
  file.requires_.emplace();
  file.ensures.emplace();
  file.ensures->dialectsOnly.emplace(); // builtin alone
  file.ensures->typesSome = {"vector"};
  file.ensures->shapes = "static";
  YamlNode document = documentOf(file);
  CHECK(flowText(*document.find("requires")) == "{}");
  CHECK(flowText(*document.find("ensures")) ==
        "{dialects: {only: []}, types: {some: [vector]}, shapes: static}");
}

TEST_CASE("what is too long for a line has lines for its parts, and comments "
          "stand above what they are about",
          "[manifest]") {
  YamlNode root = mappingNode();
  setKey(root, {"short", {}}, plainNode("1"));
  setKey(root, {"long", {}}, mappingNode());
  for (const char *key : {"a", "b"}) {
    setKey(root.items[1], {key, {}}, textNode(std::string(70, 'x')));
    root.items[1].items.back().comment = std::string("of ") + key;
  }
  root.comment = "First.\nSecond.";
  std::string x(70, 'x');
  CHECK(yamlText(root) ==
        "# First.\n# Second.\nshort: 1\nlong:\n  # of a\n  a: " + x +
            "\n  # of b\n  b: " + x + "\n");
}
