// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-share-loops: outermost loops that are worth waking threads for.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// `body` in a loop of 8 trips over `%i`, after the pass with these options.
static std::string shared(StringRef options, StringRef body) {
  std::string payload = ("func.func @main(%x: memref<8x1024xf32>) {\n"
                         "  %c0 = arith.constant 0 : index\n"
                         "  %c1 = arith.constant 1 : index\n"
                         "  %c1024 = arith.constant 1024 : index\n"
                         "  scf.forall (%i) in (8) {\n" +
                         body + "  }\n  return\n}")
                            .str();
  return after(("func.func(lh-share-loops{" + options + "})").str(), payload);
}

/// Loads and stores 1024 numbers.
static const char *const row =
    "scf.for %j = %c0 to %c1024 step %c1 {\n"
    "  %v = memref.load %x[%i, %j] : memref<8x1024xf32>\n"
    "  memref.store %v, %x[%i, %j] : memref<8x1024xf32>\n"
    "}\n";

TEST_CASE("one thread shares nothing", "[ir]") {
  CHECK(countOf(shared("least-work=0", row), "scf.parallel") == 0);
  CHECK(countOf(shared("threads=1 least-work=0", row), "scf.parallel") == 0);
}

TEST_CASE("a loop is shared from the least work on", "[ir]") {
  // 8 x 1024 loads and as many stores.
  CHECK(countOf(shared("threads=2 least-work=16384", row), "scf.parallel") ==
        1);
  CHECK(countOf(shared("threads=2 least-work=16385", row), "scf.parallel") ==
        0);
}

TEST_CASE("math functions count for more", "[ir]") {
  std::string exps = "  %v = memref.load %x[%i, %c0] : memref<8x1024xf32>\n"
                     "  %e = math.exp %v : f32\n"
                     "  memref.store %e, %x[%i, %c0] : memref<8x1024xf32>\n";
  CHECK(countOf(shared("threads=2 least-work=144", exps), "scf.parallel") == 1);
  CHECK(countOf(shared("threads=2 least-work=145", exps), "scf.parallel") == 0);
}

TEST_CASE("inner loops stay", "[ir]") {
  std::string inner = "scf.forall (%k) in (4) {\n" + std::string(row) + "}\n";
  CHECK(countOf(shared("threads=2 least-work=0", inner), "scf.parallel") == 1);
  CHECK(countOf(shared("threads=2 least-work=0", inner), "scf.forall") == 1);
}

TEST_CASE("what may give up stays with the calling thread", "[ir]") {
  std::string checked = "  %ok = arith.cmpi slt, %i, %c1024 : index\n"
                        "  cf.assert %ok, \"too large\"\n" +
                        std::string(row);
  CHECK(countOf(shared("threads=2 least-work=0", checked), "scf.parallel") ==
        0);
}

TEST_CASE("a loop of unknown length counts as what it can be at most", "[ir]") {
  // What is left of up to 100 columns, 32 at a time: one turn of 32 numbers.
  std::string rest =
      "  %n = affine.min affine_map<(i) -> (i * -100 + 750, 100)>(%i)\n"
      "  %whole = affine.apply affine_map<()[n] -> (n floordiv 32 * "
      "32)>()[%n]\n"
      "  %c32 = arith.constant 32 : index\n"
      "  %z = arith.constant dense<0.0> : vector<32xf32>\n"
      "  scf.for %j = %whole to %n step %c32 {\n"
      "    vector.transfer_write %z, %x[%i, %j] {in_bounds = [true]}\n"
      "        : vector<32xf32>, memref<8x1024xf32>\n"
      "  }\n";
  CHECK(countOf(shared("threads=2 least-work=200", rest), "scf.parallel") == 1);
  CHECK(countOf(shared("threads=2 least-work=512", rest), "scf.parallel") == 0);
}

/// The whole function `payload`, after the pass with two threads.
static std::string sharedByTwo(StringRef payload) {
  return after("func.func(lh-share-loops{threads=2 least-work=0})", payload);
}

/// A marked loop over rows of `%x` by 4, which writes to `%y` and keeps
/// `scratch`, both of 64 x 32 numbers; the row that it writes is `row`.
static std::string rowLoop(StringRef row, StringRef after = "") {
  return ("func.func @main(%x: memref<64x32xf32>, %y: memref<64x32xf32>) {\n"
          "  %c0 = arith.constant 0 : index\n"
          "  %c1 = arith.constant 1 : index\n"
          "  %c3 = arith.constant 3 : index\n"
          "  %c4 = arith.constant 4 : index\n"
          "  %c5 = arith.constant 5 : index\n"
          "  %c64 = arith.constant 64 : index\n"
          "  %z = arith.constant 0.0 : f32\n"
          "  %s = memref.alloc() : memref<32xf32>\n"
          "  scf.for %i = %c0 to %c64 step %c4 {\n"
          "    %v = vector.transfer_read %x[%i, %c0], %z {in_bounds = [true]}\n"
          "        : memref<64x32xf32>, vector<32xf32>\n"
          "    vector.transfer_write %v, %s[%c0] {in_bounds = [true]}\n"
          "        : vector<32xf32>, memref<32xf32>\n"
          "    %w = vector.transfer_read %s[%c0], %z {in_bounds = [true]}\n"
          "        : memref<32xf32>, vector<32xf32>\n" +
          row +
          "    vector.transfer_write %w, %y[%r, %c0] {in_bounds = [true]}\n"
          "        : vector<32xf32>, memref<64x32xf32>\n"
          "  } {lh.independent}\n" +
          after + "  memref.dealloc %s : memref<32xf32>\n  return\n}")
      .str();
}

