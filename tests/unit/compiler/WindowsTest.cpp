// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-channels-last, lh-multiply-windows, lh-lower-windows.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A convolution of `images` 9 x 7 images by 3 x 3 windows, and what `then`
/// makes of %y, returned as a tensor of type `result`.
static std::string convolutionOf(StringRef images, StringRef then,
                                 StringRef result) {
  std::string input = ("tensor<" + images + "x4x9x7xf32>").str();
  std::string output = ("tensor<" + images + "x8x7x5xf32>").str();
  return "func.func @main(%x: " + input +
         ", %w: tensor<8x4x3x3xf32>, %init: " + output + ") -> " +
         result.str() +
         " {\n"
         "  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : "
         "tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : " +
         input + ", tensor<8x4x3x3xf32>) outs(%init : " + output + ") -> " +
         output + "\n" + then.str() + "\n}";
}

/// The same of two images with its channels last, and what comes after it.
static std::string turned(StringRef then, StringRef result,
                          StringRef more = "") {
  return after(("lh-channels-last" + more).str(),
               convolutionOf("2", then, result));
}

static const std::string plain = convolutionOf(
    "2", "  return %y : tensor<2x8x7x5xf32>", "tensor<2x8x7x5xf32>");

TEST_CASE("a convolution's input and result are turned", "[ir]") {
  std::string text = after("lh-channels-last", plain);
  CHECK(countOf(text, "linalg.conv") == 0);
  CHECK(countOf(text, "linalg.transpose") == 3); // what it adds to, as well
  CHECK(countOf(text, "tensor<2x9x7x4xf32>, tensor<8x4x3x3xf32>)") == 1);
}

TEST_CASE("a convolution keeps what chooses its strategy", "[ir]") {
  std::string chosen = plain;
  const std::string choice =
      "lh.choice = #dlti.map<\"strategy\" = \"gather\", \"rule\" = \"mine\">";
  size_t place = chosen.find("dilations");
  REQUIRE(place != std::string::npos);
  chosen.insert(place, choice + ", ");
  CHECK(countOf(after("lh-channels-last", chosen), choice) == 1);
  // Winograd's would take it otherwise, and gathering does.
  std::string winograd = "lh-channels-last,lh-multiply-windows{";
  CHECK(countOf(after(winograd + "strategy=winograd}", plain),
                "linalg.winograd_input_transform") == 1);
  CHECK(countOf(after(winograd + "strategy=winograd}", chosen),
                "linalg.winograd_input_transform") == 0);
  CHECK(countOf(after(winograd + "strategy=gather}", chosen), "lh.windows") ==
        1);
}

TEST_CASE("what follows keeps channels last", "[ir]") {
  std::string text =
      turned("  %e = tensor.empty() : tensor<2x8x7x5xf32>\n"
             "  %z = linalg.exp ins(%y : tensor<2x8x7x5xf32>) "
             "outs(%e : tensor<2x8x7x5xf32>) -> tensor<2x8x7x5xf32>\n"
             "  %p = tensor.concat dim(1) %z, %z : (tensor<2x8x7x5xf32>, "
             "tensor<2x8x7x5xf32>) -> tensor<2x16x7x5xf32>\n"
             "  %q = tensor.collapse_shape %p [[0], [1], [2, 3]] : "
             "tensor<2x16x7x5xf32> into tensor<2x16x35xf32>\n"
             "  return %q : tensor<2x16x35xf32>",
             "tensor<2x16x35xf32>");
  CHECK(countOf(text, "tensor.concat dim(3)") == 1);
  CHECK(countOf(text, "into tensor<2x35x16xf32>") == 1);
  // The input, what it adds to, and the result.
  CHECK(countOf(text, "linalg.transpose") == 3);
  CHECK(countOf(text, "tensor<2x16x7x5xf32>") == 0);
}

