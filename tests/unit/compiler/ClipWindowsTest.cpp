// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-assemble: padded images that windows don't need.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// 4 x 5 pixels of 8 channels with a pixel of `number` around; each result is
/// the sum of what `columns` (maps of the pixel %j) read of a row.
static std::string summed(StringRef image, ArrayRef<StringRef> columns,
                          StringRef bounds = "%c0 to %c5", StringRef other = "",
                          StringRef step = "%c1") {
  std::string reads, sum = "%first";
  for (auto [i, column] : llvm::enumerate(columns)) {
    std::string n = std::to_string(i);
    reads += "      %k" + n + " = affine.apply affine_map<(j) -> (" +
             column.str() + ")>(%j)\n      %v" + n +
             " = vector.transfer_read %padded[%i, %k" + n +
             ", %c0], %z {in_bounds = [true]} : tensor<6x7x8xf32>, "
             "vector<8xf32>\n      %s" +
             n + " = arith.addf " + sum + ", %v" + n + " : vector<8xf32>\n";
    sum = "%s" + n;
  }
  return ("func.func @main(%x: tensor<4x5x8xf32>, %m: tensor<20x8xf32>, "
          "%first: vector<8xf32>, %n: index) -> (tensor<4x5x8xf32>" +
          (other.empty() ? StringRef() : ", tensor<6x7x8xf32>") +
          ") {\n"
          "  %c0 = arith.constant 0 : index\n"
          "  %c1 = arith.constant 1 : index\n"
          "  %c2 = arith.constant 2 : index\n"
          "  %c3 = arith.constant 3 : index\n"
          "  %c4 = arith.constant 4 : index\n"
          "  %c5 = arith.constant 5 : index\n"
          "  %z = arith.constant 0.0 : f32\n"
          "  %number = arith.constant 3.0 : f32\n" +
          image +
          "  %padded = tensor.pad %image low[1, 1, 0] high[1, 1, 0] {\n"
          "  ^bb0(%p: index, %q: index, %r: index):\n"
          "    tensor.yield %number : f32\n"
          "  } : tensor<4x5x8xf32> to tensor<6x7x8xf32>\n"
          "  %out = tensor.empty() : tensor<4x5x8xf32>\n"
          "  %rows = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %out) -> "
          "(tensor<4x5x8xf32>) {\n"
          "    %pixels = scf.for %j = " +
          bounds + " step " + step +
          " iter_args(%b = %a) -> (tensor<4x5x8xf32>) {\n" + reads +
          "      %w = vector.transfer_write " + sum +
          ", %b[%i, %j, %c0] {in_bounds = [true]} : vector<8xf32>, "
          "tensor<4x5x8xf32>\n"
          "      scf.yield %w : tensor<4x5x8xf32>\n    }\n"
          "    scf.yield %pixels : tensor<4x5x8xf32>\n  }\n"
          "  return %rows" +
          other + " : tensor<4x5x8xf32>" +
          (other.empty() ? StringRef() : ", tensor<6x7x8xf32>") + "\n}")
      .str();
}

static std::string clipped(StringRef payload) {
  IrWorkbench bench;
  REQUIRE(bench.import(payload.str()).reason == "");
  CHECK(bench.passes("func.func(lh-assemble), canonicalize").reason == "");
  return bench.text();
}

static const char *const argument =
    "  %image = tensor.cast %x : tensor<4x5x8xf32> to tensor<4x5x8xf32>\n";

TEST_CASE("pixels at the left and right read constants", "[ir]") {
  std::string text = clipped(summed(argument, {"j", "j + 1", "j + 2"}));
  CHECK(countOf(text, "tensor.pad") == 0);
  CHECK(countOf(text, "dense<3.000000e+00> : vector<8xf32>") == 1);
  // Two reads at each end, three between.
  CHECK(countOf(text, "vector.transfer_read") == 2 + 3 + 2);
  CHECK(countOf(text, "vector.transfer_write") == 3);
  CHECK(countOf(text, "linalg.fill") == 2);
  CHECK(countOf(text, "tensor<6x5x8xf32>") > 0);
}

TEST_CASE("windows two pixels apart reach out once at each end", "[ir]") {
  // Columns 0 to 2, 2 to 4 and 4 to 6 of seven.
  std::string text = clipped(
      summed(argument, {"j * 2", "j * 2 + 1", "j * 2 + 2"}, "%c0 to %c3"));
  CHECK(countOf(text, "tensor.pad") == 0);
  CHECK(countOf(text, "vector.transfer_read") == 2 + 3 + 2);
}

