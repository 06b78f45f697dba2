// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller hands in is never computed in place, and lh-entry-abi on tensors
// makes constants globals in the order of the program.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// Writes into its first argument, unless bufferization must not.
static const char *const inPlace = R"(
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32> {bufferization.writable = true})
    -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %0 = linalg.fill ins(%one : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";

TEST_CASE("an import's arguments are copied before they are written", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench.import(inPlace).status == StepStatus::Passed);
  CHECK(countOf(bench.text(), "bufferization.writable = false") == 1);
  CHECK(countOf(bench.text(), "bufferization.writable = true") == 1);
  CHECK(bench.passes(bufferize).reason == "");
  CHECK(countOf(bench.text(), "memref.alloc") == 1);
}

TEST_CASE("constants are named in the order of the program", "[ir]") {
  // Bufferization takes functions in the order of their addresses.
  std::string payload;
  for (int i = 0; i < 8; ++i) {
    std::string number = std::to_string(i);
    payload += "func.func @f" + number +
               "() -> tensor<2xi32> {\n  %0 = arith.constant dense<[" + number +
               ", 9]> : tensor<2xi32>\n  return %0 : tensor<2xi32>\n}\n";
  }
  IrWorkbench bench;
  REQUIRE(bench.import(payload).reason == "");
  CHECK(bench.passes("lh-entry-abi{tensors=true}").reason == "");
  CHECK(bench.passes(bufferize).reason == "");
  std::string text = bench.text();
  CHECK(countOf(text, "memref.global") == 8);
  for (int i = 0; i < 8; ++i) {
    std::string suffix = i == 0 ? "" : "_" + std::to_string(i - 1);
    CHECK_THAT(text, Catch::Contains("@__constant_2xi32" + suffix +
                                     " : memref<2xi32> = dense<[" +
                                     std::to_string(i) + ", 9]>"));
  }
}