TEST_CASE("sums over pixels are of vectors of channels", "[ir]") {
  std::string text =
      turned("  %e = tensor.empty() : tensor<2x8xf32>\n"
             "  %s = linalg.reduce ins(%y : tensor<2x8x7x5xf32>) "
             "outs(%e : tensor<2x8xf32>) dimensions = [2, 3]\n"
             "    (%a: f32, %b: f32) {\n"
             "      %c = arith.addf %a, %b : f32\n"
             "      linalg.yield %c : f32\n    }\n"
             "  return %s : tensor<2x8xf32>",
             "tensor<2x8xf32>", ", canonicalize");
  CHECK(countOf(text, "iterator_types = [\"parallel\", \"reduction\", "
                      "\"reduction\", \"parallel\"]") == 1);
  // The convolution's input and what it adds to.
  CHECK(countOf(text, "linalg.transpose") == 2);
}

/// Splits the channels in two groups, gives the dimensions another order, and
/// merges the second and the third.
static std::string shuffled(StringRef order, StringRef turned) {
  return convolutionOf(
      "2",
      ("  %s = tensor.expand_shape %y [[0], [1, 2], [3], [4]] output_shape "
       "[2, 2, 4, 7, 5] : tensor<2x8x7x5xf32> into tensor<2x2x4x7x5xf32>\n"
       "  %e = tensor.empty() : tensor<" +
       turned +
       "xf32>\n"
       "  %t = linalg.transpose ins(%s : tensor<2x2x4x7x5xf32>) outs(%e : "
       "tensor<" +
       turned + "xf32>) permutation = " + order +
       "\n"
       "  %q = tensor.collapse_shape %t [[0], [1, 2], [3], [4]] : tensor<" +
       turned +
       "xf32> into tensor<2x8x7x5xf32>\n"
       "  %m = linalg.exp ins(%q : tensor<2x8x7x5xf32>) outs(%init : "
       "tensor<2x8x7x5xf32>) -> tensor<2x8x7x5xf32>\n"
       "  return %m : tensor<2x8x7x5xf32>")
          .str(),
      "tensor<2x8x7x5xf32>");
}

TEST_CASE("channels are shuffled where they are last", "[ir]") {
  // The input, what is added to and written over, the shuffle and the result.
  std::string text = after("lh-channels-last, canonicalize",
                           shuffled("[0, 2, 1, 3, 4]", "2x4x2x7x5"));
  CHECK(countOf(text, "permutation = [0, 1, 2, 4, 3]") == 1);
  CHECK(countOf(text, "linalg.transpose") == 5);
  CHECK(countOf(text, "tensor<2x7x5x2x4xf32>") > 0);
}

TEST_CASE("a shuffle may be spelled without batch and rows", "[ir]") {
  std::string shuffle =
      "  %a = tensor.collapse_shape %y [[0, 1], [2, 3]] : tensor<1x8x7x5xf32> "
      "into tensor<8x35xf32>\n"
      "  %s = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 4, 35] : "
      "tensor<8x35xf32> into tensor<2x4x35xf32>\n"
      "  %e = tensor.empty() : tensor<4x2x35xf32>\n"
      "  %t = linalg.transpose ins(%s : tensor<2x4x35xf32>) outs(%e : "
      "tensor<4x2x35xf32>) permutation = [1, 0, 2]\n"
      "  %b = tensor.collapse_shape %t [[0, 1], [2]] : tensor<4x2x35xf32> into "
      "tensor<8x35xf32>\n"
      "  %q = tensor.expand_shape %b [[0, 1], [2, 3]] output_shape [1, 8, 7, "
      "5] : tensor<8x35xf32> into tensor<1x8x7x5xf32>\n"
      "  return %q : tensor<1x8x7x5xf32>";
  std::string text = after("lh-channels-last, canonicalize",
                           convolutionOf("1", shuffle, "tensor<1x8x7x5xf32>"));
  CHECK(countOf(text, "permutation = [0, 1, 2, 4, 3]") == 1);
  CHECK(countOf(text, "tensor<8x35xf32>") == 0);
}

TEST_CASE("some channels of an image are last, too", "[ir]") {
  std::string half = "  %q = tensor.extract_slice %y[0, 4, 0, 0] [2, 4, 7, 5] "
                     "[1, 1, 1, 1] : tensor<2x8x7x5xf32> to "
                     "tensor<2x4x7x5xf32>\n"
                     "  return %q : tensor<2x4x7x5xf32>";
  std::string text = turned(half, "tensor<2x4x7x5xf32>");
  CHECK(countOf(text, "[0, 0, 0, 4] [2, 7, 5, 4] [1, 1, 1, 1]") == 1);
}

