// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-launch-kernels: which threads compute what.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string launched(StringRef payload, StringRef options = "") {
  return after(
      ("func.func(lh-launch-kernels{" + options + "}),canonicalize,cse").str(),
      payload);
}

/// A sum over the rows of `type`, a buffer.
static std::string sumOf(StringRef type, StringRef result,
                         StringRef element = "f32") {
  return ("func.func @main(%x: " + type + ", %y: " + result +
          ") {\n"
          "  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,\n"
          "      affine_map<(i, j) -> (i)>],\n"
          "      iterator_types = [\"parallel\", \"reduction\"]}\n"
          "      ins(%x : " +
          type + ") outs(%y : " + result + ") {\n  ^bb0(%a: " + element +
          ", %b: " + element + "):\n    %v = arith.addf %a, %b : " + element +
          "\n    linalg.yield %v : " + element + "\n  }\n  return\n}")
      .str();
}

TEST_CASE("few long sums have a block of threads each", "[ir]") {
  std::string text = launched(sumOf("memref<4x640xf32>", "memref<4xf32>"));
  CHECK(countOf(text, "gpu.launch") == 1);
  // Five in each warp; what they got is combined by all threads.
  CHECK(countOf(text, "gpu.shuffle") == 5);
  CHECK(countOf(text, "gpu.barrier") == 1);
}

TEST_CASE("short, many or wide sums are a thread's own", "[ir]") {
  for (std::string payload :
       {sumOf("memref<4x63xf32>", "memref<4xf32>"),
        sumOf("memref<4096x64xf32>", "memref<4096xf32>"),
        sumOf("memref<4x640xf64>", "memref<4xf64>", "f64")}) {
    std::string text = launched(payload);
    CHECK(countOf(text, "gpu.launch") == 1);
    CHECK(countOf(text, "gpu.shuffle") == 0);
    CHECK(countOf(text, "iter_args") == 1);
  }
}

static std::string fillOf(StringRef type) {
  return ("func.func @main(%x: " + type +
          ") {\n  %c = arith.constant 1.0 : f32\n"
          "  linalg.fill ins(%c : f32) outs(%x : " +
          type + ")\n  return\n}")
      .str();
}

TEST_CASE("the last block has a bound where it isn't full", "[ir]") {
  CHECK(countOf(launched(fillOf("memref<512xf32>")), "scf.if") == 0);
  CHECK(countOf(launched(fillOf("memref<513xf32>")), "scf.if") == 1);
  CHECK(countOf(launched(fillOf("memref<?xf32>")), "scf.if") == 1);
}

TEST_CASE("open sizes launch one block at least", "[ir]") {
  std::string text = launched(fillOf("memref<?x3xf32>"));
  CHECK(countOf(text, "arith.maxui") == 1);
}

TEST_CASE("empty results have no kernel", "[ir]") {
  CHECK(countOf(launched(fillOf("memref<0x3xf32>")), "gpu.launch") == 0);
}

TEST_CASE("constants move into kernels, and views of them", "[ir]") {
  std::string text =
      launched("memref.global \"private\" constant @c : memref<2x3xf32> = "
               "dense<1.0>\n"
               "func.func @main(%y: memref<6xf32>) {\n"
               "  %c = memref.get_global @c : memref<2x3xf32>\n"
               "  %flat = memref.collapse_shape %c [[0, 1]]\n"
               "      : memref<2x3xf32> into memref<6xf32>\n"
               "  memref.copy %flat, %y : memref<6xf32> to memref<6xf32>\n"
               "  return\n}");
  CHECK(countOf(text, "gpu.launch") == 1);
  CHECK(text.find("gpu.launch") < text.find("memref.get_global"));
}

