// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nodes have to compute and to move.
#include "compiler/session/NodeWork.h"
#include "IrTest.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::map<std::string, NodeWork> workIn(StringRef mlir) {
  IrWorkbench bench;
  CHECK(bench.import(mlir).reason == "");
  std::map<std::string, NodeWork> nodes;
  for (const NodeWork &work : nodeWork(bench.runner.module()))
    nodes[work.node] = work;
  return nodes;
}

// 'flat' is a view, and what 'sum' keeps between its two ops is its own.
static constexpr StringRef twoNodes = R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32> loc("dot")
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>)
         -> tensor<4x16xf32> loc("dot")
  %c = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>)
         outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32> loc("dot")
  %s = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
         ins(%c : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %t = math.tanh %x : f32
    %u = arith.addf %t, %x : f32
    linalg.yield %u : f32
  } -> tensor<4x16xf32> loc("sum")
  %t = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
         ins(%s : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %u = arith.negf %x : f32
    linalg.yield %u : f32
  } -> tensor<4x16xf32> loc("sum")
  %flat = tensor.collapse_shape %t [[0, 1]]
            : tensor<4x16xf32> into tensor<64xf32> loc("flat")
  return %flat : tensor<64xf32>
})";

TEST_CASE("a node computes what its ops do, the largest names its kind",
          "[ir]") {
  std::map<std::string, NodeWork> nodes = workIn(twoNodes);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes["dot"].operations == 2 * 4 * 8 * 16);
  CHECK(nodes["dot"].kind == "linalg.matmul");
  CHECK(nodes["dot"].dtype == "float32");
  // A tanh, an addition, a negation.
  CHECK(nodes["sum"].operations == (20 + 1 + 1) * 4 * 16);
  CHECK(nodes["sum"].kind == "linalg.generic");
}

TEST_CASE("a node moves what others give and take, each once", "[ir]") {
  std::map<std::string, NodeWork> nodes = workIn(twoNodes);
  CHECK(nodes["dot"].bytes == 4 * (4 * 8 + 8 * 16 + 4 * 16));
  CHECK(nodes["sum"].bytes == 4 * (4 * 16 + 4 * 16));
}

TEST_CASE("without names, places tell ops apart", "[ir]") {
  std::map<std::string, NodeWork> nodes = workIn(R"(
func.func @main(%a: tensor<2x3xf32>, %o: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %t = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%o : tensor<3x2xf32>)
         permutation = [1, 0]
  return %t : tensor<3x2xf32>
})");
  REQUIRE(nodes.size() == 1);
  CHECK(StringRef(nodes.begin()->first).ends_with(".mlir:3"));
  CHECK(nodes.begin()->second.operations == 0);
}
