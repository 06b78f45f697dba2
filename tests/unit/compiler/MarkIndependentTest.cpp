// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-share-loops{mark=true}: loops on tensors whose iterations need nothing
// from each other.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// Whether a loop by 4 over the rows of `%x`, with `body` and `%t` carried, is
/// marked; it yields `%n`.
static bool isMarked(StringRef body) {
  std::string payload =
      ("func.func @main(%x: tensor<64x32xf32>, %b: i1) -> tensor<64x32xf32> {\n"
       "  %c0 = arith.constant 0 : index\n"
       "  %c1 = arith.constant 1 : index\n"
       "  %c4 = arith.constant 4 : index\n"
       "  %c64 = arith.constant 64 : index\n"
       "  %z = arith.constant 0.0 : f32\n"
       "  %zeros = arith.constant dense<0.0> : vector<4x32xf32>\n"
       "  %e = tensor.empty() : tensor<64x32xf32>\n"
       "  %scratch = tensor.empty() : tensor<4x32xf32>\n"
       "  %r = scf.for %i = %c0 to %c64 step %c4 iter_args(%t = %e)\n"
       "      -> tensor<64x32xf32> {\n" +
       body +
       "    scf.yield %n : tensor<64x32xf32>\n"
       "  }\n"
       "  return %r : tensor<64x32xf32>\n}")
          .str();
  return countOf(after("func.func(lh-share-loops{mark=true})", payload),
                 "lh.independent") != 0;
}

static const char *const rowRead =
    "%v = vector.transfer_read %x[%i, %c0], %z {in_bounds = [true, true]}\n"
    "    : tensor<64x32xf32>, vector<4x32xf32>\n";

TEST_CASE("a loop that writes rows of its own is marked", "[ir]") {
  CHECK(isMarked(
      std::string(rowRead) +
      "%n = vector.transfer_write %v, %t[%i, %c0] {in_bounds = [true, true]}\n"
      "    : vector<4x32xf32>, tensor<64x32xf32>\n"));
}

TEST_CASE("a loop is followed through loops and conditions", "[ir]") {
  CHECK(isMarked("%one = tensor.empty() : tensor<1x32xf32>\n"
                 "%n = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %t)\n"
                 "    -> tensor<64x32xf32> {\n"
                 "  %k = arith.addi %i, %j : index\n"
                 "  %m = scf.if %b -> tensor<64x32xf32> {\n"
                 "    %p = tensor.insert_slice %one into %s[%k, 0] [1, 32] "
                 "[1, 1] : tensor<1x32xf32> into tensor<64x32xf32>\n"
                 "    scf.yield %p : tensor<64x32xf32>\n"
                 "  } else {\n"
                 "    scf.yield %s : tensor<64x32xf32>\n"
                 "  }\n"
                 "  scf.yield %m : tensor<64x32xf32>\n"
                 "}\n"));
}

TEST_CASE("a loop whose iterations reach into each other is not marked",
          "[ir]") {
  // Five rows from every fourth on.
  CHECK(!isMarked("%v = vector.transfer_read %x[%i, %c0], %z\n"
                  "    : tensor<64x32xf32>, vector<5x32xf32>\n"
                  "%n = vector.transfer_write %v, %t[%i, %c0]\n"
                  "    : vector<5x32xf32>, tensor<64x32xf32>\n"));
  // The row before is another iteration's.
  CHECK(!isMarked(
      "%p = affine.apply affine_map<(d) -> (d - 1)>(%i)\n"
      "%v = vector.transfer_read %t[%p, %c0], %z {in_bounds = [true, true]}\n"
      "    : tensor<64x32xf32>, vector<4x32xf32>\n"
      "%n = vector.transfer_write %v, %t[%i, %c0] {in_bounds = [true, true]}\n"
      "    : vector<4x32xf32>, tensor<64x32xf32>\n"));
  // A sum.
  CHECK(!isMarked(
      std::string(rowRead) +
      "%u = vector.transfer_read %t[%c0, %c0], %z {in_bounds = [true, true]}\n"
      "    : tensor<64x32xf32>, vector<4x32xf32>\n"
      "%w = arith.addf %u, %v : vector<4x32xf32>\n"
      "%n = vector.transfer_write %w, %t[%c0, %c0] {in_bounds = [true, true]}\n"
      "    : vector<4x32xf32>, tensor<64x32xf32>\n"));
}

TEST_CASE("a loop that carries on another tensor is not marked", "[ir]") {
  CHECK(!isMarked("%n = arith.select %b, %t, %x : tensor<64x32xf32>\n"));
  CHECK(!isMarked("%n = scf.if %b -> tensor<64x32xf32> {\n"
                  "  scf.yield %t : tensor<64x32xf32>\n"
                  "} else {\n"
                  "  scf.yield %x : tensor<64x32xf32>\n"
                  "}\n"));
}

TEST_CASE("a loop that may give up is not marked", "[ir]") {
  CHECK(!isMarked(
      std::string(rowRead) +
      "cf.assert %b, \"no\"\n"
      "%n = vector.transfer_write %v, %t[%i, %c0] {in_bounds = [true, true]}\n"
      "    : vector<4x32xf32>, tensor<64x32xf32>\n"));
}

TEST_CASE("a loop may allocate for itself", "[ir]") {
  CHECK(isMarked("%own = bufferization.alloc_tensor() : tensor<4x32xf32>\n"
                 "%n = tensor.insert_slice %own into %t[%i, 0] [4, 32] [1, 1]\n"
                 "    : tensor<4x32xf32> into tensor<64x32xf32>\n"));
}
