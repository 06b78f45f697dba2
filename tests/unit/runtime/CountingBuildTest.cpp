// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that counts what it computes.
#include "BackendTestSupport.h"

#include "compiler/session/MlirSession.h"
#include "runtime/Backends.h"
#include "runtime/abi/CompiledCode.h"
#include "runtime/cpu/ThreadRuntime.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;

static const SourceSpan place{"m.yaml", 3, 5};

/// What one call of `text` on `x` computes, from code that went through bytes,
/// as it does in the cache.
static ArithmeticCount countOf(StringRef text, StringRef passes,
                               NamedTensor x) {
  LoweredModule lowered(text, passes);
  BackendRegistry backends = makeBackends(testHost());
  const Backend &cpu = *backends.find("cpu");
  CollectingSink sink;
  auto code = cpu.generate(lowered.module(), hostTarget(), "main",
                           {.counts = true}, place, sink);
  INFO(only(sink));
  REQUIRE(succeeded(code));
  auto kept = decodeCode(encodeCode(*code, lowered.module(), {}), "main",
                         *lowered.module().getContext(), {}, place, sink);
  REQUIRE(succeeded(kept));
  auto executable = cpu.load(std::move(*kept), hostTarget(), place, sink);
  REQUIRE(succeeded(executable));
  REQUIRE(succeeded((*executable)->prepare(sink)));
  std::vector<NamedTensor> inputs;
  inputs.push_back(std::move(x));
  auto count = (*executable)->countArithmetic(inputs, place, sink);
  REQUIRE(succeeded(count));
  CHECK(only(sink) == "");
  REQUIRE(count->has_value());
  return **count;
}

/// %x's elements from 0 to `last`, in order: each sum waits for the one before.
static std::string sumTo(StringRef last) {
  return ("func.func @main(%x: memref<?xf32>) -> memref<1xf32> {\n"
          "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
          "%zero = arith.constant 0.0 : f32\n" +
          last +
          "\n%s = scf.for %i = %c0 to %last step %c1 iter_args(%a = %zero) -> "
          "f32 {\n%v = memref.load %x[%i] : memref<?xf32>\n"
          "%b = arith.addf %a, %v : f32\nscf.yield %b : f32\n}\n"
          "%y = memref.alloc() : memref<1xf32>\n"
          "memref.store %s, %y[%c0] : memref<1xf32>\n"
          "return %y : memref<1xf32>\n}")
      .str();
}

static std::string lowerLoops() {
  return std::string("lh-entry-abi,") + lowerMemRefs;
}

TEST_CASE("the libraries that code calls come back from bytes", "[runtime]") {
  LoweredModule lowered(sumTo("%last = arith.constant 3 : index"),
                        lowerLoops());
  BackendRegistry backends = makeBackends(testHost());
  CollectingSink sink;
  auto code = backends.find("cpu")->generate(
      lowered.module(), hostTarget(), "main", {.counts = true}, place, sink);
  REQUIRE(succeeded(code));
  code->libraries = {{"/lib/a b.so", "", {"f", "g"}},
                     {"",
                      std::string("\x7f"
                                  "ELF\n\0",
                                  6),
                      {"h"}}};
  auto kept = decodeCode(encodeCode(*code, lowered.module(), {}), "main",
                         *lowered.module().getContext(), {}, place, sink);
  REQUIRE(succeeded(kept));
  REQUIRE(kept->libraries.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(kept->libraries[i].path == code->libraries[i].path);
    CHECK(kept->libraries[i].bytes == code->libraries[i].bytes);
    CHECK(kept->libraries[i].functions == code->libraries[i].functions);
  }
  CHECK(kept->object == code->object);
  CHECK(kept->countingObject == code->countingObject);
}