TEST_CASE("a pool's channels go last, unless it has but one", "[ir]") {
  auto pool = [](StringRef channels) {
    std::string type = ("tensor<2x" + channels + "x9x9xf32>").str();
    std::string result = ("tensor<2x" + channels + "x7x7xf32>").str();
    return after("lh-channels-last",
                 "func.func @main(%x: " + type +
                     ", %w: tensor<3x3xf32>, %i: " + result + ") -> " + result +
                     " {\n  %y = linalg.pooling_nchw_max ins(%x, %w : " + type +
                     ", tensor<3x3xf32>) outs(%i : " + result + ") -> " +
                     result + "\n  return %y : " + result + "\n}");
  };
  CHECK(countOf(pool("4"), "permutation = [0, 2, 3, 1]") == 2);
  CHECK(countOf(pool("1"), "linalg.transpose") == 0);
}

/// Reads pixels of %y, of the channel `channel`, at places of its own.
static std::string gathered(StringRef channel) {
  return after(
      "lh-channels-last, canonicalize",
      convolutionOf(
          "2",
          ("  %places = arith.constant dense<[4, 2, 0]> : tensor<3xindex>\n"
           "  %e = tensor.empty() : tensor<2x8x7x3xf32>\n"
           "  %g = linalg.generic {indexing_maps = ["
           "affine_map<(n, c, h, w) -> (w)>, "
           "affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["
           "\"parallel\", \"parallel\", \"parallel\", \"parallel\"]} "
           "ins(%places : tensor<3xindex>) outs(%e : tensor<2x8x7x3xf32>) {\n"
           "  ^bb0(%place: index, %o: f32):\n"
           "    %n = linalg.index 0 : index\n"
           "    %c = linalg.index " +
           channel +
           " : index\n"
           "    %h = linalg.index 2 : index\n"
           "    %v = tensor.extract %y[%n, %c, %h, %place] : "
           "tensor<2x8x7x5xf32>\n"
           "    linalg.yield %v : f32\n"
           "  } -> tensor<2x8x7x3xf32>\n"
           "  return %g : tensor<2x8x7x3xf32>")
              .str(),
          "tensor<2x8x7x3xf32>"));
}

TEST_CASE("pixels are gathered with their channels last", "[ir]") {
  std::string text = gathered("1");
  CHECK(countOf(text, "tensor.extract %") == 1);
  CHECK(countOf(text, "] : tensor<2x7x5x8xf32>") == 1);
  CHECK(countOf(text, "-> tensor<2x7x3x8xf32>") == 1);
  // The input, what it adds to, and the result.
  CHECK(countOf(text, "linalg.transpose") == 3);
}

TEST_CASE("what gathers among channels reads them where they were", "[ir]") {
  std::string text = gathered("3");
  CHECK(countOf(text, "] : tensor<2x8x7x5xf32>") == 1);
  CHECK(countOf(text, "-> tensor<2x8x7x3xf32>") > 0);
}

TEST_CASE("what moves pixels among channels is no shuffle", "[ir]") {
  std::string text = after("lh-channels-last, canonicalize",
                           shuffled("[1, 0, 2, 3, 4]", "2x2x4x7x5"));
  CHECK(countOf(text, "permutation = [1, 0, 2, 3, 4]") == 1);
}

TEST_CASE("what can't keep it gets the result turned back", "[ir]") {
  std::string text =
      turned("  %q = tensor.collapse_shape %y [[0], [1, 2, 3]] : "
             "tensor<2x8x7x5xf32> into tensor<2x280xf32>\n"
             "  return %q : tensor<2x280xf32>",
             "tensor<2x280xf32>");
  CHECK(countOf(text, "permutation = [0, 3, 1, 2]") == 1);
}

