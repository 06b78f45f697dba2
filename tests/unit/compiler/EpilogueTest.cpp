// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-normalize-products (what products start from), lh-fuse-elementwise,
// lh-forward-masked.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A product onto `start`, then an elementwise op with `map` on the product.
static std::string product(StringRef start, StringRef map) {
  return ("#id = affine_map<(m, n) -> (m, n)>\n"
          "#map = affine_map<(m, n) -> " +
          map +
          ">\n"
          "func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: "
          "tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
          "  %zero = arith.constant 0.0 : f32\n"
          "  %empty = tensor.empty() : tensor<8x8xf32>\n"
          "  %zeros = linalg.fill ins(%zero : f32) outs(%empty : "
          "tensor<8x8xf32>) -> tensor<8x8xf32>\n"
          "  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = "
          "[\"parallel\", \"parallel\"]} ins(%a : tensor<8x8xf32>) "
          "outs(%empty : tensor<8x8xf32>) {\n"
          "  ^bb0(%p: f32, %q: f32):\n    %n = arith.negf %p : f32\n"
          "    linalg.yield %n : f32\n  } -> tensor<8x8xf32>\n"
          "  %y = linalg.matmul ins(%x, %b : tensor<8x8xf32>, "
          "tensor<8x8xf32>) outs(" +
          start +
          " : tensor<8x8xf32>) -> tensor<8x8xf32>\n"
          "  %z = linalg.generic {indexing_maps = [#map, #id], iterator_types "
          "= [\"parallel\", \"parallel\"]} ins(%y : tensor<8x8xf32>) "
          "outs(%empty : tensor<8x8xf32>) {\n"
          "  ^bb0(%p: f32, %q: f32):\n    %n = math.absf %p : f32\n"
          "    linalg.yield %n : f32\n  } -> tensor<8x8xf32>\n"
          "  return %z : tensor<8x8xf32>\n}")
      .str();
}

TEST_CASE("what a product adds to becomes an addition", "[ir]") {
  std::string text =
      after("lh-normalize-products{start=true}", product("%c", "(m, n)"));
  CHECK(countOf(text, "linalg.fill") == 2);
  CHECK(countOf(text, "arith.addf %") == 1);
  CHECK(
      after("lh-normalize-products{start=true}", product("%zeros", "(m, n)")) ==
      after("canonicalize{max-iterations=0}", product("%zeros", "(m, n)")));
}

/// A product that sums over two loops, k and l, with these dimensions on its
/// right.
static std::string sumOfTwo(StringRef right, StringRef rightType) {
  return ("func.func @main(%a: tensor<4x3x5xf32>, %b: " + rightType +
          ", %c: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
          "  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> "
          "(m, k, l)>, affine_map<(m, n, k, l) -> " +
          right +
          ">, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = "
          "[\"parallel\", \"parallel\", \"reduction\", \"reduction\"]} "
          "ins(%a, %b : tensor<4x3x5xf32>, " +
          rightType +
          ") outs(%c : tensor<4x8xf32>) {\n"
          "  ^bb0(%p: f32, %q: f32, %s: f32):\n"
          "    %t = arith.mulf %p, %q : f32\n"
          "    %u = arith.addf %s, %t : f32\n"
          "    linalg.yield %u : f32\n  } -> tensor<4x8xf32>\n"
          "  return %y : tensor<4x8xf32>\n}")
      .str();
}

TEST_CASE("a sum over loops side by side becomes one over one", "[ir]") {
  StringRef pass = "lh-normalize-products{sums=true}";
  std::string text = after(pass, sumOfTwo("(n, k, l)", "tensor<8x3x5xf32>"));
  CHECK(countOf(text, "tensor.collapse_shape") == 2);
  CHECK(countOf(text, "\"parallel\", \"parallel\", \"reduction\"]") == 1);
  for (auto [map, type] : {std::pair("(n, l, k)", "tensor<8x5x3xf32>"),
                           std::pair("(k, n, l)", "tensor<3x8x5xf32>")})
    CHECK(countOf(after(pass, sumOfTwo(map, type)), "tensor.collapse_shape") ==
          0);
}

