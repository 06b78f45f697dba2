// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-lower-reshapes: what upstream's expand-strided-metadata crashes on,
// and what its fold-memref-alias-ops gets wrong or slow.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("several unknown sizes in one group become a reinterpret_cast",
          "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
func.func @f(%m: memref<?x64xi32>, %a: index, %b: index) -> memref<?x?x64xi32> {
  %0 = memref.expand_shape %m [[0, 1], [2]] output_shape [%a, %b, 64]
      : memref<?x64xi32> into memref<?x?x64xi32>
  return %0 : memref<?x?x64xi32>
})")
              .status == StepStatus::Passed);
  CHECK(bench.passes("lh-lower-reshapes").reason == "");
  CHECK(countOf(bench.text(), "memref.expand_shape") == 0);
  // The innermost stride is known; that of %a is 64 %b.
  CHECK(countOf(bench.text(), "offset: [0], sizes: [%arg1, %arg2, 64], "
                              "strides: [%0, 64, 1]") == 1);
  CHECK(countOf(bench.text(), "-> (s0 * 64)>") == 1);
  CHECK(bench.passes("expand-strided-metadata").reason == "");
}

TEST_CASE("strides and offset of a view are kept", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
!view = memref<?xf32, strided<[?], offset: ?>>
!wide = memref<?x2x?xf32, strided<[?, ?, ?], offset: ?>>
func.func @f(%m: !view, %a: index, %b: index) -> !wide {
  %0 = memref.expand_shape %m [[0, 1, 2]] output_shape [%a, 2, %b]
      : !view into !wide
  return %0 : !wide
})")
              .status == StepStatus::Passed);
  CHECK(bench.passes("lh-lower-reshapes,canonicalize").reason == "");
  CHECK(countOf(bench.text(), "memref.expand_shape") == 0);
  CHECK(countOf(bench.text(), "offset: [%offset], sizes: [%arg1, 2, %arg2]") ==
        1);
  CHECK(countOf(bench.text(), "affine.apply") == 2);
}

TEST_CASE("what was split is a view of known strides", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
func.func @f(%m: memref<8x64xf32>) -> memref<8x8x8xf32> {
  %0 = memref.expand_shape %m [[0], [1, 2]] output_shape [8, 8, 8]
      : memref<8x64xf32> into memref<8x8x8xf32>
  return %0 : memref<8x8x8xf32>
})")
              .status == StepStatus::Passed);
  CHECK(bench.passes("lh-lower-reshapes").reason == "");
  CHECK(countOf(bench.text(), "offset: [0], sizes: [8, 8, 8], strides: [64, 8, "
                              "1]") == 1);
}

TEST_CASE("a matrix is read from what was split", "[ir]") {
  // In the source its rows would be 64 apart in place of 8.
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
func.func @f(%m: memref<8x64xf32>, %i: index, %v: f32) -> vector<4x8xf32> {
  %c0 = arith.constant 0 : index
  %e = memref.expand_shape %m [[0], [1, 2]] output_shape [8, 8, 8]
      : memref<8x64xf32> into memref<8x8x8xf32>
  %s = memref.subview %e[%i, 0, 0] [1, 8, 8] [1, 1, 1]
      : memref<8x8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  %r = vector.transfer_read %s[%c0, %c0], %v {in_bounds = [true, true]}
      : memref<8x8xf32, strided<[8, 1], offset: ?>>, vector<4x8xf32>
  return %r : vector<4x8xf32>
})")
              .status == StepStatus::Passed);
  CHECK(bench.passes("lh-lower-reshapes,fold-memref-alias-ops").reason == "");
  CHECK(countOf(bench.text(), ": memref<8x8x8xf32>, vector<4x8xf32>") == 1);
}

TEST_CASE("one number is split into sizes of one", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
func.func @f(%m: memref<f32>) -> memref<1x1xf32> {
  %0 = memref.expand_shape %m [] output_shape [1, 1]
      : memref<f32> into memref<1x1xf32>
  return %0 : memref<1x1xf32>
})")
              .status == StepStatus::Passed);
  CHECK(bench.passes("lh-lower-reshapes").reason == "");
  CHECK(countOf(bench.text(), "sizes: [1, 1], strides: [1, 1]") == 1);
}

TEST_CASE("a collapsed view of known sizes is read without divisions", "[ir]") {
  std::string text = after("lh-lower-reshapes,fold-memref-alias-ops", R"(
!wide = memref<3x6x8xf32, strided<[100, 8, 1], offset: 7>>
!flat = memref<3x48xf32, strided<[100, 1], offset: 7>>
func.func @f(%m: !wide, %i: index) -> f32 {
  %c1 = arith.constant 1 : index
  %0 = memref.collapse_shape %m [[0], [1, 2]] : !wide into !flat
  %1 = memref.load %0[%c1, %i] : !flat
  return %1 : f32
})");
  CHECK(countOf(text, "collapse_shape") == 0);
  CHECK(countOf(text, "delinearize") == 0);
  CHECK(countOf(text, "sizes: [3, 48], strides: [100, 1]") == 1);
}

TEST_CASE("a collapsed view of unknown size is left alone", "[ir]") {
  CHECK(countOf(after("lh-lower-reshapes", R"(
func.func @f(%m: memref<?x6xf32>) -> memref<?xf32> {
  %0 = memref.collapse_shape %m [[0, 1]] : memref<?x6xf32> into memref<?xf32>
  return %0 : memref<?xf32>
})"),
                "memref.collapse_shape") == 1);
}
