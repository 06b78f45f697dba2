// lh-prefetch-inputs: the last loop over a large input asks for what is next.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

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
  IrWorkbench bench;
  REQUIRE(bench
              .import("func.func @main(%x: " + buffer + ", %y: " + buffer +
                      R"() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {)" +
                      loop + loop + "\n  }\n  return\n}")
              .status == StepStatus::Passed);
  CHECK(bench
            .passes("func.func(lh-prefetch-inputs{least-bytes=8192 "
                    "ahead=4096})")
            .reason == "");
  return bench.text();
}

TEST_CASE("a row's last loop prefetches the next row, line by line", "[ir]") {
  std::string text = prefetched("8");
  CHECK(countOf(text, "memref.prefetch") == 2);
  CHECK_THAT(text, Catch::Contains("arith.constant 768 : index"));
  CHECK_THAT(text, Catch::Contains("arith.constant 784 : index"));
  // Not in the first of the two loops.
  CHECK(text.find("memref.prefetch") > text.find("vector.transfer_write"));
}

TEST_CASE("small inputs and those of unknown size are left alone", "[ir]") {
  CHECK(countOf(prefetched("7"), "memref.prefetch") == 0);
  CHECK(countOf(prefetched("?"), "memref.prefetch") == 0);
}
