// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of sequences and optionals, and what looks like them.
#include "core/numerics/TensorList.h"
#include "core/numerics/TensorFile.h"

#include "../TestFolder.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string field(unsigned number, const std::string &bytes) {
  return std::string(1, char(number << 3 | 2)) +
         std::string(1, char(bytes.size())) + bytes;
}
static std::string varint(unsigned number, unsigned value) {
  return {char(number << 3), char(value)};
}

/// A TensorProto of one int64.
static std::string number(unsigned value) {
  return varint(1, 1) + varint(2, 7) + varint(7, value);
}
static std::string sequence(const std::vector<std::string> &elements) {
  std::string bytes = field(1, "name") + varint(2, 1);
  for (const std::string &element : elements)
    bytes += field(3, element);
  return bytes;
}

static std::optional<TensorList> listOf(const std::string &bytes) {
  TestFolder folder;
  return tensorListAt(folder.write("a.pb", bytes));
}

TEST_CASE("elements of a sequence are files of their own", "[tensor-list]") {
  TestFolder folder;
  std::string path = folder.write("a.pb", sequence({number(5), number(7)}));
  std::optional<TensorList> list = tensorListAt(path);
  REQUIRE(list);
  CHECK(list->files == std::vector<std::string>{path + "[0]", path + "[1]"});
  CHECK(list->hasValue);
  CollectingSink sink;
  FailureOr<Tensor> second = readTensorFile(path + "[1]", sink);
  REQUIRE(succeeded(second));
  CHECK(second->at(0) == 7);
  CHECK(failed(readTensorFile(path + "[2]", sink)));
  CHECK(sink.diagnostics()[0].message == "the file has no element 2");
}

TEST_CASE("optionals hold a tensor, a sequence or nothing", "[tensor-list]") {
  CHECK(listOf(sequence({}))->files.empty());
  CHECK_FALSE(listOf(sequence({}))->hasValue);
  std::string nested = varint(2, 3) + field(5, sequence({number(1)}));
  CHECK(listOf(nested)->files.size() == 1);
  CHECK(listOf(varint(2, 3) + field(5, sequence({})))->hasValue);
}

TEST_CASE("what is no list stays a tensor", "[tensor-list]") {
  CHECK_FALSE(listOf(number(3)));
  CHECK_FALSE(listOf(""));
  CHECK_FALSE(listOf(field(9, "raw") + varint(2, 1)));
  // int8 data, which stands where an optional has its sequence.
  CHECK_FALSE(listOf(varint(1, 2) + varint(2, 3) +
                     field(5, std::string("\x10\x01", 2))));
  std::string deep = field(5, field(5, sequence({number(1)})));
  CHECK_FALSE(listOf(varint(2, 3) + deep));
  CHECK_FALSE(listOf(sequence({number(1)}).substr(0, 9)));
}

TEST_CASE("only paths that end in an element's number name one",
          "[tensor-list]") {
  CHECK(splitElement("a.pb[12]") ==
        std::pair(StringRef("a.pb"), std::optional<size_t>(12)));
  for (StringRef path : {"a.pb", "a[1].pb", "a.pb[]", "a.pb[x]", "a.npy[1]"})
    CHECK(splitElement(path) == std::pair(path, std::optional<size_t>()));
}
