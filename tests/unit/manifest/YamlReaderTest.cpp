// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// YAML and JSON as located trees.
#include "core/manifest/YamlReader.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("nodes know their line and column", "[manifest]") {
  CollectingSink sink;
  auto root = readYaml("a: 1\nb:\n  - x\n  - {c: 'd'}\n", "m.yaml", sink);
  REQUIRE(succeeded(root));
  CHECK(root->find("a")->where.line == 1);
  CHECK(root->find("a")->where.column == 4);
  const YamlNode &list = *root->find("b");
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[0].where.line == 3);
  CHECK(list.items[0].where.column == 5);
  const YamlNode &scalar = *list.items[1].find("c");
  CHECK(scalar.where.column == 9);
  CHECK(scalar.contentColumn == 10);
  CHECK(scalar.quoted);
  CHECK(list.items[1].whereKey("c").column == 6);
  CHECK(root->find("nothing") == nullptr);
}

TEST_CASE("JSON is read as it is", "[manifest]") {
  CollectingSink sink;
  auto root =
      readYaml("{\"a\": [1, true, \"x\\ny\"], \"b\": null}", "m.json", sink);
  REQUIRE(succeeded(root));
  CHECK(root->find("a")->items[2].text == "x\ny");
  CHECK(root->find("a")->items[2].contentColumn == 0);
  CHECK(root->find("b")->kind == YamlNode::Kind::Null);
  CHECK(root->find("b")->where.column == root->whereKey("b").column);
}

TEST_CASE("an alias stands for the whole value", "[manifest]") {
  CollectingSink sink;
  auto root = readYaml("a: &x {b: 1}\nc: *x\nd: [*x, *x]\n", "m.yaml", sink);
  REQUIRE(succeeded(root));
  CHECK(root->find("c")->find("b")->text == "1");
  CHECK(root->find("d")->items.size() == 2);
}

static std::vector<std::string> kindsOf(const std::string &text) {
  CollectingSink sink;
  (void)readYaml(text, "m.yaml", sink);
  std::vector<std::string> kinds;
  for (const Diagnostic &diagnostic : sink.diagnostics())
    kinds.push_back(kindName(diagnostic.kind).str());
  return kinds;
}

TEST_CASE("malformed and hostile input gives one error, never a crash",
          "[manifest]") {
  using Kinds = std::vector<std::string>;
  CHECK(kindsOf("") == Kinds{"manifest-syntax"});
  CHECK(kindsOf("# only a comment\n") == Kinds{"manifest-syntax"});
  CHECK(kindsOf("a: [1, 2") == Kinds{"manifest-syntax"});
  CHECK(kindsOf("a: \"open") == Kinds{"manifest-syntax"});
  CHECK(kindsOf("\t- a") == Kinds{"manifest-syntax"});
  CHECK(kindsOf("a: *nothing") == Kinds{"manifest-syntax"});
  CHECK(kindsOf("a: &x [*x]") == Kinds{"manifest-syntax"});
  CHECK(kindsOf("? [a, b]\n: c") == Kinds{"manifest-syntax"});
  CHECK(kindsOf("a: 1\n---\nb: 2\n") == Kinds{"manifest-syntax"});
  CHECK(kindsOf(std::string(100000, '[')) == Kinds{"manifest-limit"});
  CHECK(kindsOf(std::string(5 << 20, ' ')) == Kinds{"manifest-limit"});
  CHECK(kindsOf("a: 1\na: 2\nb: {c: 1, c: 2}\n") ==
        Kinds{"manifest-duplicate-key", "manifest-duplicate-key"});
  CHECK(kindsOf("a: &x {b: 1}\nc: {<<: *x}\n") == Kinds{"manifest-merge-key"});
  std::string binary("\x00\xff\xfe\x01: \x02", 7);
  CHECK(kindsOf(binary).size() <= 1);
}

TEST_CASE("aliases can't multiply beyond the limit", "[manifest]") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string before = std::to_string(i - 1), now = std::to_string(i);
    text.append("a").append(now).append(": &a").append(now).append(" [");
    for (int j = 0; j < 10; ++j)
      text.append("*a").append(before).append(j == 9 ? "]\n" : ", ");
  }
  CHECK(kindsOf(text) == std::vector<std::string>{"manifest-limit"});
}

TEST_CASE("a tree comes back beside the errors that leave one", "[manifest]") {
  CollectingSink sink;
  auto root = readYaml("a: 1\na: 2\nb: 3\n", "m.yaml", sink);
  REQUIRE(succeeded(root));
  CHECK(sink.errorCount() == 1);
  CHECK(root->find("a")->text == "1");
  CHECK(root->find("b")->text == "3");
  REQUIRE(sink.diagnostics()[0].notes.size() == 1);
  CHECK(sink.diagnostics()[0].notes[0].where.line == 1);
}