TEST_CASE("without convolutions nothing is turned", "[ir]") {
  std::string batch =
      "func.func @main(%x: tensor<2x8x7xf32>) -> tensor<2x8x7xf32> {\n"
      "  %e = tensor.empty() : tensor<2x8x7xf32>\n"
      "  %z = linalg.exp ins(%x : tensor<2x8x7xf32>) outs(%e : "
      "tensor<2x8x7xf32>) -> tensor<2x8x7xf32>\n"
      "  return %z : tensor<2x8x7xf32>\n}";
  CHECK(after("lh-channels-last,lh-multiply-windows", batch) ==
        after("canonicalize{max-iterations=0}", batch));
}

TEST_CASE("a pad's constant may stand inside it", "[ir]") {
  std::string text = after(
      "lh-channels-last",
      convolutionOf("2",
                    "  %p = tensor.pad %y low[0, 0, 1, 1] high[0, 0, 1, 1] {\n"
                    "  ^bb0(%i: index, %j: index, %k: index, %l: index):\n"
                    "    %one = arith.constant 1.0 : f32\n"
                    "    tensor.yield %one : f32\n"
                    "  } : tensor<2x8x7x5xf32> to tensor<2x8x9x7xf32>\n"
                    "  return %p : tensor<2x8x9x7xf32>",
                    "tensor<2x8x9x7xf32>"));
  CHECK(countOf(text, "low[0, 1, 1, 0] high[0, 1, 1, 0]") == 1);
}

TEST_CASE("what multiplies no filter is no convolution", "[ir]") {
  std::string squares = convolutionOf(
      "2",
      "  %a = tensor.empty() : tensor<2x35x8xf32>\n"
      "  %b = tensor.empty() : tensor<8x8xf32>\n"
      "  %s = linalg.generic {indexing_maps = ["
      "affine_map<(n, p, f, c) -> (n, p, c)>, "
      "affine_map<(n, p, f, c) -> (f, c)>, "
      "affine_map<(n, p, f, c) -> (n, p, f)>], iterator_types = [\"parallel\", "
      "\"parallel\", \"parallel\", \"reduction\"]} ins(%a, %b : "
      "tensor<2x35x8xf32>, tensor<8x8xf32>) outs(%a : tensor<2x35x8xf32>) {\n"
      "  ^bb0(%u: f32, %v: f32, %o: f32):\n"
      "    %0 = arith.mulf %u, %u : f32\n"
      "    %1 = arith.addf %o, %0 : f32\n"
      "    linalg.yield %1 : f32\n"
      "  } -> tensor<2x35x8xf32>\n"
      "  return %s : tensor<2x35x8xf32>",
      "tensor<2x35x8xf32>");
  // The unused convolution alone becomes a product.
  std::string text = after("lh-channels-last,lh-multiply-windows", squares);
  CHECK(countOf(text, "linalg.matmul") == 1);
}

TEST_CASE("windows of known number become rows of a product", "[ir]") {
  std::string text = after("lh-channels-last,lh-multiply-windows", plain);
  CHECK(countOf(text, "lh.windows = #dlti.map<\"images\" = 2 : i64, "
                      "\"height\" = 7 : i64, \"width\" = 5 : i64, "
                      "\"window_rows\" = 3 : i64, \"window_columns\" = 3 : "
                      "i64, \"channels\" = 4 : i64") == 1);
  CHECK(countOf(text, "linalg.matmul ins(%") == 1);
  CHECK(countOf(text, "tensor<70x36xf32>, tensor<36x8xf32>") == 1);
  std::string open =
      after("lh-channels-last,lh-multiply-windows",
            convolutionOf("?", "  return %y : tensor<?x8x7x5xf32>",
                          "tensor<?x8x7x5xf32>"));
  CHECK(countOf(open, "lh.windows") == 0);
  CHECK(countOf(open, "linalg.matmul") == 0);
}

TEST_CASE("products of windows are made by two strategies alone", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench.import(plain).status == StepStatus::Passed);
  CHECK(bench.passes("lh-multiply-windows{strategy=direct}").reason ==
        "there is no strategy 'direct'");
}

