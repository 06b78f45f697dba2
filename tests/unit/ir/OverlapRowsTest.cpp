// lh-overlap-rows: a row is written while the next one is computed.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// Eight rows: a loop that computes one into %row, then one that writes it.
/// `where` is where the first loop writes, `last` the second loop's end.
static std::string overlapped(const std::string &where = "%row[%j]",
                              const std::string &last = "%c256",
                              const std::string &between = "") {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
func.func @main(%x: memref<8x256xf32>, %y: memref<8x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zeros = arith.constant dense<0.0> : vector<32xf32>
  %pad = arith.constant 0.0 : f32
  %row = memref.alloc() : memref<256xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %sums = scf.for %j = %c0 to %c256 step %c32 iter_args(%s = %zeros)
        -> vector<32xf32> {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]}
          : memref<8x256xf32>, vector<32xf32>
      %e = math.exp %v : vector<32xf32>
      vector.transfer_write %e, )" +
                      where + R"( {in_bounds = [true]}
          : vector<32xf32>, memref<256xf32>
      %n = arith.addf %s, %e : vector<32xf32>
      scf.yield %n : vector<32xf32>
    }
    %sum = vector.reduction <add>, %sums : vector<32xf32> into f32
    %many = vector.broadcast %sum : f32 to vector<32xf32>
    )" + between +
                      R"(
    scf.for %j = %c0 to )" +
                      last + R"( step %c32 {
      %v = vector.transfer_read %row[%j], %pad {in_bounds = [true]}
          : memref<256xf32>, vector<32xf32>
      %q = arith.divf %v, %many : vector<32xf32>
      vector.transfer_write %q, %y[%i, %j] {in_bounds = [true]}
          : vector<32xf32>, memref<8x256xf32>
    }
  }
  memref.dealloc %row : memref<256xf32>
  return
})")
              .status == StepStatus::Passed);
  CHECK(bench.passes("func.func(lh-overlap-rows)").reason == "");
  return bench.text();
}

TEST_CASE("a row is written in the loop that computes the next", "[ir]") {
  std::string text = overlapped();
  // The first row's loop, the common one, the last row's; and the rows'.
  CHECK(countOf(text, "scf.for ") == 4);
  CHECK(countOf(text, "math.exp") == 2);
  CHECK(countOf(text, "arith.divf") == 2);
  // The row's sum is kept for an iteration; the old strip is read before the
  // new one takes its place.
  CHECK_THAT(text, Catch::Contains("iter_args(%arg3 = "));
  size_t joined = text.find("scf.for", text.find("vector.reduction"));
  CHECK(text.find("arith.divf", joined) < text.find("math.exp", joined));
}

TEST_CASE("a row that the loop overwrites elsewhere is left alone", "[ir]") {
  CHECK(countOf(overlapped("%row[%c0]"), "math.exp") == 1);
}

TEST_CASE("loops of other bounds aren't joined", "[ir]") {
  CHECK(countOf(overlapped("%row[%j]", "%c128"), "math.exp") == 1);
}

TEST_CASE("a result that is read before isn't written later", "[ir]") {
  CHECK(countOf(overlapped("%row[%j]", "%c256", R"(
    %w = vector.transfer_read %y[%i, %c0], %pad {in_bounds = [true]}
        : memref<8x256xf32>, vector<32xf32>
    vector.transfer_write %w, %x[%i, %c0] {in_bounds = [true]}
        : vector<32xf32>, memref<8x256xf32>)"),
                "math.exp") == 1);
}

TEST_CASE("what else touches memory keeps its place", "[ir]") {
  CHECK(countOf(overlapped("%row[%j]", "%c256",
                           "memref.store %sum, %row[%c0] : memref<256xf32>"),
                "math.exp") == 1);
}
