// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which integers make every result exact, and why none do.
#include "IrTest.h"

#include "compiler/session/ExactRange.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;

/// "127" when that is every float input's range; else why there is none.
static std::string rangeOf(StringRef mlir) {
  IrWorkbench bench;
  mlir::ModuleOp module = bench.imported(mlir);
  markExactRange(module);
  if (auto why = module->getAttrOfType<mlir::StringAttr>("lh.inexact"))
    return why.str();
  StringRef text(bench.text());
  size_t marks = countOf(text, "lh.exact");
  std::string range = text.split("lh.exact = ").second.split(" :").first.str();
  CHECK(countOf(text, "lh.exact = " + range + " : i64") == marks);
  return range;
}

/// A product of MxK and KxN with the types of A and B, and of C.
static std::string matmul(int64_t k, StringRef input, StringRef output) {
  std::string a = ("tensor<4x" + Twine(k) + "x" + input + ">").str();
  std::string b = ("tensor<" + Twine(k) + "x8x" + input + ">").str();
  std::string c = ("tensor<4x8x" + output + ">").str();
  return ("func.func @main(%a: " + a + ", %b: " + b + ") -> " + c + " {\n" +
          "  %z = arith.constant 0.0 : " + output + "\n" +
          "  %e = tensor.empty() : " + c + "\n" +
          "  %f = linalg.fill ins(%z : " + output + ") outs(%e : " + c +
          ") -> " + c + "\n" + "  %0 = linalg.matmul ins(%a, %b : " + a + ", " +
          b + ") outs(%f : " + c + ") -> " + c + "\n  return %0 : " + c +
          "\n}\n")
      .str();
}

/// One op of %x and %y in a linalg.generic over 4 elements.
static std::string elementwise(StringRef type, StringRef op,
                               StringRef constant = "0.0") {
  std::string t = ("tensor<4x" + type + ">").str();
  return ("#id = affine_map<(d0) -> (d0)>\nfunc.func @main(%a: " + t +
          ", %b: " + t + ") -> " + t + " {\n  %c = arith.constant " + constant +
          " : " + type + "\n  %e = tensor.empty() : " + t +
          "\n  %0 = linalg.generic {indexing_maps = [#id, #id, #id], "
          "iterator_types = [\"parallel\"]} ins(%a, %b : " +
          t + ", " + t + ") outs(%e : " + t + ") {\n  ^bb0(%x: " + type +
          ", %y: " + type + ", %o: " + type + "):\n    %v = " + op + " : " +
          type + "\n    linalg.yield %v : " + type + "\n  } -> " + t +
          "\n  return %0 : " + t + "\n}\n")
      .str();
}

TEST_CASE("a product's range follows from its length and types", "[exact]") {
  // R * R * K may not exceed 2^24 (f32), 2^11 (f16), 2^8 (bf16), 2^53 (f64).
  CHECK(rangeOf(matmul(16, "f32", "f32")) == "127");
  CHECK(rangeOf(matmul(512, "f32", "f32")) == "127");
  CHECK(rangeOf(matmul(4096, "f32", "f32")) == "63");
  CHECK(rangeOf(matmul(1 << 20, "f32", "f32")) == "3");
  CHECK(rangeOf(matmul(1 << 20, "f64", "f64")) == "127");
  CHECK(rangeOf(matmul(1 << 20, "f16", "f32")) == "3");
  CHECK(rangeOf(matmul(8, "f16", "f16")) == "15");
  CHECK(rangeOf(matmul(512, "f16", "f16")) == "2");
  CHECK(rangeOf(matmul(16, "bf16", "bf16")) == "3");
  CHECK(rangeOf(matmul(256, "bf16", "bf16")) == "1");
}

TEST_CASE("a sum too long for any range says how far it goes", "[exact]") {
  CHECK(rangeOf(matmul(512, "bf16", "bf16")) ==
        "'arith.addf' in 'linalg.matmul' reaches 512; bf16 is exact to 256");
}

TEST_CASE("each type holds its own integers", "[exact]") {
  CHECK(rangeOf(elementwise("f32", "arith.addf %x, %y")) == "127");
  CHECK(rangeOf(elementwise("bf16", "arith.addf %x, %y")) == "127");
  CHECK(rangeOf(elementwise("f8E4M3FN", "arith.addf %x, %y")) == "7");
  CHECK(rangeOf(elementwise("f8E5M2", "arith.addf %x, %y")) == "3");
  CHECK(rangeOf(elementwise("f4E2M1FN", "arith.maximumf %x, %y")) == "3");
}

