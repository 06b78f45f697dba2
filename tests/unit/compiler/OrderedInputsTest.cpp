// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums whose order inputs can show.
#include "IrTest.h"

#include "compiler/session/ExactRange.h"
#include "steps/OrderedInputs.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;

/// The marks of the arguments in order, "-" for none; else why there are none.
static std::string ordered(StringRef mlir) {
  IrWorkbench bench;
  mlir::ModuleOp module = bench.imported(mlir);
  markExactRange(module);
  markOrderedInputs(module);
  if (auto why = module->getAttrOfType<mlir::StringAttr>("lh.unordered"))
    return why.str();
  std::string text = bench.text(), marks;
  StringRef rest = text;
  while (rest.contains("lh.ordered = ")) {
    rest = rest.split("lh.ordered = ").second;
    marks += rest.split("]").first.str() + "]";
  }
  return marks;
}

/// An op with inputs %a and %b and output %f, which is zero.
static std::string withZeros(StringRef a, StringRef b, StringRef result,
                             StringRef body) {
  StringRef element = result.drop_back().rsplit('x').second;
  return ("func.func @main(%a: " + a + ", %b: " + b + ") -> " + result +
          " {\n  %z = arith.constant 0.0 : " + element +
          "\n  %e = tensor.empty() : " + result +
          "\n  %f = linalg.fill ins(%z : " + element + ") outs(%e : " + result +
          ") -> " + result + "\n" + body + "  return %r : " + result + "\n}\n")
      .str();
}

static std::string matmul(StringRef input, StringRef output, int64_t k,
                          StringRef init = "%f", StringRef left = "%a") {
  std::string a = ("tensor<4x" + Twine(k) + "x" + input + ">").str();
  std::string b = ("tensor<" + Twine(k) + "x4x" + input + ">").str();
  std::string c = ("tensor<4x4x" + output + ">").str();
  return withZeros(a, b, c,
                   ("  %r = linalg.matmul ins(" + left +
                    ", %b : " + (left == "%a" ? a : b) + ", " + b + ") outs(" +
                    init + " : " + c + ") -> " + c + "\n")
                       .str());
}

TEST_CASE("the first two terms of a product's sums are large", "[ordered]") {
  // Twice the precision, as far as the factors' types go.
  CHECK(ordered(matmul("f32", "f32", 8)) == "[1, 48, -1][0, 0, 1]");
  CHECK(ordered(matmul("f16", "f32", 8)) == "[1, 14, -1][0, 14, 1]");
  CHECK(ordered(matmul("f16", "f16", 8)) == "[1, 13, -1][0, 0, 1]");
  CHECK(ordered(matmul("bf16", "bf16", 8)) == "[1, 16, -1][0, 0, 1]");
}

TEST_CASE("sums of single numbers have one input", "[ordered]") {
  auto reduce = [](StringRef dimensions, StringRef result) {
    return ordered(withZeros(
        "tensor<3x5xf32>", "tensor<1xf32>", result,
        ("  %r = linalg.reduce { arith.addf } ins(%a : tensor<3x5xf32>) "
         "outs(%f : " +
         result + ") dimensions = [" + dimensions + "]\n")
            .str()));
  };
  CHECK(reduce("1", "tensor<3xf32>") == "[1, 48, -1]");
  CHECK(reduce("0", "tensor<5xf32>") == "[0, 48, -1]");
}

TEST_CASE("what has no order of its own says why", "[ordered]") {
  CHECK(ordered(matmul("f32", "f32", 2)) ==
        "the sum is not over one dimension of 3 or more elements");
  CHECK(ordered(matmul("f32", "f32", 4, "%a")) ==
        "the sum's terms don't come straight from the inputs");
  CHECK(ordered(matmul("f32", "f32", 4, "%f", "%b")) ==
        "the sum's terms don't come straight from the inputs");
  CHECK(ordered("func.func @main(%a: f32) -> f32 {\n  return %a : f32\n}\n") ==
        "the model has 0 reductions; ordered inputs are made for one, outside "
        "of loops");
  CHECK(ordered("func.func @main(%a: f32) -> f32 {\n  %0 = math.exp %a : f32\n"
                "  return %0 : f32\n}\n") == "no range of integers is exact");
  std::string t = "tensor<4x4xf32>";
  CHECK(ordered("func.func @main(%a: " + t + ", %b: " + t + ", %c: " + t +
                ") -> " + t + " {\n  %0 = linalg.matmul ins(%a, %b : " + t +
                ", " + t + ") outs(%c : " + t + ") -> " + t +
                "\n  return %0 : " + t + "\n}\n") ==
        "the sum doesn't start at zero");
  CHECK(ordered(withZeros(
            "tensor<3x5xf32>", "tensor<1xf32>", "tensor<3xf32>",
            "  %r = linalg.reduce { arith.maximumf } ins(%a : "
            "tensor<3x5xf32>) outs(%f : tensor<3xf32>) dimensions = [1]\n")) ==
        "'linalg.reduce' is no sum");
  CHECK(ordered(withZeros("tensor<1x2x5x5xf32>", "tensor<1x2x3x3xf32>",
                          "tensor<1x1x3x3xf32>",
                          "  %r = linalg.conv_2d_nchw_fchw ins(%a, %b : "
                          "tensor<1x2x5x5xf32>, tensor<1x2x3x3xf32>) outs(%f : "
                          "tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>\n")) ==
        "the sum is not over one dimension of 3 or more elements");
}
