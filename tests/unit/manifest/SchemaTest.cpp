// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schemas and the documentation follow the table of keys.
#include "core/manifest/KeyTable.h"
#include "core/manifest/Schema.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

#include <set>

using namespace lh;

static std::string readDoc(const std::string &name) {
  auto buffer =
      llvm::MemoryBuffer::getFile(std::string(LH_DOCS).append("/" + name));
  REQUIRE(buffer);
  return (*buffer)->getBuffer().str();
}

TEST_CASE("docs/schema holds what lh-run schema prints", "[manifest]") {
  CHECK(readDoc("schema/manifest.json") == manifestSchema());
  CHECK(readDoc("schema/bubble.json") == bubbleFileSchema());
  CHECK(readDoc("schema/target.json") == targetSchema());
}

TEST_CASE("the schemas are JSON with the rules of the table", "[manifest]") {
  for (const std::string &text :
       {manifestSchema(), bubbleFileSchema(), targetSchema()}) {
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
    REQUIRE(bool(parsed));
    const llvm::json::Object &schema = *parsed->getAsObject();
    CHECK(*schema.getString("$schema") ==
          "http://json-schema.org/draft-07/schema#");
    CHECK(*schema.getBoolean("additionalProperties") == false);
    const llvm::json::Object &properties = *schema.getObject("properties");
    CHECK(properties.getObject("lighthouse")->getInteger("const") == 1);
  }
}

/// Every key of `mapping` and of the mappings in it.
static void collectKeys(const MappingSpec &mapping,
                        std::set<const MappingSpec *> &seen,
                        std::set<std::string> &keys) {
  if (!seen.insert(&mapping).second)
    return;
  for (const KeySpec &key : mapping.keys) {
    keys.insert(key.name.str());
    for (const ValueSpec *form = &key.value; form; form = form->alternative)
      for (const ValueSpec *value = form; value; value = value->element) {
        if (value->mapping)
          collectKeys(*value->mapping, seen, keys);
        if (value->alternative && value->alternative->mapping)
          collectKeys(*value->alternative->mapping, seen, keys);
      }
  }
}

TEST_CASE("docs/manifest.md explains every key", "[manifest]") {
  std::string text = readDoc("manifest.md");
  std::set<const MappingSpec *> seen;
  std::set<std::string> keys;
  collectKeys(manifestMapping(), seen, keys);
  collectKeys(bubbleFileMapping(), seen, keys);
  collectKeys(targetMapping(), seen, keys);
  CHECK(keys.size() > 50);
  for (const std::string &key : keys) {
    INFO(key);
    CHECK(StringRef(text).contains(std::string("`").append(key + "`")));
  }
}

TEST_CASE("every key has a sentence and an example", "[manifest]") {
  for (const MappingSpec *mapping :
       {&manifestMapping(), &bubbleFileMapping(), &targetMapping()})
    for (const KeySpec &key : mapping->keys) {
      INFO(key.name.str());
      CHECK(key.doc.ends_with("."));
      CHECK_FALSE(key.example.empty());
    }
}
