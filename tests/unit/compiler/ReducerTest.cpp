// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module gets smaller while something stays true of it.
#include "IrTest.h"

#include "compiler/session/PassList.h"
#include "steps/Reducer.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Contains;

static constexpr StringRef program = R"(
func.func private @unused(%x: f32) -> f32
func.func @main(%a: memref<8xf32>, %b: f32) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %b) -> f32 {
    %e = memref.load %a[%i] : memref<8xf32>
    %m = arith.mulf %e, %b {keep.not = 1 : i64} : f32
    %n = math.rsqrt %m : f32
    %t = arith.addf %s, %n : f32
    scf.yield %t : f32
  }
  %d = arith.addf %sum, %b : f32
  return %d, %c8 : f32, index
})";

namespace {

struct ReducerTest {
  ReducerTest() {
    CollectingSink sink;
    REQUIRE(succeeded(reducer.load(bench.write("in.mlir", program), sink)));
  }
  void reduce(StringRef needle, ReduceLimits limits = {}) {
    reducer.reduce([&] { return StringRef(reducer.text()).contains(needle); },
                   limits);
  }
  IrWorkbench bench;
  Reducer reducer{bench.session};
};

} // namespace

TEST_CASE_METHOD(ReducerTest, "only what matters is left, out of its loop",
                 "[reduce]") {
  REQUIRE(reducer.operationCount() == 13);
  reduce("math.rsqrt");
  // The function, the operation and the return.
  CHECK(reducer.operationCount() == 3);
  CHECK_THAT(reducer.text(), Contains("math.rsqrt %arg0 : f32"));
  CHECK_THAT(reducer.text(), Contains("(%arg0: f32) {"));
  CHECK(reducer.probeCount() > 3);
  CHECK(reducer.probeCount() < 100);
}

TEST_CASE_METHOD(ReducerTest, "a module of which nothing matters goes",
                 "[reduce]") {
  reduce("module");
  CHECK(reducer.operationCount() == 0);
}

TEST_CASE_METHOD(ReducerTest, "entries that are called keep their arguments",
                 "[reduce]") {
  ReduceLimits limits;
  limits.addsArguments = false;
  reduce("math.rsqrt", limits);
  CHECK_THAT(reducer.text(), Contains("%arg0: memref<8xf32>, %arg1: f32"));
  CHECK(reducer.operationCount() <= 4);
}

TEST_CASE_METHOD(ReducerTest, "of code that runs only what is unused goes",
                 "[reduce]") {
  ReduceLimits limits;
  limits.changesValues = false;
  reduce("math.rsqrt", limits);
  // The declaration; all else leads to what is returned.
  CHECK(reducer.operationCount() == 12);
  CHECK_THAT(reducer.text(), Contains("arith.mulf %"));
}

TEST_CASE_METHOD(ReducerTest, "attributes that no dialect defines go",
                 "[reduce]") {
  reduce("arith.mulf");
  CHECK(StringRef(reducer.text()).contains("arith.mulf"));
  CHECK_FALSE(StringRef(reducer.text()).contains("keep.not"));
}

TEST_CASE_METHOD(ReducerTest, "enough is enough", "[reduce]") {
  ReduceLimits limits;
  limits.isEnough = [] { return true; };
  reduce("math.rsqrt", limits);
  CHECK(reducer.operationCount() == 13);
  CHECK(reducer.probeCount() == 0);
}

TEST_CASE("passes are counted and left out wherever they are nested",
          "[reduce]") {
  PassList list("builtin.module(a,func.func(b{x=1,y={z=2}},c),d)");
  REQUIRE(list.size() == 4);
  CHECK(list.range(0, 2) == "builtin.module(a,func.func(b{x=1,y={z=2}}))");
  CHECK(list.range(3, 4) == "builtin.module(d)");
  CHECK(list.with({true, false, false, true}) == "builtin.module(a,d)");
}
