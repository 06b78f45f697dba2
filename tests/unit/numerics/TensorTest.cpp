// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor itself: names of types, storage, conversion of elements.
#include "core/numerics/Tensor.h"
#include "TestSupport.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace lh;

TEST_CASE("every element type is found by its own name", "[tensor]") {
  for (DType dtype : allTypes)
    CHECK(parseDType(dtypeName(dtype)) == dtype);
  CHECK(dtypeName(DType::BFloat16) == "bfloat16");
}

TEST_CASE("MLIR's short names of types are understood", "[tensor]") {
  CHECK(parseDType("f32") == DType::Float32);
  CHECK(parseDType("bf16") == DType::BFloat16);
  CHECK(parseDType("i1") == DType::Bool);
  CHECK(parseDType("i64") == DType::Int64);
  CHECK(parseDType("si8") == DType::Int8);
  CHECK(parseDType("ui16") == DType::UInt16);
  CHECK(!parseDType("float"));
  CHECK(!parseDType(""));
}

TEST_CASE("a tensor's buffer is aligned, even when it is empty", "[tensor]") {
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{}, {3}, {0}, {5, 0, 7}, {4, 100}}) {
    Tensor tensor(DType::Float32, shape);
    REQUIRE(tensor.data());
    CHECK(reinterpret_cast<uintptr_t>(tensor.data()) % 64 == 0);
  }
  CHECK(Tensor(DType::Int64, {}).elementCount() == 1);
  CHECK(Tensor(DType::Int64, {2, 3}).sizeInBytes() == 48);
  CHECK(Tensor(DType::Int64, {2, 0}).sizeInBytes() == 0);
}

TEST_CASE("sizes that are negative or overflow are not sizes", "[tensor]") {
  constexpr int64_t huge = int64_t(1) << 62;
  CHECK(checkedSizeInBytes(DType::Int8, {huge}) == size_t(huge));
  CHECK(checkedSizeInBytes(DType::Float32, {}) == 4);
  CHECK(checkedSizeInBytes(DType::Float32, {3, 0}) == 0);
  CHECK(!checkedSizeInBytes(DType::Int16, {huge}));
  CHECK(!checkedSizeInBytes(DType::Int8, {huge, 2}));
  CHECK(!checkedSizeInBytes(DType::Int8, {0, huge, huge}));
  CHECK(!checkedSizeInBytes(DType::Int8, {-1}));
  CHECK(!checkedSizeInBytes(DType::Int8, {0, -1}));
}

TEST_CASE("small integers survive a round trip in every type", "[tensor]") {
  for (DType dtype : allTypes) {
    Tensor tensor(dtype, {2});
    tensor.set(0, 0);
    tensor.set(1, 1);
    // float8e8m0 has no zero; its smallest number stands for it.
    CHECK(tensor.at(0) == (dtype == DType::Float8E8M0 ? 0x1p-127 : 0.0));
    CHECK(tensor.at(1) == 1);
  }
}

TEST_CASE("setting an integer truncates and saturates", "[tensor]") {
  Tensor bytes(DType::Int8, {5});
  double values[] = {1.9, -1.9, 200, -200, std::nan("")};
  for (int i = 0; i < 5; ++i)
    bytes.set(i, values[i]);
  int8_t expected[] = {1, -1, 127, -128, 0};
  for (int i = 0; i < 5; ++i)
    CHECK(bytes.as<int8_t>()[i] == expected[i]);

  Tensor wide(DType::Int64, {2});
  wide.set(0, 1e30);
  wide.set(1, -1e30);
  CHECK(wide.as<int64_t>()[0] == std::numeric_limits<int64_t>::max());
  CHECK(wide.as<int64_t>()[1] == std::numeric_limits<int64_t>::min());

  Tensor positive(DType::UInt64, {2});
  positive.set(0, -3);
  positive.set(1, 0x1p64);
  CHECK(positive.as<uint64_t>()[0] == 0);
  CHECK(positive.as<uint64_t>()[1] == std::numeric_limits<uint64_t>::max());

  Tensor truth(DType::Bool, {1});
  truth.set(0, -0.5);
  CHECK(truth.as<uint8_t>()[0] == 1);
}

TEST_CASE("integers of four and two bits saturate to their range", "[tensor]") {
  std::pair<DType, std::vector<double>> expected[] = {
      {DType::Int4, {7, -8, 3, -2}},
      {DType::UInt4, {15, 0, 3, 0}},
      {DType::Int2, {1, -2, 1, -2}},
      {DType::UInt2, {3, 0, 3, 0}}};
  for (const auto &[dtype, values] : expected) {
    Tensor tensor(dtype, {4});
    double given[] = {1000, -1000, 3.9, -2.9};
    for (int i = 0; i < 4; ++i) {
      tensor.set(i, given[i]);
      CHECK(tensor.at(i) == values[size_t(i)]);
    }
  }
}

TEST_CASE("packed elements come low bits first", "[tensor]") {
  auto unpacked = [](DType dtype, std::vector<uint8_t> packed, size_t count) {
    Tensor tensor(dtype, {int64_t(count)});
    REQUIRE(packed.size() == storedBytes(dtype, count));
    unpackElements(dtype, packed.data(), {tensor.as<uint8_t>(), count});
    std::vector<double> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(tensor.at(int64_t(i)));
    return values;
  };
  using Values = std::vector<double>;
  CHECK(unpacked(DType::Int4, {0x87, 0xf1}, 4) == Values{7, -8, 1, -1});
  CHECK(unpacked(DType::UInt4, {0x87, 0x0f}, 3) == Values{7, 8, 15});
  CHECK(unpacked(DType::Int2, {0xe4, 0x02}, 5) == Values{0, 1, -2, -1, -2});
  CHECK(unpacked(DType::UInt2, {0xe4}, 4) == Values{0, 1, 2, 3});
  CHECK(unpacked(DType::Float4E2M1, {0xf1, 0x0a}, 3) == Values{0.5, -6, -1});
  CHECK(storedBytes(DType::Int2, 0) == 0);
  CHECK(storedBytes(DType::Float32, 3) == 12);
}
