// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schemas and the documentation follow the table of keys.
#include "core/manifest/Schema.h"
#include "core/manifest/KeyTable.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

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
  CHECK(readDoc("schema/kernel.json") == kernelSchema());
  CHECK(readDoc("schema/tuned.json") == tunedSchema());
}

TEST_CASE("the schemas are JSON with the rules of the table", "[manifest]") {
  for (const std::string &text :
       {manifestSchema(), bubbleFileSchema(), targetSchema(), kernelSchema(),
        tunedSchema()}) {
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

TEST_CASE("docs/reference holds what lh-run schema --markdown prints",
          "[manifest]") {
  CHECK(readDoc("reference/manifest.md") == manifestPage());
  CHECK(readDoc("reference/diagnostics.md") == diagnosticsPage());
}

TEST_CASE("every key has a sentence and an example", "[manifest]") {
  for (const MappingSpec *mapping :
       {&manifestMapping(), &bubbleFileMapping(), &targetMapping(),
        &kernelMapping(), &tunedMapping()})
    for (const KeySpec &key : mapping->keys) {
      INFO(key.name.str());
      CHECK(key.doc.ends_with("."));
      CHECK_FALSE(key.example.empty());
    }
}
