// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-normalize-products (types), lh-lay-out-products, lh-load-contiguous,
// lh-launch-kernels around kernels of products.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A product with these operands and this op, on zeros of `result`.
static std::string product(StringRef left, StringRef right, StringRef result,
                           StringRef type, StringRef zero, StringRef op) {
  return ("func.func @main(%a: tensor<" + left + ">, %b: tensor<" + right +
          ">) -> tensor<" + result + "> {\n  %zero = arith.constant " + zero +
          " : " + type + "\n  %empty = tensor.empty() : tensor<" + result +
          ">\n  %zeros = linalg.fill ins(%zero : " + type +
          ") outs(%empty : tensor<" + result + ">) -> tensor<" + result +
          ">\n  %y = " + op + " ins(%a, %b : tensor<" + left + ">, tensor<" +
          right + ">) outs(%zeros : tensor<" + result + ">) -> tensor<" +
          result + ">\n  return %y : tensor<" + result + ">\n}")
      .str();
}

TEST_CASE("a product says what it multiplies and sums up", "[ir]") {
  CHECK(countOf(after("lh-normalize-products{types=true}",
                      product("5x7xf16", "7x3xf16", "5x3xf32", "f32", "0.0",
                              "linalg.matmul")),
                "lh.batched = false, lh.gathered = false, lh.small = false, "
                "lh.types = \"f16 x f16 -> f32\"") == 1);
  CHECK(countOf(after("lh-normalize-products{types=true}",
                      product("2x5x7xi8", "2x7x3xi8", "2x5x3xi32", "i32", "0",
                              "linalg.batch_matmul")),
                "lh.batched = true, lh.gathered = false, lh.small = false, "
                "lh.types = \"i8 x i8 -> i32\"") == 1);
  CHECK(countOf(after("lh-normalize-products{types=true}",
                      product("5x7xi8", "7x3xi8", "5x3xi32", "i32", "0",
                              "linalg.matmul {cast = "
                              "#linalg.type_fn<cast_unsigned>}")),
                "lh.types = \"u8 x u8 -> i32\"") == 1);
}

TEST_CASE("sums in f16 become sums in f32, rounded once", "[ir]") {
  std::string text = after(
      "lh-normalize-products{types=true}",
      product("5x7xf16", "7x3xf16", "5x3xf16", "f16", "0.0", "linalg.matmul"));
  CHECK(countOf(text, "lh.types = \"f16 x f16 -> f32\"") == 1);
  CHECK(countOf(text, "arith.truncf") == 1);
}

TEST_CASE("products that aren't of matrices, or of open sizes, say nothing",
          "[ir]") {
  CHECK(countOf(after("lh-normalize-products{types=true}",
                      product("5x7xf32", "7xf32", "5xf32", "f32", "0.0",
                              "linalg.matvec")),
                "lh.types") == 0);
  CHECK(countOf(after("lh-normalize-products{types=true}",
                      "func.func @main(%a: tensor<?x7xf32>, %b: "
                      "tensor<7x3xf32>, %c: tensor<?x3xf32>) -> "
                      "tensor<?x3xf32> {\n  %y = linalg.matmul ins(%a, %b : "
                      "tensor<?x7xf32>, tensor<7x3xf32>) outs(%c : "
                      "tensor<?x3xf32>) -> tensor<?x3xf32>\n  return %y : "
                      "tensor<?x3xf32>\n}"),
                "lh.types") == 0);
}

TEST_CASE("a product of few rows or columns is thin", "[ir]") {
  auto thin = [](StringRef passes) {
    return countOf(after(passes, product("5x7xf32", "7x3xf32", "5x3xf32", "f32",
                                         "0.0", "linalg.matmul")),
                   "lh.small = true");
  };
  CHECK(thin("lh-normalize-products{types=true thin=3}") == 1);
  CHECK(thin("lh-normalize-products{types=true thin=2}") == 0);
}

static std::string laidOut(StringRef marks) {
  return after("lh-lay-out-products",
               product("5x7xf32", "7x3xf32", "5x3xf32", "f32", "0.0",
                       ("linalg.matmul {" + marks + "}").str()));
}

TEST_CASE("operands are padded to whole tiles, results are cut off", "[ir]") {
  std::string text = laidOut(
      "lh.choice = #dlti.map<\"strategy\" = \"k\", \"instruction\" = \"mma\", "
      "\"rows\" = 16, \"columns\" = 8, \"sum\" = 4, \"rounds\" = 3>");
  CHECK(countOf(text, "into tensor<16x12xf32>") == 1);
  CHECK(countOf(text, "into tensor<12x8xf32>") == 1);
  CHECK(countOf(text, "[5, 3] [1, 1] : tensor<16x8xf32> to tensor<5x3xf32>") ==
        1);
  CHECK(countOf(text, "lh.kernel = \"k\"") == 1);
  CHECK(countOf(text, "lh.instructions = {mma = 1 : i64}") == 1);
}