TEST_CASE("what runs is counted, as often as it runs", "[count]") {
  auto x = [] { return floats("x", {100}, std::vector<double>(100, 7)); };
  ArithmeticCount all = countOf(
      sumTo("%last = memref.dim %x, %c0 : memref<?xf32>"), lowerLoops(), x());
  CHECK(all.operations == 100);
  CHECK(all.vectorised == 0);
  // As many as the first element says: seven, and its conversion.
  ArithmeticCount some =
      countOf(sumTo("%f = memref.load %x[%c0] : memref<?xf32>\n"
                    "%n = arith.fptosi %f : f32 to i64\n"
                    "%last = arith.index_cast %n : i64 to index"),
              lowerLoops(), x());
  CHECK(some.operations == 8);
}

TEST_CASE("vectors and single elements are told apart", "[count]") {
  ArithmeticCount count =
      countOf(R"(
func.func @main(%x: memref<64xf32>) -> memref<64xf32> {
  %c0 = arith.constant 0 : index
  %y = memref.alloc() : memref<64xf32>
  %v = vector.load %x[%c0] : memref<64xf32>, vector<64xf32>
  %w = arith.mulf %v, %v : vector<64xf32>
  vector.store %w, %y[%c0] : memref<64xf32>, vector<64xf32>
  %a = memref.load %x[%c0] : memref<64xf32>
  %b = math.exp %a : f32
  memref.store %b, %y[%c0] : memref<64xf32>
  return %y : memref<64xf32>
})",
              std::string("convert-vector-to-llvm,") + lowerLoops(),
              floats("x", {64}, std::vector<double>(64)));
  CHECK(count.operations == 65);
  CHECK(count.vectorised == 64);
}

TEST_CASE("what threads do is counted once each", "[count]") {
  if (!openThreadRuntime().empty())
    return; // The package is missing: `targets` are skipped for it.
  ArithmeticCount count =
      countOf(R"(
func.func @main(%x: memref<64x512xf32>) -> memref<64x512xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %y = memref.alloc() : memref<64x512xf32>
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    scf.for %j = %c0 to %c512 step %c1 {
      %v = memref.load %x[%i, %j] : memref<64x512xf32>
      %w = arith.mulf %v, %v : f32
      %u = math.exp %w : f32
      memref.store %u, %y[%i, %j] : memref<64x512xf32>
    }
  }
  return %y : memref<64x512xf32>
})",
              "lh-entry-abi,"
              "convert-scf-to-openmp{num-threads=2},canonicalize,"
              "convert-scf-to-cf,convert-math-to-llvm,"
              "finalize-memref-to-llvm,"
              "convert-arith-to-llvm,convert-func-to-llvm,"
              "convert-cf-to-llvm,convert-openmp-to-llvm,"
              "reconcile-unrealized-casts",
              floats("x", {64, 512}, std::vector<double>(64 * 512)));
  CHECK(count.operations == 2 * 64 * 512);
  CHECK(count.unknownCalls.empty());
}

TEST_CASE("calls of unknown code are counted", "[count]") {
  ArithmeticCount count =
      countOf(R"(
llvm.func @modff(f32, !llvm.ptr) -> f32
func.func @main(%x: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i64
  %whole = llvm.alloca %one x f32 : (i64) -> !llvm.ptr
  %y = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %x[%i] : memref<4xf32>
    %w = llvm.call @modff(%v, %whole) : (f32, !llvm.ptr) -> f32
    memref.store %w, %y[%i] : memref<4xf32>
  }
  return %y : memref<4xf32>
})",
              lowerLoops(), floats("x", {4}, {1.5, 2, 3.25, 4}));
  CHECK(count.operations == 0);
  CHECK(count.unknownCalls == std::map<std::string, uint64_t>{{"modff", 4}});
}

TEST_CASE("code has no counters unless they are asked for", "[count]") {
  auto executable =
      load(sumTo("%last = memref.dim %x, %c0 : memref<?xf32>"), lowerLoops());
  std::vector<NamedTensor> inputs;
  inputs.push_back(floats("x", {1}, {1}));
  CollectingSink sink;
  auto count = executable->countArithmetic(inputs, place, sink);
  REQUIRE(succeeded(count));
  CHECK_FALSE(count->has_value());
}
