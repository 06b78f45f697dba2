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
  IrWorkbench bench;
  REQUIRE(bench.import(payload).reason == "");
  CHECK(bench.passes(("func.func(lh-share-loops{" + options + "})").str())
            .reason == "");
  return bench.text();
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