TEST_CASE("no elementwise op is fused into a contraction", "[ir]") {
  // As a generic, upstream's pass would take the negation in.
  std::string generic = "linalg-generalize-named-ops, ";
  std::string text =
      after(generic + "lh-fuse-elementwise", product("%zeros", "(m, n)"));
  CHECK(countOf(text, "linalg.generic") ==
        countOf(after(generic + "cse", product("%zeros", "(m, n)")),
                "linalg.generic"));
}

/// What one op computes of `%x`, read by another by `map`.
static std::string chain(StringRef first, StringRef shape, StringRef map,
                         StringRef second) {
  std::string type = ("tensor<" + shape + "xf32>").str();
  std::string loops = "iterator_types = [\"parallel\", \"parallel\"]";
  return "#id = affine_map<(m, n) -> (m, n)>\n#map = affine_map<(m, n) -> " +
         map.str() + ">\nfunc.func @main(%x: " + type + ", %e: " + type +
         ", %r: tensor<8x4xf32>) -> tensor<8x4xf32> {\n" + "  %c = linalg." +
         first.str() + " ins(%x : " + type + ") outs(%e : " + type + ") -> " +
         type + "\n" + "  %y = linalg.generic {indexing_maps = [#map, #id], " +
         loops + "} ins(%c : " + type + ") outs(%r : tensor<8x4xf32>) {\n" +
         "  ^bb0(%p: f32, %q: f32):\n" + second.str() +
         "  } -> tensor<8x4xf32>\n  return %y : tensor<8x4xf32>\n}";
}

static size_t loopsOf(const std::string &module) {
  return countOf(
      after("linalg-generalize-named-ops, lh-fuse-elementwise", module),
      "= linalg.generic");
}

TEST_CASE("nothing is computed as often as it is read", "[ir]") {
  const std::string negated = "    %n = arith.negf %p : f32\n"
                              "    linalg.yield %n : f32\n";
  CHECK(loopsOf(chain("sqrt", "8x4", "(m, n)", negated)) == 1);
  CHECK(loopsOf(chain("sqrt", "4", "(n)", negated)) == 2);
  // To read it again costs no more.
  CHECK(loopsOf(chain("copy", "4", "(n)", negated)) == 1);
}

TEST_CASE("nothing is computed one by one for a transposition", "[ir]") {
  const std::string moved = "    linalg.yield %p : f32\n";
  CHECK(loopsOf(chain("sqrt", "4x8", "(n, m)", moved)) == 2);
  CHECK(loopsOf(chain("sqrt", "8x4", "(m, n)", moved)) == 1);
}

/// A row of sums written under `%m`, read under `mask` from column `from`.
static std::string maskedRow(StringRef mask, StringRef from) {
  return ("func.func @main(%v: vector<8xf32>, %n: index, %k: index, "
          "%t: tensor<?xf32>) -> vector<8xf32> {\n"
          "  %c0 = arith.constant 0 : index\n"
          "  %c1 = arith.constant 1 : index\n"
          "  %pad = arith.constant 2.0 : f32\n"
          "  %m = vector.create_mask %n : vector<8xi1>\n"
          "  %other = vector.create_mask %k : vector<8xi1>\n"
          "  %w = vector.transfer_write %v, %t[%c0], %m {in_bounds = [true]} "
          ": vector<8xf32>, tensor<?xf32>\n"
          "  %r = vector.transfer_read %w[" +
          from + "], %pad, " + mask +
          " {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>\n"
          "  return %r : vector<8xf32>\n}")
      .str();
}

TEST_CASE("what one mask wrote and reads stays in its register", "[ir]") {
  std::string passes = "lh-forward-masked, canonicalize";
  std::string text = after(passes, maskedRow("%m", "%c0"));
  CHECK(countOf(text, "vector.transfer") == 0);
  CHECK(countOf(text, "arith.select") == 1);
  // Another mask, or another place, reads what was there before.
  CHECK(countOf(after(passes, maskedRow("%other", "%c0")), "vector.transfer") ==
        2);
  CHECK(countOf(after(passes, maskedRow("%m", "%c1")), "vector.transfer") == 2);
}
