// lh-stream-results: whole lines of large results that nobody reads.
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
  IrWorkbench bench;
  REQUIRE(bench.import(payload).status == StepStatus::Passed);
  CHECK(bench.passes("func.func(lh-stream-results{least-bytes=4096})").reason ==
        "");
  return bench.text();
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