/// Rows of `columns` numbers: a sum into memory of the row's own, then a
/// difference.
static std::string rowsOf(StringRef columns) {
  std::string row = ("memref<1x" + columns + "xf32>").str();
  std::string part = ("memref<1x" + columns + "xf32, strided<[" + columns +
                      ", 1], offset: ?>>")
                         .str();
  return ("func.func @main(%x: memref<8x" + columns +
          "xf32>) {\n"
          "  scf.forall (%i) in (8) {\n"
          "    %r = memref.subview %x[%i, 0] [1, " +
          columns + "] [1, 1] : memref<8x" + columns + "xf32> to " + part +
          "\n    %own = memref.alloc() : " + row +
          "\n    linalg.exp ins(%r : " + part + ") outs(%own : " + row +
          ")\n    linalg.add ins(%r, %own : " + part + ", " + row +
          ") outs(%r : " + part + ")\n    memref.dealloc %own : " + row +
          "\n  }\n  return\n}")
      .str();
}

TEST_CASE("a row keeps what it needs in shared memory", "[ir]") {
  std::string text = launched(rowsOf("100"), "shared-bytes=400");
  CHECK(countOf(text, "gpu.launch") == 1);
  CHECK(countOf(text, "workgroup(") == 1);
  CHECK(countOf(text, "gpu.barrier") == 1);
  CHECK(countOf(text, "memref.alloc") == 0);
}

TEST_CASE("what doesn't fit there has memory before the launch", "[ir]") {
  std::string text = launched(rowsOf("100"), "shared-bytes=399");
  CHECK(countOf(text, "workgroup(") == 0);
  CHECK(countOf(text, "memref.alloc") == 1);
  CHECK(text.find("memref.alloc") < text.find("gpu.launch"));
  CHECK(text.find("gpu.terminator") < text.find("memref.dealloc"));
}

/// Rows of 100 numbers of which two sums are taken, one behind the other.
static const char *const twoSums =
    "func.func @main(%x: memref<8x100xf32>, %y: memref<8xf32>) {\n"
    "  scf.forall (%i) in (8) {\n"
    "    %r = memref.subview %x[%i, 0] [1, 100] [1, 1] : memref<8x100xf32> to "
    "memref<1x100xf32, strided<[100, 1], offset: ?>>\n"
    "    %to = memref.subview %y[%i] [1] [1] : memref<8xf32> to "
    "memref<1xf32, strided<[1], offset: ?>>\n"
    "    %own = memref.alloc() : memref<1x100xf32>\n"
    "    linalg.exp ins(%r : memref<1x100xf32, strided<[100, 1], offset: ?>>) "
    "outs(%own : memref<1x100xf32>)\n"
    "    linalg.reduce {arith.addf} ins(%own : memref<1x100xf32>) "
    "outs(%to : memref<1xf32, strided<[1], offset: ?>>) dimensions = [1]\n"
    "    linalg.reduce {arith.maximumf} ins(%own : memref<1x100xf32>) "
    "outs(%to : memref<1xf32, strided<[1], offset: ?>>) dimensions = [1]\n"
    "    memref.dealloc %own : memref<1x100xf32>\n"
    "  }\n  return\n}";

TEST_CASE("sums of a row share what memory they need beside it", "[ir]") {
  // Four warps leave a number each; or all threads do.
  std::string text = launched(twoSums, "shared-bytes=416");
  CHECK(countOf(text, "memref.alloc") == 0);
  CHECK(countOf(text, "memref<4xf32, #gpu.address_space<workgroup>>)") == 1);
  CHECK(countOf(launched(twoSums, "shared-bytes=415"), "memref.alloc") == 1);
  text = launched(twoSums, "shared-bytes=800 lanes=1");
  CHECK(countOf(text, "memref.alloc") == 0);
  CHECK(countOf(text, "memref<100xf32, #gpu.address_space<workgroup>>)") == 1);
  CHECK(countOf(launched(twoSums, "shared-bytes=799 lanes=1"),
                "memref.alloc") == 1);
}

TEST_CASE("loops that a GPU has already are left alone", "[ir]") {
  std::string text = launched("func.func @main(%x: memref<8xf32>) {\n"
                              "  %c = arith.constant 1.0 : f32\n"
                              "  scf.forall (%i) in (8) {\n"
                              "    memref.store %c, %x[%i] : memref<8xf32>\n"
                              "  } {mapping = [#gpu.block<x>]}\n"
                              "  return\n}");
  CHECK(countOf(text, "gpu.launch") == 0);
}
