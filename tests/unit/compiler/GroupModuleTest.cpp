// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node of a model, with what is computed along with it, as a module.
#include "compiler/session/GroupModule.h"
#include "IrTest.h"

#include "compiler/session/ModuleBytecode.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A product with a weight, an addition of another input, and a second product.
static constexpr StringRef model = R"(
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32> {lh.weight = "w"}, %y: tensor<4x6xf32>, %v: tensor<6x6xf32>) -> tensor<4x6xf32> {
  %z = arith.constant dense<0.0> : tensor<4x6xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32> loc("first")
  %e = tensor.empty() : tensor<4x6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<4x6xf32> loc("second")
  %q = linalg.matmul ins(%s, %v : tensor<4x6xf32>, tensor<6x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32> loc("third")
  return %q : tensor<4x6xf32>
}
)";

/// The module's text; why there is none.
static std::string groupOf(IrWorkbench &bench, StringRef text, StringRef node) {
  std::string whyNot;
  std::string bytes = groupModule(bench.imported(text), "main", node,
                                  /*channelsLast=*/false, whyNot);
  if (bytes.empty())
    return whyNot;
  bench.runner.setModule(readModuleBytecode(bytes, bench.session.context()));
  return bench.text();
}

TEST_CASE("a group has what follows, and its weights last", "[ir]") {
  IrWorkbench bench;
  std::string text = groupOf(bench, model, "first");
  INFO(text);
  CHECK(countOf(text, "linalg.matmul") == 1);
  CHECK(countOf(text, "linalg.generic") == 1);
  CHECK(countOf(text, "@main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x6xf32>, "
                      "%arg2: tensor<8x6xf32> {") == 1);
  CHECK(countOf(text, "lh.weight = \"w\"") == 1);
}

TEST_CASE("what can't stand alone says why", "[ir]") {
  IrWorkbench bench;
  CHECK(groupOf(bench, model, "fourth") ==
        "it is in no straight code of the entry");
  constexpr StringRef open = R"(
func.func @main(%x: tensor<?x8xf32>, %w: tensor<8x6xf32>, %z: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x6xf32>) outs(%z : tensor<?x6xf32>) -> tensor<?x6xf32> loc("first")
  return %p : tensor<?x6xf32>
}
)";
  CHECK(groupOf(bench, open, "first") == "it reads what has an open size");
}