TEST_CASE("rows are filled where they are read", "[ir]") {
  // Without a slice of whole rows, all of them at once.
  std::string whole =
      after("lh-channels-last,lh-multiply-windows,lh-lower-windows,cse", plain);
  CHECK(countOf(whole, "lh.windows") == 0);
  CHECK(countOf(whole, "iter_args(%") >= 3);
  CHECK(countOf(whole, "tensor<70x36xf32>, tensor<36x8xf32>") == 1);
  // A line of 12 numbers: one by one, or 8 at once and the others one by one.
  CHECK(countOf(whole, "vector<8xf32>") == 0);
  std::string wide = after(
      "lh-channels-last,lh-multiply-windows,lh-lower-windows{copies=64,8}",
      plain);
  CHECK(countOf(wide, "vector<8xf32>") > 0);
  CHECK(countOf(wide, "vector<1xf32>") > 0);
  CHECK(countOf(wide, "vector<64xf32>") == 0);
}

/// How often a product in blocks of so many of its 8 columns names all of its
/// windows, 70 rows of 36 numbers (10,080 bytes); and whether a line of one is
/// copied inside of the loop over blocks.
static std::pair<size_t, bool> windowsOf(StringRef columns, StringRef kept) {
  IrWorkbench work;
  work.import(plain);
  work.passes("lh-channels-last,lh-multiply-windows");
  work.schedule(("transform.named_sequence @cut(%root: !transform.any_op "
                 "{transform.readonly}) {\n"
                 "  %product = transform.structured.match "
                 "ops{[\"linalg.matmul\"]} in %root "
                 ": (!transform.any_op) -> !transform.any_op\n"
                 "  %block, %blocks = transform.structured.tile_using_forall "
                 "%product tile_sizes [0, " +
                 columns +
                 "] : (!transform.any_op) -> (!transform.any_op, "
                 "!transform.any_op)\n"
                 "  %tile, %rows = transform.structured.tile_using_for %block "
                 "tile_sizes [10] : (!transform.any_op) -> (!transform.any_op, "
                 "!transform.any_op)\n"
                 "  transform.yield\n}")
                    .str(),
                "cut");
  work.passes(("canonicalize,lh-lower-windows{copies=4 kept-bytes=" + kept +
               "},canonicalize,cse")
                  .str());
  std::string text = work.text();
  size_t blocks = text.find("scf.forall"), copy = text.find("vector<4xf32>");
  REQUIRE(copy != std::string::npos);
  return {countOf(text, "tensor<70x36xf32>"), blocks < copy};
}

TEST_CASE("rows that several blocks read are filled once if they are few",
          "[ir]") {
  auto [whole, inside] = windowsOf("4", "10080");
  CHECK(whole > 0);
  CHECK_FALSE(inside);
  // One byte too many.
  CHECK(windowsOf("4", "10079") == std::pair<size_t, bool>(0, true));
  // A single block reads each row once.
  CHECK(windowsOf("8", "10080").first == 0);
}

/// A convolution of `groups` groups of 5 channels by `filters` filters each,
/// whose results are merged; or their pixels as well.
static std::string grouped(int64_t groups, int64_t filters,
                           const std::string &type, bool mergesPixels = false) {
  std::string g = std::to_string(groups), f = std::to_string(filters),
              in = std::to_string(5 * groups),
              out = std::to_string(groups * filters);
  std::string whole = "tensor<1x" + in + "x9x7x" + type + ">",
              apart = "tensor<1x" + g + "x5x9x7x" + type + ">",
              sums = "tensor<1x" + g + "x" + f + "x7x5x" + type + ">",
              filter = "tensor<" + g + "x" + f + "x5x3x3x" + type + ">",
              merged = "tensor<1x" + out + (mergesPixels ? "x35x" : "x7x5x") +
                       type + ">",
              pixels = mergesPixels ? "[3, 4]" : "[3], [4]";
  return "func.func @main(%x: " + whole + ", %w: " + filter + ", %i: " + sums +
         ") -> " + merged +
         " {\n  %g = tensor.expand_shape %x [[0], [1, 2], [3], [4]] "
         "output_shape [1, " +
         g + ", 5, 9, 7] : " + whole + " into " + apart +
         "\n  %y = linalg.conv_2d_ngchw_gfchw ins(%g, %w : " + apart + ", " +
         filter + ") outs(%i : " + sums + ") -> " + sums +
         "\n  %r = tensor.collapse_shape %y [[0], [1, 2], " + pixels +
         "] : " + sums + " into " + merged + "\n  return %r : " + merged +
         "\n}";
}

