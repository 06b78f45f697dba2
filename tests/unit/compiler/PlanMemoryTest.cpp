// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-plan-memory: what is in use together lies apart, the rest may share.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string planned(StringRef body, StringRef more = "") {
  std::string payload = ("func.func private @use(memref<100xf32>)\n"
                         "func.func @main(%n: index) {\n"
                         "  %c0 = arith.constant 0 : index\n"
                         "  %c1 = arith.constant 1 : index\n" +
                         body + "  return\n}\n" + more)
                            .str();
  return after("func.func(lh-plan-memory)", payload);
}

/// Allocates, uses and frees a buffer.
static std::string buffer(StringRef name) {
  return ("  " + name +
          " = memref.alloc() : memref<100xf32>\n  func.call @use(" + name +
          ") : (memref<100xf32>) -> ()\n  memref.dealloc " + name +
          " : memref<100xf32>\n")
      .str();
}

TEST_CASE("buffers of a loop live within it", "[ir]") {
  std::string text =
      planned(buffer("%a") + "  scf.for %i = %c0 to %n step %c1 {\n" +
              buffer("%b") + buffer("%c") + "  }\n" + buffer("%d"));
  CHECK(countOf(text, "memref.alloc") == 1);
  CHECK_THAT(text, Catch::Contains("array<i64: 4, 1600>} : memref<400xi8>"));
}

TEST_CASE("a buffer used in a loop is in use for all of it", "[ir]") {
  std::string text =
      planned("  %a = memref.alloc() : memref<100xf32>\n"
              "  scf.for %i = %c0 to %n step %c1 {\n" +
              buffer("%b") +
              "    func.call @use(%a) : (memref<100xf32>) -> ()\n"
              "  }\n  memref.dealloc %a : memref<100xf32>\n");
  CHECK_THAT(text, Catch::Contains("array<i64: 2, 800>} : memref<848xi8>"));
}

TEST_CASE("what threads keep for themselves is theirs", "[ir]") {
  std::string text =
      planned("  scf.parallel (%i) = (%c0) to (%n) step (%c1) {\n" +
              buffer("%b") + buffer("%c") + "  }\n" + buffer("%d"));
  CHECK(countOf(text, "memref.alloc()") == 2);
  CHECK_THAT(text, Catch::Contains("array<i64: 1, 400>} : memref<400xi8>"));
  CHECK_THAT(text, Catch::Contains("array<i64: 2, 800>} : memref<400xi8>"));
}

TEST_CASE("what is returned or of unknown size stays as it is", "[ir]") {
  std::string text = planned("  %a = memref.alloc(%n) : memref<?xf32>\n"
                             "  memref.dealloc %a : memref<?xf32>\n",
                             "func.func @other() -> memref<4xf32> {\n"
                             "  %b = memref.alloc() : memref<4xf32>\n  return "
                             "%b : memref<4xf32>\n}\n");
  CHECK(countOf(text, "lh.buffers") == 0);
  CHECK(countOf(text, "memref.alloc") == 2);
}

/// Two buffers, each of which `uses` has in use at another time; both are freed
/// at the end.
static std::string freedLate(StringRef uses) {
  return planned(("  scf.for %i = %c0 to %n step %c1 {\n"
                  "    %a = memref.alloc() : memref<100xf32>\n"
                  "    %b = memref.alloc() : memref<100xf32>\n" +
                  uses +
                  "    memref.dealloc %a : memref<100xf32>\n"
                  "    memref.dealloc %b : memref<100xf32>\n  }\n")
                     .str());
}

TEST_CASE("a buffer is in use until its last use, wherever it is freed",
          "[ir]") {
  std::string text =
      freedLate("    func.call @use(%a) : (memref<100xf32>) -> ()\n"
                "    func.call @use(%b) : (memref<100xf32>) -> ()\n");
  CHECK_THAT(text, Catch::Contains("array<i64: 2, 800>} : memref<400xi8>"));
}

TEST_CASE("what is made of a buffer keeps it in use", "[ir]") {
  std::string view =
      freedLate("    %v = memref.cast %a : memref<100xf32> to memref<?xf32>\n"
                "    func.call @use(%b) : (memref<100xf32>) -> ()\n"
                "    %x = memref.load %v[%i] : memref<?xf32>\n"
                "    memref.store %x, %v[%i] : memref<?xf32>\n");
  CHECK_THAT(view, Catch::Contains("array<i64: 2, 800>} : memref<848xi8>"));
  std::string address =
      freedLate("    %p = memref.extract_aligned_pointer_as_index %a : "
                "memref<100xf32> -> index\n"
                "    func.call @use(%b) : (memref<100xf32>) -> ()\n");
  CHECK_THAT(address, Catch::Contains("array<i64: 2, 800>} : memref<848xi8>"));
}