TEST_CASE("a kernel that reads B by columns gets it turned", "[ir]") {
  std::string text =
      laidOut("lh.choice = #dlti.map<\"strategy\" = \"k\", \"rows\" = 1, "
              "\"columns\" = 1, \"sum\" = 1, \"turned\" = true>");
  CHECK(countOf(text, "linalg.transpose") == 1);
  CHECK(countOf(text, "tensor<5x7xf32>, tensor<3x7xf32>") == 1);
}

/// What the passes say of a product with this choice that they refuse.
static std::string refused(StringRef passes, StringRef start,
                           StringRef choice) {
  IrWorkbench bench;
  std::string op =
      ("linalg.matmul {lh.choice = #dlti.map<" + choice + ">}").str();
  REQUIRE(
      bench.import(product("5x7xf32", "7x3xf32", "5x3xf32", "f32", start, op))
          .status == StepStatus::Passed);
  StepOutcome outcome = bench.passes(passes.str());
  CHECK(outcome.status == StepStatus::Failed);
  return outcome.reason;
}

TEST_CASE("a choice without a tile is an error", "[ir]") {
  CHECK(countOf(refused("lh-lay-out-products", "0.0", "\"strategy\" = \"k\""),
                "needs a positive 'rows'") == 1);
}

TEST_CASE("a choice for what no kernel can take is an error", "[ir]") {
  CHECK(
      countOf(refused("lh-normalize-products{types=true}, lh-lay-out-products",
                      "1.0",
                      "\"strategy\" = \"k\", \"rows\" = 1, "
                      "\"columns\" = 1, \"sum\" = 1"),
              "it doesn't start from zeros") == 1);
}

TEST_CASE("a product with a choice is no longer to be chosen for", "[ir]") {
  std::string text =
      after("lh-normalize-products{types=true}",
            product("5x7xf16", "7x3xf16", "5x3xf16", "f16", "0.0",
                    "linalg.matmul {lh.choice = #dlti.map<\"strategy\" = "
                    "\"k\">}"));
  CHECK(countOf(text, "lh.choice") == 1);
  CHECK(countOf(text, "lh.types") == 0);
}

/// A convolution of an image of 6 x 5 pixels by windows of this size, 3
/// filters.
static std::string convolution(StringRef window, StringRef result,
                               StringRef marks = "") {
  return (R"(func.func @main(%x: tensor<1x6x5x2xf32>, %w: tensor<)" + window +
          R"(x2x3xf32>) -> tensor<1x)" + result + R"(x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x)" +
          result + R"(x3xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x)" +
          result + R"(x3xf32>) -> tensor<1x)" + result + R"(x3xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, y, x, f, i, j, c) -> (n, y + i, x + j, c)>,
      affine_map<(n, y, x, f, i, j, c) -> (i, j, c, f)>,
      affine_map<(n, y, x, f, i, j, c) -> (n, y, x, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x6x5x2xf32>, tensor<)" +
          window + R"(x2x3xf32>) outs(%zeros : tensor<1x)" + result +
          R"(x3xf32>) attrs = {)" + marks + R"(} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x)" +
          result + R"(x3xf32>
  return %y : tensor<1x)" +
          result + R"(x3xf32>
})")
      .str();
}

TEST_CASE("a convolution is a product of gathered windows", "[ir]") {
  CHECK(countOf(after("lh-normalize-products{types=true}",
                      convolution("3x2", "4x4")),
                "lh.gathered = true, lh.small = false, lh.types = \"f32 x f32 "
                "-> f32\"") == 1);
  CHECK(countOf(after("lh-normalize-products{types=true}",
                      convolution("1x1", "6x5")),
                "lh.gathered = false, lh.small = false, lh.types") == 1);
}

/// For a kernel of 32 x 8 results.
static std::string laidOutWindows(StringRef window, StringRef result) {
  return after("lh-lay-out-products",
               convolution(window, result,
                           "lh.choice = #dlti.map<\"strategy\" = \"k\", "
                           "\"rows\" = 32, \"columns\" = 8, \"sum\" = 8>"));
}