TEST_CASE("constants count by their values", "[exact]") {
  CHECK(rangeOf(elementwise("f32", "arith.mulf %x, %c", "3.0")) == "127");
  CHECK(rangeOf(elementwise("f32", "arith.mulf %x, %c", "0.25")) == "127");
  CHECK(rangeOf(elementwise("f16", "arith.mulf %x, %c", "100.0")) == "15");
  CHECK(rangeOf(elementwise("f32", "arith.divf %x, %c", "-8.0")) == "127");
  CHECK(rangeOf(elementwise("f32", "arith.divf %x, %c", "9.0")) ==
        "'arith.divf' in 'linalg.generic' may round");
  // One times a number is that number; a sum with it needs more bits.
  CHECK(rangeOf(elementwise("f32", "arith.mulf %x, %c", "0.1")) == "1");
  CHECK(rangeOf(elementwise("f32", "arith.addf %x, %c", "0.1")) ==
        "'arith.addf' in 'linalg.generic' reaches 1.1 in steps of 2^-27; f32 "
        "is exact to 0.125");
  CHECK(rangeOf(elementwise("f32", "arith.addf %x, %c", "0x7F800000")) ==
        "'arith.addf' in 'linalg.generic' takes numbers that are no small "
        "integers");
  // Only its size matters here, and it is never the larger one.
  CHECK(rangeOf(elementwise("f32", "arith.maximumf %x, %c", "-3.0e38")) ==
        "127");
}

TEST_CASE("what rounds is named", "[exact]") {
  CHECK(rangeOf(elementwise("f32", "math.exp %x")) ==
        "'math.exp' in 'linalg.generic' may round");
  CHECK(rangeOf("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                "  %0 = linalg.softmax dimension(0) ins(%x : tensor<4xf32>) "
                "outs(%x : tensor<4xf32>) -> tensor<4xf32>\n"
                "  return %0 : tensor<4xf32>\n}\n") ==
        "'linalg.softmax' may round");
}

TEST_CASE("a convolution sums over its window and channels", "[exact]") {
  // 3 * 3 * 64 products of at most 127^2 are below 2^24; of 512 channels not.
  auto conv = [](int64_t channels) {
    std::string x = ("tensor<1x" + Twine(channels) + "x10x10xf32>").str();
    std::string w = ("tensor<4x" + Twine(channels) + "x3x3xf32>").str();
    return "func.func @main(%x: " + x + ", %w: " + w +
           ", %o: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {\n"
           "  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : " +
           x + ", " + w +
           ") outs(%o : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>\n"
           "  return %0 : tensor<1x4x8x8xf32>\n}\n";
  };
  CHECK(rangeOf(conv(64)) == "127");
  CHECK(rangeOf(conv(512)) == "31");
}

TEST_CASE("a pool's padding and first value don't count", "[exact]") {
  CHECK(rangeOf(R"(
func.func @main(%x: tensor<1x2x6x6xf32>) -> tensor<1x2x4x4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %w = tensor.empty() : tensor<4x4xf32>
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 0, 1] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %low : f32
  } : tensor<1x2x6x6xf32> to tensor<1x2x7x7xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %0 = linalg.pooling_nchw_max ins(%p, %w : tensor<1x2x7x7xf32>, tensor<4x4xf32>) outs(%f : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
})") == "127");
}

