// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wire reader never reads beyond its message.
#include "compiler/ingress/onnx/WireReader.h"
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;

static bool readsAll(const std::string &bytes) {
  return forEachField(bytes, [](const WireField &) { return true; });
}

TEST_CASE("fields are read in order with their values", "[ingress]") {
  std::string bytes = Message().varint(1, 300).bytes(2, "ab").str();
  std::vector<std::string> seen;
  REQUIRE(forEachField(bytes, [&](const WireField &field) {
    seen.push_back(field.isVarint() ? std::to_string(field.scalar)
                                    : std::string(field.bytes));
    return true;
  }));
  CHECK(seen == std::vector<std::string>{"300", "ab"});
}

TEST_CASE("a length beyond the end is refused", "[ingress]") {
  CHECK_FALSE(readsAll(std::string("\x0a\x05"
                                   "ab",
                                   4)));
  CHECK_FALSE(readsAll("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"));
}

TEST_CASE("a truncated number and an unknown wire type are refused",
          "[ingress]") {
  CHECK_FALSE(readsAll("\x08\x80"));
  CHECK_FALSE(readsAll("\x0b"));
}

TEST_CASE("repeated integers are read packed and unpacked", "[ingress]") {
  std::string bytes =
      Message().varint(1, 5).bytes(1, std::string("\x01\xac\x02", 3)).str();
  std::vector<int64_t> values;
  REQUIRE(forEachField(bytes, [&](const WireField &field) {
    return appendIntegers(field, values);
  }));
  CHECK(values == std::vector<int64_t>{5, 1, 300});
}