TEST_CASE("a loop may take several pixels at once", "[ir]") {
  // Pixels 0, 2 and 4: the first and the last read a column outside.
  std::string text = clipped(
      summed(argument, {"j", "j + 1", "j + 2"}, "%c0 to %c5", "", "%c2"));
  CHECK(countOf(text, "tensor.pad") == 0);
  CHECK(countOf(text, "vector.transfer_read") == 2 + 3 + 2);
  CHECK(countOf(text, "vector.transfer_write") == 3);
}

TEST_CASE("what is computed is computed between the rows", "[ir]") {
  std::string text =
      clipped(summed("  %e = tensor.empty() : tensor<20x8xf32>\n"
                     "  %f = linalg.copy ins(%m : tensor<20x8xf32>) outs(%e : "
                     "tensor<20x8xf32>) -> tensor<20x8xf32>\n"
                     "  %image = tensor.expand_shape %f [[0, 1], [2]] "
                     "output_shape [4, 5, 8] : tensor<20x8xf32> into "
                     "tensor<4x5x8xf32>\n",
                     {"j", "j + 1", "j + 2"}));
  CHECK(countOf(text, "tensor.empty() : tensor<30x8xf32>") == 1);
  CHECK(countOf(text, "tensor.empty() : tensor<20x8xf32>") == 0);
  size_t place = text.find("[5, 0] [20, 8]");
  REQUIRE(place != std::string::npos);
  CHECK(text.find("linalg.copy") > place);
}

TEST_CASE("an image that is padded for others, too, stays padded", "[ir]") {
  CHECK(countOf(clipped(summed(argument, {"j", "j + 1"}, "%c0 to %c5",
                               ", %padded")),
                "linalg.copy") == 1);
  // Nor where it isn't known which pixels are the last ones.
  CHECK(countOf(clipped(summed(argument, {"j", "j + 1"}, "%c0 to %n")),
                "linalg.copy") == 1);
}

/// %padded: an image of 4 x 5 pixels with columns of `number` beside it.
static std::string columnsAround(StringRef number) {
  return ("  %c0 = arith.constant 0 : index\n"
          "  %c1 = arith.constant 1 : index\n"
          "  %z = arith.constant " +
          number +
          " : f32\n"
          "  %padded = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {\n"
          "  ^bb0(%p: index, %q: index, %r: index):\n"
          "    tensor.yield %z : f32\n"
          "  } : tensor<4x5x8xf32> to tensor<4x7x8xf32>\n")
      .str();
}

TEST_CASE("loops in one another that both count columns are right", "[ir]") {
  std::string text = clipped(R"(
func.func @main(%x: tensor<4x5x8xf32>, %o: tensor<5x5x8xf32>)
    -> tensor<5x5x8xf32> {
)" + columnsAround("0.0") + R"(
  %c5 = arith.constant 5 : index
  %all = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %o)
      -> (tensor<5x5x8xf32>) {
    %v = vector.transfer_read %padded[%c0, %i, %c0], %z {in_bounds = [true]}
        : tensor<4x7x8xf32>, vector<8xf32>
    %row = scf.for %j = %c0 to %c5 step %c1 iter_args(%b = %a)
        -> (tensor<5x5x8xf32>) {
      %w = vector.transfer_read %padded[%c0, %j, %c0], %z {in_bounds = [true]}
          : tensor<4x7x8xf32>, vector<8xf32>
      %s = arith.addf %v, %w : vector<8xf32>
      %t = vector.transfer_write %s, %b[%i, %j, %c0] {in_bounds = [true]}
          : vector<8xf32>, tensor<5x5x8xf32>
      scf.yield %t : tensor<5x5x8xf32>
    }
    scf.yield %row : tensor<5x5x8xf32>
  }
  return %all : tensor<5x5x8xf32>
})");
  CHECK(countOf(text, "tensor.pad") == 0);
  CHECK(countOf(text, "tensor<4x7x8xf32>") == 0);
}

TEST_CASE("one known column is read in the image or around it", "[ir]") {
  std::string text = clipped(R"(
func.func @main(%x: tensor<4x5x8xf32>) -> (vector<8xf32>, vector<8xf32>) {
)" + columnsAround("3.0") + R"(
  %a = vector.transfer_read %padded[%c0, %c0, %c0], %z {in_bounds = [true]}
      : tensor<4x7x8xf32>, vector<8xf32>
  %b = vector.transfer_read %padded[%c0, %c1, %c0], %z {in_bounds = [true]}
      : tensor<4x7x8xf32>, vector<8xf32>
  return %a, %b : vector<8xf32>, vector<8xf32>
})");
  CHECK(countOf(text, "tensor.pad") == 0);
  CHECK(countOf(text, "dense<3.000000e+00> : vector<8xf32>") == 1);
  CHECK(countOf(text, "vector.transfer_read %arg0[%c0, %c0, %c0]") == 1);
}