TEST_CASE("a marked loop is shared, with a buffer for each thread", "[ir]") {
  std::string text = sharedByTwo(rowLoop("%r = arith.addi %i, %c3 : index\n"));
  size_t loop = text.find("scf.parallel");
  REQUIRE(loop != std::string::npos);
  CHECK(text.find("memref.alloc()") > loop);
  CHECK(countOf(text, "memref.alloc()") == 1);
  CHECK(countOf(text, "memref.dealloc") == 1);
}

TEST_CASE("iterations that may write to the same place are not shared",
          "[ir]") {
  // Rows i and i + 4 where i is a multiple of 4; always the same row.
  for (const char *row : {"%a = arith.addi %i, %c5 : index\n"
                          "    %r = arith.minsi %a, %c3 : index\n",
                          "%r = arith.addi %c1, %c3 : index\n"})
    CHECK(countOf(sharedByTwo(rowLoop(row)), "scf.parallel") == 0);
}

TEST_CASE("a buffer that is read after the loop is no thread's own", "[ir]") {
  std::string text = sharedByTwo(
      rowLoop("%r = arith.addi %i, %c0 : index\n",
              "  %l = memref.load %s[%c0] : memref<32xf32>\n"
              "  memref.store %l, %y[%c0, %c0] : memref<64x32xf32>\n"));
  CHECK(countOf(text, "scf.parallel") == 0);
}

TEST_CASE("loops without the mark are not shared", "[ir]") {
  std::string text = rowLoop("%r = arith.addi %i, %c0 : index\n");
  text.erase(text.find("{lh.independent}"), 16);
  CHECK(countOf(sharedByTwo(text), "scf.parallel") == 0);
}

TEST_CASE("an inner loop is shared where it divides better", "[ir]") {
  // 3 blocks for two threads take as long as 4; 16 rows in each don't.
  std::string text = sharedByTwo(
      "func.func @main(%x: memref<3x16x64xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c1 = arith.constant 1 : index\n"
      "  %c16 = arith.constant 16 : index\n"
      "  %z = arith.constant dense<0.0> : vector<64xf32>\n"
      "  scf.forall (%i) in (3) {\n"
      "    scf.for %j = %c0 to %c16 step %c1 {\n"
      "      vector.transfer_write %z, %x[%i, %j, %c0] {in_bounds = [true]}\n"
      "          : vector<64xf32>, memref<3x16x64xf32>\n"
      "    } {lh.independent}\n"
      "  }\n  return\n}");
  CHECK(countOf(text, "scf.forall") == 1);
  CHECK(countOf(text, "scf.parallel") == 1);
}

/// Two blocks of columns, the second of `last`, with 16 rows in each.
static std::string blocksOf64And(int last) {
  std::string columns = std::to_string(64 + last);
  return sharedByTwo(
      "#size = affine_map<(i) -> (i * -64 + " + columns +
      ", 64)>\n"
      "#first = affine_map<(i) -> (i * 64)>\n"
      "func.func @main(%x: memref<16x" +
      columns +
      "xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c1 = arith.constant 1 : index\n"
      "  %c16 = arith.constant 16 : index\n"
      "  %z = arith.constant dense<0.0> : vector<64xf32>\n"
      "  scf.forall (%i) in (2) {\n"
      "    %size = affine.min #size(%i)\n"
      "    %first = affine.apply #first(%i)\n"
      "    %mask = vector.create_mask %size : vector<64xi1>\n"
      "    scf.for %j = %c0 to %c16 step %c1 {\n"
      "      vector.transfer_write %z, %x[%j, %first], %mask\n"
      "          {in_bounds = [true]} : vector<64xf32>, memref<16x" +
      columns +
      "xf32>\n"
      "    } {lh.independent}\n"
      "  }\n  return\n}");
}

TEST_CASE("a part of a block is no whole one", "[ir]") {
  CHECK(countOf(blocksOf64And(64), "scf.forall") == 0);
  // 64 of 80 columns take longer than half of the rows, twice.
  CHECK(countOf(blocksOf64And(16), "scf.forall") == 1);
  CHECK(countOf(blocksOf64And(16), "scf.parallel") == 1);
}
