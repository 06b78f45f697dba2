// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-entry-abi: the C interface of entries and its record.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static constexpr StringRef exportBuffers =
    "eliminate-empty-tensors,one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},canonicalize,"
    "lh-entry-abi";

static std::string afterAbi(StringRef mlir) {
  IrWorkbench bench;
  CHECK(bench.import(mlir).reason == "");
  StepOutcome outcome = bench.passes(exportBuffers);
  CHECK(outcome.reason == "");
  // The rest of the usual path must take it too.
  std::string text = bench.text();
  CHECK(bench
            .passes("convert-linalg-to-loops,buffer-deallocation-pipeline,"
                    "convert-bufferization-to-memref,expand-strided-metadata,"
                    "convert-scf-to-cf,lower-affine,convert-to-llvm,"
                    "reconcile-unrealized-casts")
            .reason == "");
  CHECK_THAT(bench.text(), Catch::Contains("_mlir_ciface_main"));
  return text;
}

TEST_CASE("static results become out-parameters that the caller owns", "[ir]") {
  std::string text = afterAbi(R"(
func.func @main(%x: tensor<4xf32> {lh.name = "x", lh.type = "float32"},
                %w: tensor<4xf32> {lh.name = "w", lh.type = "float32",
                                   lh.weight = "w",
                                   lh.data = ["/f", 64 : i64, 16 : i64]},
                %p: tensor<4xf32> {lh.name = "prepared0", lh.prepared = 0 : i64})
    -> (tensor<4xf32> {lh.name = "y", lh.type = "float32"}) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.add ins(%x, %w : tensor<4xf32>, tensor<4xf32>)
                  outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.add ins(%0, %p : tensor<4xf32>, tensor<4xf32>)
                  outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})");
  CHECK_THAT(text, Catch::Contains("convention = \"out-params\""));
  CHECK_THAT(text, Catch::Contains("llvm.emit_c_interface"));
  CHECK_THAT(text, Catch::Contains("role = \"input\""));
  CHECK_THAT(text, Catch::Contains("data = [\"/f\", 64, 16], memref = "
                                   "memref<4xf32>, name = \"w\", role = "
                                   "\"weight\", type = \"float32\""));
  CHECK_THAT(text, Catch::Contains("index = 0 : i64"));
  CHECK_THAT(text, Catch::Contains("results = [{memref = memref<4xf32>, name "
                                   "= \"y\", type = \"float32\"}]"));
  // The sum is computed straight into the caller's buffer.
  CHECK(countOf(text, "memref.copy") == 0);
  CHECK(countOf(text, "-> memref") == 0);
}

TEST_CASE("a buffer returned twice becomes two out-parameters", "[ir]") {
  std::string text = afterAbi(R"(
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>)
                  outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
})");
  // Computed into the one, copied into the other.
  CHECK(countOf(text, "memref.copy") == 1);
  CHECK(countOf(text, "memref.alloc") == 0);
  CHECK(countOf(text, "-> memref") == 0);
}

TEST_CASE("dynamic results stay returned", "[ir]") {
  std::string text = afterAbi(R"(
func.func @main(%x: tensor<?xi8> {lh.type = "bool", lh.symbols = ["n"]})
    -> (tensor<?xi8> {lh.symbols = ["m"]}) {
  return %x : tensor<?xi8>
}
func.func @prepare(%w: tensor<2xui8>) -> tensor<2xui8> {
  return %w : tensor<2xui8>
})");
  CHECK_THAT(text,
             Catch::Contains("main = {args = [{memref = memref<?xi8>, "
                             "name = \"arg0\", role = \"input\", symbols = "
                             "[\"n\"], type = \"bool\"}], convention "
                             "= \"returned\""));
  CHECK_THAT(text, Catch::Contains("name = \"result0\", symbols = [\"m\"], "
                                   "type = \"int8\""));
  CHECK_THAT(text, Catch::Contains("prepare = {args = [{memref = "
                                   "memref<2xui8>, name = \"arg0\", role = "
                                   "\"input\", type = \"uint8\"}], convention "
                                   "= \"out-params\""));
}

TEST_CASE("an entry that takes a scalar is refused, a helper isn't an entry",
          "[ir]") {
  IrWorkbench bench;
  bench.import("func.func @main(%x: f32) { return }");
  StepOutcome outcome = bench.passes(exportBuffers);
  REQUIRE(outcome.status == StepStatus::Failed);
  CHECK_THAT(outcome.reason, Catch::Contains("'@main' has the type"));
  CHECK_THAT(afterAbi("func.func @helper(%x: f32) { return }\n"
                      "func.func @main() { return }"),
             !Catch::Contains("helper = "));
}

TEST_CASE("a result that is a reshape is computed in the caller's memory",
          "[ir]") {
  std::string text = afterAbi(R"(
func.func @main(%x: tensor<6xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %0 = linalg.exp ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>)
      -> tensor<6xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 3]
      : tensor<6xf32> into tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
})");
  CHECK(countOf(text, "memref.alloc") == 0);
  CHECK(countOf(text, "memref.copy") == 0);
  CHECK(countOf(text, "memref.reinterpret_cast") == 1);
}