TEST_CASE("windows are in whole tiles, images in whole copies", "[ir]") {
  std::string text = laidOutWindows("3x2", "4x4");
  // A row of zeros above the image; 12 elements of a window and 4 beyond.
  CHECK(countOf(text, "into tensor<1x7x5x2xf32>") == 1);
  CHECK(countOf(text, "tensor<32x16xf32>) attrs =  {lh.contiguous = 2 : i64, "
                      "lh.gather}") == 1);
  CHECK(countOf(text, "into tensor<16x8xf32>") == 1);
  CHECK(countOf(text, "output_shape [1, 4, 4, 3]") == 1);
}

TEST_CASE("the windows of a single result are gathered too", "[ir]") {
  CHECK(countOf(laidOutWindows("6x5", "1x1"), "lh.gather}") == 1);
}

/// A gather of a 1 x 8 matrix, `run` elements at a time.
static std::string gather(StringRef run) {
  return (R"(func.func @main(%image: memref<64xf32>, %to: memref<1x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(p, k) -> (p, k)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%to : memref<1x8xf32>)
      attrs = {lh.gather, lh.contiguous = )" +
          run + R"( : i64} {
  ^bb0(%old: f32):
    %k = linalg.index 1 : index
    %at = index.mul %k, %k
    %read = memref.load %image[%at] : memref<64xf32>
    linalg.yield %read : f32
  }
  return
})")
      .str();
}

TEST_CASE("a gather loads neighbours at once", "[ir]") {
  std::string text = after("func.func(lh-load-contiguous)", gather("4"));
  CHECK(countOf(text, "vector.load") == 2);
  CHECK(countOf(text, "vector.store") == 2);
  CHECK(countOf(text, "alignment = 16") == 4);
  CHECK(countOf(text, "linalg") == 0);
}

TEST_CASE("a gather of other than whole runs is an error", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench.import(gather("3")).status == StepStatus::Passed);
  CHECK(bench.passes("func.func(lh-load-contiguous)").status ==
        StepStatus::Failed);
}

/// A launch that starts from `start`, adds one in 4 x 4 threads and is followed
/// by a doubling of the 3 x 2 corner of its result.
static std::string launch(StringRef mark, StringRef between = "") {
  return (R"(#same = affine_map<(i, j) -> (i, j)>
func.func @main(%out: memref<3x2xf32>) {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<4x4xf32>)
  gpu.launch blocks(%bx, %by, %bz) in (%g0 = %one, %g1 = %one, %g2 = %one)
      threads(%x, %y, %z) in (%n0 = %four, %n1 = %four, %n2 = %one) {
    %unit = arith.constant 1.0 : f32
    %old = memref.load %sums[%y, %x] : memref<4x4xf32>
    %new = arith.addf %old, %unit : f32
    memref.store %new, %sums[%y, %x] : memref<4x4xf32>
    gpu.terminator
  } {)" + mark +
          "}\n" + between + R"(
  %corner = memref.subview %sums[0, 0] [3, 2] [1, 1]
      : memref<4x4xf32> to memref<3x2xf32, strided<[4, 1]>>
  linalg.generic {indexing_maps = [#same, #same],
                  iterator_types = ["parallel", "parallel"]}
      ins(%corner : memref<3x2xf32, strided<[4, 1]>>)
      outs(%out : memref<3x2xf32>) {
  ^bb0(%in: f32, %was: f32):
    %twice = arith.addf %in, %in : f32
    linalg.yield %twice : f32
  }
  memref.dealloc %sums : memref<4x4xf32>
  return
})")
      .str();
}

static constexpr llvm::StringLiteral fuse = "func.func(lh-launch-kernels)";

TEST_CASE("a kernel computes what follows it, where that is read", "[ir]") {
  std::string text = after("func.func(lh-launch-kernels), canonicalize",
                           launch("lh.product_launch"));
  CHECK(countOf(text, "gpu.launch") == 1);
  CHECK(countOf(text, "memref.alloc") == 0);
  CHECK(countOf(text, "memref.load") == 0);
  CHECK(countOf(text, "arith.cmpi ult") == 2);
  CHECK(countOf(text, "memref<3x2xf32>") == 2);
}

TEST_CASE("other kernels are left alone", "[ir]") {
  std::string text = after(fuse, launch("lh.other"));
  CHECK(countOf(text, "gpu.launch") == 3);
  CHECK(countOf(text, "memref.load") == 2);
}

TEST_CASE("a result that others read too stays in memory", "[ir]") {
  std::string text =
      after(fuse, launch("lh.product_launch",
                         "  %again = memref.alloc() : "
                         "memref<4x4xf32>\n  memref.copy %sums, %again "
                         ": memref<4x4xf32> to memref<4x4xf32>\n"));
  // The copy's, the product's and that of what follows; none fills.
  CHECK(countOf(text, "gpu.launch") == 3);
}
