// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-assemble: padded images as loops over rows.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// 4 x 5 pixels of 8 channels with `low` and `high` around them, as `type`.
static std::string padded(StringRef low, StringRef high, StringRef type) {
  std::string payload =
      ("func.func @main(%x: tensor<4x5x8xf32>) -> " + type +
       " {\n  %z = arith.constant 0.0 : f32\n"
       "  %p = tensor.pad %x low[" +
       low + "] high[" + high +
       "] {\n  ^bb0(%i: index, %j: index, %k: index):\n"
       "    tensor.yield %z : f32\n  } : tensor<4x5x8xf32> to " +
       type + "\n  return %p : " + type + "\n}")
          .str();
  return after("func.func(lh-assemble, lh-share-loops{mark=true})", payload);
}

TEST_CASE("a padded image is a loop over rows that threads can share", "[ir]") {
  std::string text = padded("1, 2, 0", "1, 0, 0", "tensor<6x7x8xf32>");
  CHECK(countOf(text, "tensor.pad") == 0);
  CHECK(countOf(text, "lh.independent") == 1);
  // The rows above and below, and what is left of each.
  CHECK(countOf(text, "linalg.fill") == 3);
  CHECK(countOf(text, "linalg.copy") == 1);
}

TEST_CASE("padded channels stay", "[ir]") {
  std::string text = padded("1, 1, 0", "1, 1, 8", "tensor<6x7x16xf32>");
  CHECK(countOf(text, "tensor.pad") == 1);
}
