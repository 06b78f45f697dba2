// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that shares loops between threads.
#include "BackendTestSupport.h"

#include "core/graph/Evaluate.h"
#include "runtime/cpu/ThreadRuntime.h"

#include <catch2/catch.hpp>

using namespace lh;

/// y[i] = 2 x[i], through a buffer that each iteration has for itself.
static const char *const doubledInParallel = R"(
func.func @main(%x: memref<64x512xf32> {lh.name = "x"})
    -> (memref<64x512xf32> {lh.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %y = memref.alloc() {alignment = 64 : i64} : memref<64x512xf32>
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %row = memref.alloc() {alignment = 64 : i64} : memref<512xf32>
    scf.for %j = %c0 to %c512 step %c1 {
      %v = memref.load %x[%i, %j] : memref<64x512xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %row[%j] : memref<512xf32>
    }
    scf.for %j = %c0 to %c512 step %c1 {
      %v = memref.load %row[%j] : memref<512xf32>
      memref.store %v, %y[%i, %j] : memref<64x512xf32>
    }
    memref.dealloc %row : memref<512xf32>
  }
  return %y : memref<64x512xf32>
})";

static const char *const onTwoThreads =
    "lh-entry-abi, convert-scf-to-openmp{num-threads=2}, canonicalize,"
    "func.func(lh-plan-memory), convert-scf-to-cf, finalize-memref-to-llvm,"
    "convert-arith-to-llvm, convert-func-to-llvm, convert-cf-to-llvm,"
    "convert-openmp-to-llvm, reconcile-unrealized-casts";

TEST_CASE("threads share a loop, and allocate in the first call alone",
          "[threads]") {
  if (!openThreadRuntime().empty())
    return; // The package is missing: `targets` are skipped for it.
  auto executable = load(doubledInParallel, onTwoThreads);
  std::vector<double> numbers;
  for (int i = 0; i < 64 * 512; ++i)
    numbers.push_back(i % 1000);
  std::vector<NamedTensor> inputs;
  inputs.push_back(floats("x", {64, 512}, numbers));
  CollectingSink sink;
  auto output = executable->run(inputs, {20, {}}, sink);
  REQUIRE(succeeded(output));
  CHECK(only(sink) == "");
  CHECK(output->leakedBytes == 0);
  CHECK(output->freshBlocks == 0);
  for (double &number : numbers)
    number *= 2;
  CHECK(values(output->outputs[0].tensor) == numbers);
}

TEST_CASE("a target has one thread unless its facts say otherwise",
          "[threads]") {
  TargetSpec target = hostTarget();
  CHECK(threadsOf(target) == 1);
  target.facts["threads"] = {int64_t(3), {}};
  CHECK(threadsOf(target) == 3);
}
