// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-assemble: concatenations that nothing is copied for.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// Two computed images of 4 pixels, `%c` of 3 and `%d` of 5 channels, and one
/// that is given, `%z` of 5; `joined` is put side by side, and `%a`, the first
/// one's numbers, returned if `isKept`. Bufferized.
static std::string buffersOf(StringRef joined, bool isKept = false) {
  StringRef kept = isKept ? "%a" : "%x";
  std::string payload =
      ("func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>, %z: "
       "tensor<1x2x2x5xf32>) -> (tensor<1x2x2x8xf32>, tensor<4x3xf32>) {\n"
       "  %e3 = tensor.empty() : tensor<4x3xf32>\n"
       "  %e5 = tensor.empty() : tensor<4x5xf32>\n"
       "  %a = linalg.exp ins(%x : tensor<4x3xf32>) outs(%e3 : "
       "tensor<4x3xf32>) -> tensor<4x3xf32>\n"
       "  %b = linalg.exp ins(%y : tensor<4x5xf32>) outs(%e5 : "
       "tensor<4x5xf32>) -> tensor<4x5xf32>\n"
       "  %c = tensor.expand_shape %a [[0, 1, 2], [3]] output_shape [1, 2, 2, "
       "3] : tensor<4x3xf32> into tensor<1x2x2x3xf32>\n"
       "  %d = tensor.expand_shape %b [[0, 1, 2], [3]] output_shape [1, 2, 2, "
       "5] : tensor<4x5xf32> into tensor<1x2x2x5xf32>\n"
       "  %j = tensor.concat dim(3) " +
       joined + " -> tensor<1x2x2x8xf32>\n  return %j, " + kept +
       " : tensor<1x2x2x8xf32>, tensor<4x3xf32>\n}")
          .str();
  IrWorkbench bench;
  REQUIRE(bench.import(payload).reason == "");
  CHECK(bench
            .passes("func.func(lh-assemble), canonicalize, "
                    "one-shot-bufferize{bufferize-function-boundaries "
                    "function-boundary-type-conversion=identity-layout-map}, "
                    "canonicalize, cse, canonicalize")
            .reason == "");
  return bench.text();
}

static size_t copiesIn(StringRef joined, bool isKept = false) {
  return countOf(buffersOf(joined, isKept), "memref.copy");
}

TEST_CASE("parts are computed where they belong", "[ir]") {
  for (StringRef joined :
       {"%c, %d : (tensor<1x2x2x3xf32>, tensor<1x2x2x5xf32>)",
        "%d, %c : (tensor<1x2x2x5xf32>, tensor<1x2x2x3xf32>)"}) {
    std::string text = buffersOf(joined);
    CHECK(countOf(text, "memref.copy") == 0);
    CHECK(countOf(text, "memref.alloc()") == 1);
  }
}

TEST_CASE("parts that are given, or needed by others, are copied", "[ir]") {
  CHECK(copiesIn("%c, %z : (tensor<1x2x2x3xf32>, tensor<1x2x2x5xf32>)") == 1);
  CHECK(copiesIn("%c, %d : (tensor<1x2x2x3xf32>, tensor<1x2x2x5xf32>)",
                 /*isKept=*/true) == 1);
}

TEST_CASE("a part that threads share is computed where it belongs", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
func.func @main(%x: tensor<4x3xf32>, %z: tensor<1x2x2x5xf32>)
    -> tensor<1x2x2x8xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %a = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x3xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 3] [1, 1]
        : tensor<4x3xf32> to tensor<1x3xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 3] [1, 1]
          : tensor<1x3xf32> into tensor<4x3xf32>
    }
  }
  %c = tensor.expand_shape %a [[0, 1, 2], [3]] output_shape [1, 2, 2, 3]
      : tensor<4x3xf32> into tensor<1x2x2x3xf32>
  %j = tensor.concat dim(3) %c, %z
      : (tensor<1x2x2x3xf32>, tensor<1x2x2x5xf32>) -> tensor<1x2x2x8xf32>
  return %j : tensor<1x2x2x8xf32>
})")
              .reason == "");
  CHECK(bench.passes("func.func(lh-assemble), canonicalize").reason == "");
  std::string text = bench.text();
  CHECK(countOf(text, "tensor.concat") == 0);
  CHECK(countOf(text, "tensor.empty() : tensor<4x3xf32>") == 0);
  CHECK(countOf(text, "tensor<4x8xf32> to tensor<4x3xf32>") == 1);
}
