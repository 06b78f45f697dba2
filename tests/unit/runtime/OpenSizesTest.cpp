// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/abi/OpenSizes.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE(
    "sizes that follow from others are computed as exporters write them") {
  std::map<std::string, int64_t> known = {
      {"past", 13}, {"sequence", 7}, {"a.b_1", 2}};
  CHECK(evaluateSize("past + sequence", known) == 20);
  CHECK(evaluateSize("past+1", known) == 14);
  CHECK(evaluateSize("2*a.b_1*sequence", known) == 28);
  CHECK(evaluateSize("(past - 1) // 4 + 1", known) == 4);
  CHECK(evaluateSize("past / 2 - 1", known) == 5);
}

TEST_CASE("what isn't an expression of known sizes has no size") {
  std::map<std::string, int64_t> known = {{"n", 13}};
  for (const char *text :
       {"", "m", "n + m", "n +", "(n", "n)", "n n", "n / 0", "floor(n)",
        "9223372036854775807 + n", "9223372036854775807 * n"})
    CHECK_FALSE(evaluateSize(text, known));
}

static TensorSignature open(std::vector<std::string> names) {
  TensorSignature input;
  input.shape.assign(names.size(), -1);
  input.symbols = std::move(names);
  return input;
}

TEST_CASE("a sum may stand before the names that it adds") {
  OpenSizes sizes({2, 13});
  TensorSignature mask = open({"batch", "past + sequence"});
  TensorSignature ids = open({"batch", "sequence"});
  TensorSignature keys = open({"batch", "", "past"});
  for (const TensorSignature *input : {&mask, &ids, &keys})
    sizes.nameSizes(*input);
  CHECK(sizes.close(mask) == std::vector<int64_t>{2, 26});
  CHECK(sizes.close(ids) == std::vector<int64_t>{2, 13});
  CHECK(sizes.close(keys) == std::vector<int64_t>{2, 13, 13});
}

TEST_CASE("sizes that are given decide those that are not") {
  OpenSizes sizes({2, 13});
  TensorSignature ids = open({"batch", "sequence"});
  TensorSignature mask = open({"batch", "sequence + 1"});
  sizes.learn(ids, {5, 3});
  sizes.nameSizes(mask);
  CHECK(sizes.close(mask) == std::vector<int64_t>{5, 4});
}
