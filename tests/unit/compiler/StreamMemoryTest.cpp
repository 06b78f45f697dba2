// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-stream-memory: whole lines of large results that nobody reads, and the
// last loop over a large input, which asks for what is next.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A loop that writes vectors to `%out` of `elements` f32, and `more`.
static std::string streamed(StringRef elements, StringRef vector,
                            StringRef more = "") {
  std::string buffer = ("memref<" + elements + "xf32>").str();
  std::string payload =
      ("func.func @main(%v: " + vector + ", %out: " + buffer +
       ", %i: index, %other: " + buffer + ") {\n" +
       "  vector.transfer_write %v, %out[%i] {in_bounds = [true]} : " + vector +
       ", " + buffer + "\n  " + more + "\n  return\n}")
          .str();
  return after("func.func(lh-stream-memory{least-bytes=4096})", payload);
}

TEST_CASE("a line-aligned write to a large result is streamed", "[ir]") {
  std::string text = streamed("1024", "vector<32xf32>");
  CHECK_THAT(text, Catch::Contains("alignment = 64 : i64, nontemporal = true"));
  // Callers may give any buffer.
  CHECK_THAT(text, Catch::Contains("extract_aligned_pointer_as_index"));
  CHECK_THAT(text, Catch::Contains("} else {"));
  CHECK(countOf(text, "vector.transfer_write") == 0);
}

TEST_CASE("small and unknown results, and parts of a line, are not", "[ir]") {
  CHECK(countOf(streamed("1023", "vector<32xf32>"), "nontemporal") == 0);
  CHECK(countOf(streamed("?", "vector<32xf32>"), "nontemporal") == 0);
  CHECK(countOf(streamed("1024", "vector<8xf32>"), "nontemporal") == 0);
}

TEST_CASE("what is read again is not streamed", "[ir]") {
  CHECK(countOf(streamed("1024", "vector<32xf32>",
                         "%x = memref.load %out[%i] : memref<1024xf32>"),
                "nontemporal") == 0);
  CHECK(countOf(streamed("1024", "vector<32xf32>",
                         "memref.copy %out, %other : memref<1024xf32> to "
                         "memref<1024xf32>"),
                "nontemporal") == 0);
}

static std::string prefetched(StringRef rows) {
  std::string buffer = ("memref<" + rows + "x256xf32>").str();
  std::string loop = R"(
    scf.for %j = %c0 to %c256 step %c32 {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]}
          : )" + buffer +
                     R"(, vector<32xf32>
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]}
          : vector<32xf32>, )" +
                     buffer + "\n    }";
  return after("func.func(lh-stream-memory{least-bytes=8192 ahead=4096})",
               "func.func @main(%x: " + buffer + ", %y: " + buffer + R"() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {)" +
                   loop + loop + "\n  }\n  return\n}");
}

TEST_CASE("a row's last loop prefetches the next row, line by line", "[ir]") {
  std::string text = prefetched("8");
  CHECK(countOf(text, "memref.prefetch") == 2);
  CHECK_THAT(text, Catch::Contains("arith.constant 768 : index"));
  CHECK_THAT(text, Catch::Contains("arith.constant 784 : index"));
  // Not in the first of the two loops.
  CHECK(text.find("memref.prefetch") > text.find("nontemporal"));
}

TEST_CASE("small inputs and those of unknown size are left alone", "[ir]") {
  CHECK(countOf(prefetched("7"), "memref.prefetch") == 0);
  CHECK(countOf(prefetched("?"), "memref.prefetch") == 0);
}

/// Sums of two rows by what `read` gets of a panel `x` of 64 rows; or of
/// `rows`.
static std::string summed(StringRef panel, StringRef read,
                          StringRef rows = "2x", StringRef least = "0") {
  std::string sums = ("vector<" + rows + "32xf32>").str();
  return after(("func.func(lh-stream-memory{panel-bytes=2048 least-panels=" +
                least + "})")
                   .str(),
               ("func.func @main(%x: " + panel + ") -> " + sums + R"( {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : )" +
                sums + R"(
  %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zeros)
      -> )" + sums +
                R"( {
    %v = )" + read +
                " : " + panel + R"(, vector<32xf32>
    %w = vector.broadcast %v : vector<32xf32> to )" +
                sums + "\n    %n = arith.addf %s, %w : " + sums +
                "\n    scf.yield %n : " + sums +
                "\n  }\n  return %sum : " + sums + "\n}")
                   .str());
}

TEST_CASE("a sum over a panel asks for its lines ahead", "[ir]") {
  std::string text =
      summed("memref<64x32xf32>", "vector.transfer_read %x[%k, %c0], %pad "
                                  "{in_bounds = [true]}");
  CHECK(countOf(text, "memref.prefetch") == 2);
  CHECK_THAT(text, Catch::Contains("arith.constant 512 : index"));
  CHECK_THAT(text, Catch::Contains("arith.constant 528 : index"));
}

TEST_CASE("panels that stay in the first cache are not asked for", "[ir]") {
  std::string read = "vector.transfer_read %x[%k, %c0], %pad "
                     "{in_bounds = [true]}";
  auto asked = [&](StringRef least) {
    return countOf(summed("memref<64x32xf32>", read, "2x", least),
                   "memref.prefetch");
  };
  CHECK(asked("8192") == 2);
  CHECK(asked("8193") == 0);
}

