// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights from files.
#include "BackendTestSupport.h"

#include "runtime/abi/WeightFiles.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace lh;
using Catch::Matchers::Contains;

static EntryArgument weight(const std::string &file, uint64_t offset,
                            uint64_t bytes, std::vector<int64_t> shape) {
  EntryArgument argument;
  argument.tensor = {"w", DType::Float32, std::move(shape)};
  argument.role = ArgumentRole::Weight;
  argument.data = {file, offset, bytes};
  return argument;
}

static std::string bytesOf(std::vector<float> numbers) {
  return std::string(reinterpret_cast<const char *>(numbers.data()),
                     numbers.size() * sizeof(float));
}

TEST_CASE("aligned weights are used where they lie", "[weights]") {
  TemporaryFile file(std::string(64, '\0') + bytesOf({1.5f, 2.5f}));
  WeightFiles files;
  CollectingSink sink;
  auto bytes = files.bind(weight(file.path(), 64, 8, {2}), 64, {}, sink);
  REQUIRE(succeeded(bytes));
  float numbers[2];
  std::memcpy(numbers, *bytes, 8);
  CHECK(numbers[1] == 2.5f);
  CHECK(files.copiedBytes() == 0);
}

TEST_CASE("unaligned weights are copied to aligned memory", "[weights]") {
  TemporaryFile file(std::string(3, '\0') + bytesOf({1.5f, 2.5f}));
  WeightFiles files;
  CollectingSink sink;
  auto bytes = files.bind(weight(file.path(), 3, 8, {2}), 64, {}, sink);
  REQUIRE(succeeded(bytes));
  CHECK(reinterpret_cast<uintptr_t>(*bytes) % 64 == 0);
  CHECK(reinterpret_cast<const float *>(*bytes)[1] == 2.5f);
  CHECK(files.copiedBytes() == 8);
}

TEST_CASE("an empty weight may lie in an empty file", "[weights]") {
  TemporaryFile file("");
  WeightFiles files;
  CollectingSink sink;
  CHECK(succeeded(files.bind(weight(file.path(), 0, 0, {0}), 64, {}, sink)));
}

TEST_CASE("weights that their file can't give are errors", "[weights]") {
  TemporaryFile file(bytesOf({1.0f, 2.0f}));
  auto complaint = [](const EntryArgument &argument) {
    WeightFiles files;
    CollectingSink sink;
    CHECK(failed(files.bind(argument, 64, {}, sink)));
    return only(sink);
  };
  CHECK_THAT(complaint(weight("/nowhere/w.bin", 0, 8, {2})),
             Contains("[backend-weight-file]") && Contains("/nowhere/w.bin"));
  CHECK_THAT(complaint(weight("/tmp", 0, 8, {2})), Contains("/tmp"));
  CHECK_THAT(complaint(weight(file.path(), 4, 8, {2})),
             Contains("the file has 8 bytes, the weight ends at 12"));
  CHECK_THAT(complaint(weight(file.path(), UINT64_MAX, 8, {2})),
             Contains("the file has 8 bytes"));
  CHECK_THAT(complaint(weight(file.path(), 0, 8, {3})),
             Contains("8 bytes are named, the tensor has 12"));
}