TEST_CASE("groups of channels are a product each", "[ir]") {
  std::string text = after("lh-channels-last,lh-multiply-windows{columns=32}",
                           grouped(4, 17, "f32"));
  CHECK(countOf(text, "linalg.conv") == 0);
  CHECK(countOf(text, "tensor<4x35x45xf32>, tensor<4x45x17xf32>") == 1);
}

TEST_CASE("groups may be merged together with their pixels", "[ir]") {
  std::string text = after("lh-channels-last", grouped(4, 17, "f32", true));
  CHECK(countOf(text, "linalg.conv") == 0);
  CHECK(countOf(text, "tensor<1x7x5x4x17xf32> into tensor<1x35x68xf32>") == 1);
}

TEST_CASE("groups go last in front of a shuffle that keeps them", "[ir]") {
  std::string shuffled = after("lh-channels-last", R"(
func.func @main(%x: tensor<1x20x9x7xf32>, %w: tensor<4x6x5x3x3xf32>,
    %i: tensor<1x4x6x7x5xf32>) -> tensor<1x24x7x5xf32> {
  %g = tensor.expand_shape %x [[0], [1, 2], [3], [4]]
      output_shape [1, 4, 5, 9, 7]
      : tensor<1x20x9x7xf32> into tensor<1x4x5x9x7xf32>
  %y = linalg.conv_2d_ngchw_gfchw
      ins(%g, %w : tensor<1x4x5x9x7xf32>, tensor<4x6x5x3x3xf32>)
      outs(%i : tensor<1x4x6x7x5xf32>) -> tensor<1x4x6x7x5xf32>
  %p = tensor.collapse_shape %y [[0], [1], [2], [3, 4]]
      : tensor<1x4x6x7x5xf32> into tensor<1x4x6x35xf32>
  %e = tensor.empty() : tensor<1x6x4x35xf32>
  %t = linalg.transpose ins(%p : tensor<1x4x6x35xf32>)
      outs(%e : tensor<1x6x4x35xf32>) permutation = [0, 2, 1, 3]
  %c = tensor.collapse_shape %t [[0], [1, 2], [3]]
      : tensor<1x6x4x35xf32> into tensor<1x24x35xf32>
  %r = tensor.expand_shape %c [[0], [1], [2, 3]] output_shape [1, 24, 7, 5]
      : tensor<1x24x35xf32> into tensor<1x24x7x5xf32>
  return %r : tensor<1x24x7x5xf32>
})");
  CHECK(countOf(shuffled, "linalg.conv") == 0);
  // A pixel's channels change places, and the pixels stay where they are.
  CHECK(countOf(shuffled, "tensor<1x7x5x6x4xf32>) permutation") == 1);
}

TEST_CASE("groups of floats stay apart, with columns of zeros if they are few",
          "[ir]") {
  std::string text = after("lh-channels-last,lh-multiply-windows{columns=32}",
                           grouped(4, 3, "f32"));
  CHECK(countOf(text, "tensor<4x35x45xf32>, tensor<4x45x8xf32>") == 1);
  CHECK(countOf(text, "tensor<35x4x8xf32> to tensor<35x4x3xf32>") == 1);
}

TEST_CASE("groups of integers with few filters are merged while a panel holds "
          "them",
          "[ir]") {
  std::string some = after("lh-channels-last,lh-multiply-windows{columns=32}",
                           grouped(4, 12, "i32"));
  CHECK(countOf(some, "tensor<2x35x90xi32>, tensor<2x90x24xi32>") == 1);
  std::string all = after("lh-channels-last,lh-multiply-windows{columns=32}",
                          grouped(4, 8, "i32"));
  CHECK(countOf(all, "tensor<35x180xi32>, tensor<180x32xi32>") == 1);
  CHECK(countOf(all, "linalg.batch_matmul") == 0);
}
