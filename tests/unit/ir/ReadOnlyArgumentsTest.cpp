// lh-entry-abi on tensors: what a caller hands in is never computed in place.
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
static const char *const bufferize =
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map}";

TEST_CASE("a read-only argument is copied before it is written", "[ir]") {
  IrWorkbench plain, marked;
  REQUIRE(plain.import(inPlace).status == StepStatus::Passed);
  CHECK(plain.passes(bufferize).reason == "");
  CHECK(countOf(plain.text(), "memref.alloc") == 0);

  REQUIRE(marked.import(inPlace).status == StepStatus::Passed);
  CHECK(marked.passes("lh-entry-abi{tensors=true}").reason == "");
  CHECK(countOf(marked.text(), "bufferization.writable = false") == 1);
  CHECK(countOf(marked.text(), "bufferization.writable = true") == 1);
  CHECK(marked.passes(bufferize).reason == "");
  CHECK(countOf(marked.text(), "memref.alloc") == 1);
}