TEST_CASE("what doesn't lie line behind line is not asked for", "[ir]") {
  CHECK(countOf(summed("memref<64x40xf32>",
                       "vector.transfer_read %x[%k, %c0], %pad "
                       "{in_bounds = [true]}"),
                "memref.prefetch") == 0);
  CHECK(countOf(summed("memref<64x32xf32>",
                       "vector.transfer_read %x[%c1, %c0], %pad "
                       "{in_bounds = [true]}"),
                "memref.prefetch") == 0);
}

TEST_CASE("rows are asked for whole, and by sums of as many bytes", "[ir]") {
  std::string half = "vector.transfer_read %x[%k, %c0], %pad "
                     "{in_bounds = [true]}";
  std::string text = summed("memref<64x96xf32>", half, "3x");
  CHECK(countOf(text, "memref.prefetch") == 2);
  // Six rows of 384 bytes are the first whole ones from 2048 on.
  CHECK_THAT(text, Catch::Contains("arith.constant 576 : index"));
  CHECK(countOf(summed("memref<64x32xf32>", half, ""), "memref.prefetch") == 2);
  CHECK(countOf(summed("memref<64x64xf32>", half, ""), "memref.prefetch") == 0);
}

TEST_CASE("a line is asked for once in a step, by its first vector", "[ir]") {
  std::string onLine = "vector.transfer_read %x[%k, %c64], %pad "
                       "{in_bounds = [true]}";
  CHECK(countOf(summed("memref<64x128xf32>", onLine, "4x"),
                "memref.prefetch") == 2);
  std::string shifted = "vector.transfer_read %x[%k, %c1], %pad "
                        "{in_bounds = [true]}";
  CHECK(countOf(summed("memref<64x128xf32>", shifted, "4x"),
                "memref.prefetch") == 0);
}

/// A tile's sums over panels `p` to `p + 1` of `x`, for rows from `m` on.
static std::string tile(StringRef m) {
  return ("    scf.for %p = %c0 to %c2 step %c1 {\n"
          "      %q = arith.addi %p, %b : index\n"
          "      %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = "
          "%zeros) "
          "-> vector<2x32xf32> {\n"
          "        %v = vector.transfer_read %x[%q, %k, %c0], %pad {in_bounds "
          "= "
          "[true]} : memref<8x64x32xf32>, vector<32xf32>\n"
          "        %w = vector.broadcast %v : vector<32xf32> to "
          "vector<2x32xf32>\n"
          "        %n = arith.addf %s, %w : vector<2x32xf32>\n"
          "        scf.yield %n : vector<2x32xf32>\n      }\n"
          "      vector.transfer_write %sum, %y[" +
          m +
          ", %c0] {in_bounds = [true, true]} : vector<2x32xf32>, "
          "memref<64x32xf32>\n    }\n")
      .str();
}

/// Tiles in a loop of so many trips, and `rest` behind it.
static std::string sharing(StringRef rows, const std::string &rest,
                           StringRef options = "most-shares=8") {
  return after(
      ("func.func(lh-stream-memory{panel-bytes=128 " + options + "})").str(),
      "func.func @main(%x: memref<8x64x32xf32>, %y: memref<64x32xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
      "  %c2 = arith.constant 2 : index\n  %c64 = arith.constant 64 : index\n"
      "  %c8 = arith.constant 8 : index\n  %rows = arith.constant " +
          rows.str() +
          " : index\n  %pad = arith.constant 0.0 : f32\n"
          "  %zeros = arith.constant dense<0.0> : vector<2x32xf32>\n"
          "  scf.for %b = %c0 to %c8 step %c2 {\n"
          "  scf.for %m = %c0 to %rows step %c2 {\n" +
          tile("%m") + "  }\n" + rest + "  }\n  return\n}");
}

TEST_CASE("tiles ask for a share each of the panels that come next", "[ir]") {
  // Five tiles: four shares. Each step asks for a row's two lines of its own
  // panel, and for two of the one after the next.
  std::string text = sharing("10", "");
  CHECK(countOf(text, "memref.prefetch") == 4);
  CHECK(countOf(text, "locality<2>") == 2);
  CHECK(countOf(text, "arith.divui") == 1);
  CHECK_THAT(text, Catch::Contains("arith.constant -4 : index"));
  // With what is peeled off eight, of which it is the last.
  std::string peeled = sharing("14", tile("%c0"));
  CHECK(countOf(peeled, "locality<2>") == 4);
  CHECK(countOf(peeled, "arith.divui") == 1);
  CHECK_THAT(peeled, Catch::Contains("arith.constant -8 : index"));
}

TEST_CASE("one tile, and many, ask for no share", "[ir]") {
  CHECK(countOf(sharing("2", ""), "locality<2>") == 0);
  CHECK(countOf(sharing("18", ""), "locality<2>") == 0);
  CHECK(countOf(sharing("10", "", "most-shares=0"), "locality<2>") == 0);
}