TEST_CASE("two products in a row multiply their ranges", "[exact]") {
  CHECK(rangeOf(R"(
func.func @main(%a: tensor<64x64xf32>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
})") == "15");
}

TEST_CASE("data that only moves keeps its range", "[exact]") {
  CHECK(rangeOf(R"(
func.func private @twice(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = arith.addf %x, %x : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
func.func @main(%x: tensor<3x4xf32>, %n: tensor<3xi64>, %c: i1) -> (tensor<2x6xf16>, tensor<3xi64>) {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
  %2 = tensor.concat dim(1) %1, %1 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x12xf32>
  %3 = tensor.extract_slice %2[0, 3] [2, 6] [1, 1] : tensor<2x12xf32> to tensor<2x6xf32>
  %4 = func.call @twice(%3) : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %5 = scf.if %c -> tensor<2x6xf32> {
    scf.yield %4 : tensor<2x6xf32>
  } else {
    scf.yield %3 : tensor<2x6xf32>
  }
  %6 = arith.truncf %5 : tensor<2x6xf32> to tensor<2x6xf16>
  %7 = arith.muli %n, %n : tensor<3xi64>
  return %6, %7 : tensor<2x6xf16>, tensor<3xi64>
})") == "127");
}

TEST_CASE("integers count by their types", "[exact]") {
  auto converted = [](StringRef integer, StringRef number) {
    return rangeOf(("func.func @main(%x: " + integer + ", %y: " + number +
                    ") -> " + number +
                    " {\n  %0 = arith.sitofp %x : " + integer + " to " +
                    number + "\n  %1 = arith.addf %0, %y : " + number +
                    "\n  return %1 : " + number + "\n}\n")
                       .str());
  };
  CHECK(converted("i8", "f32") == "127");
  CHECK(converted("i8", "bf16") == "127");
  CHECK(converted("i32", "f64") == "127");
  CHECK(converted("i32", "f32") ==
        "'arith.sitofp' reaches 2.14748365e+09; f32 is exact to 16777216");
}

TEST_CASE("a loop that doesn't grow settles", "[exact]") {
  auto loop = [](StringRef op) {
    return rangeOf(("func.func @main(%x: f32) -> f32 {\n"
                    "  %c0 = arith.constant 0 : index\n"
                    "  %c4 = arith.constant 4 : index\n"
                    "  %r:2 = scf.for %i = %c0 to %c4 step %c4 iter_args("
                    "%a = %x, %n = %c0) -> (f32, index) {\n"
                    "    %0 = arith." +
                    op +
                    " %a, %x : f32\n    %1 = arith.addi %n, %c4 : index\n"
                    "    scf.yield %0, %1 : f32, index\n  }\n"
                    "  return %r#0 : f32\n}\n")
                       .str());
  };
  CHECK(loop("maximumf") == "127");
  CHECK(loop("addf") == "'scf.for' is not analysed: what it carries grows");
}

TEST_CASE("reductions of other kinds", "[exact]") {
  auto reduce = [](StringRef body, StringRef size = "8") {
    return rangeOf(
        ("func.func @main(%x: tensor<2x" + size +
         "xf32>, %o: tensor<2xf32>) -> tensor<2xf32> {\n"
         "  %0 = linalg.reduce ins(%x : tensor<2x" +
         size +
         "xf32>) outs(%o : tensor<2xf32>) dimensions = [1]\n"
         "    (%in: f32, %acc: f32) {\n" +
         body +
         "      linalg.yield %v : f32\n    }\n  return %0 : tensor<2xf32>\n}\n")
            .str());
  };
  CHECK(reduce("%v = arith.subf %acc, %in : f32\n") == "127");
  // 3^8 fits in 24 bits three times; the product starts with such a number.
  CHECK(reduce("%v = arith.mulf %acc, %in : f32\n") == "3");
  CHECK(reduce("%s = arith.mulf %in, %in : f32\n"
               "%v = arith.addf %acc, %s : f32\n") == "127");
  CHECK(reduce("%s = arith.addf %in, %acc : f32\n"
               "%v = arith.addf %acc, %s : f32\n") ==
        "'linalg.reduce' accumulates in a way that is not analysed");
  CHECK(reduce("%v = arith.addf %acc, %in : f32\n", "?") ==
        "'linalg.reduce' reduces a dimension that only the run knows");
  CHECK(reduce("%v = arith.minimumf %acc, %in : f32\n", "?") == "127");
}

TEST_CASE("weights from files are not integers", "[exact]") {
  CHECK(rangeOf("func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32> "
                "{lh.weight = \"fc.w\"}) -> tensor<2xf32> {\n"
                "  %0 = arith.addf %x, %w : tensor<2xf32>\n"
                "  return %0 : tensor<2xf32>\n}\n") ==
        "the weight 'fc.w' comes from a file");
}

TEST_CASE("only inputs of floats are marked, and only in @main", "[exact]") {
  IrWorkbench bench;
  bench.import("func.func @main(%x: tensor<2xf32>, %n: i32) -> tensor<2xf32> "
               "{\n  return %x : tensor<2xf32>\n}\n"
               "func.func @other(%x: f32) -> f32 {\n  return %x : f32\n}\n");
  markExactRange(bench.runner.module());
  CHECK(countOf(bench.text(), "lh.exact") == 1);
  CHECK_THAT(bench.text(), Catch::Contains("false, lh.exact = 127"));
}

TEST_CASE("conversions to integers are undefined on specials", "[exact]") {
  IrWorkbench bench;
  bench.import("func.func @main(%x: f32) -> i32 {\n"
               "  %0 = arith.fptosi %x : f32 to i32\n  return %0 : i32\n}\n");
  markUndefinedOnSpecials(bench.runner.module());
  CHECK_THAT(bench.text(),
             Catch::Contains("lh.undefined = \"'arith.fptosi' of NaN"));
}

TEST_CASE("imports mark inputs when a run generates them", "[exact]") {
  std::string module =
      "func.func @main(%x: f32) -> f32 {\n  return %x : f32\n}\n";
  IrWorkbench bench;
  bench.import(module);
  CHECK(countOf(bench.text(), "lh.exact") == 0);
  Step run;
  run.action = RunAction{"main", {}, 0, {}};
  std::get<RunAction>(run.action).data.generate = GenerateCase();
  CollectingSink sink;
  REQUIRE(succeeded(bench.runner.prepare({run}, sink)));
  bench.import(module);
  CHECK(countOf(bench.text(), "lh.exact") == 1);
}
