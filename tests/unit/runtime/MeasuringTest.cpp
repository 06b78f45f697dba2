// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled code bound to its inputs, and the machine's own loops.
#include "BackendTestSupport.h"

#include "runtime/abi/CallSitter.h"
#include "runtime/cpu/Probes.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Matchers::Contains;

namespace {

constexpr StringRef doubled = R"(
func.func @main(%x: tensor<4xf32> {lh.name = "x"})
    -> (tensor<4xf32> {lh.name = "y"}) {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>)
                  outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})";
constexpr StringRef doubledDynamic = R"(
func.func @main(%x: tensor<?xf32> {lh.name = "x"})
    -> (tensor<?xf32> {lh.name = "y"}) {
  %zero = arith.constant 0 : index
  %d = tensor.dim %x, %zero : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>)
                  outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
})";

std::vector<NamedTensor> fourFloats(StringRef name,
                                    const std::vector<double> &values) {
  std::vector<NamedTensor> list;
  list.push_back(floats(name, {4}, values));
  return list;
}

} // namespace

TEST_CASE("bound code is called often and still gives the same", "[bench]") {
  for (StringRef text : {doubled, doubledDynamic}) {
    auto executable = load(text, lowerTensors());
    std::vector<NamedTensor> inputs = fourFloats("x", {1, 2, 3, 4});
    CollectingSink sink;
    auto call = executable->bind(inputs, {}, sink);
    REQUIRE(succeeded(call));
    CHECK((*call)->bytesRead() == 16);
    CHECK(succeeded((*call)->call(1000, sink)));
    CHECK(succeeded((*call)->check(fourFloats("y", {2, 4, 6, 8}), sink)));
    CHECK(only(sink) == "");
    CHECK(failed((*call)->check(fourFloats("y", {2, 4, 6, 9}), sink)));
    CHECK_THAT(only(sink), Contains("gives other results"));
  }
}

TEST_CASE("bound code that gives up fails with its reason", "[bench]") {
  auto executable = load(R"(
func.func @main(%x: tensor<4xf32> {lh.name = "x"})
    -> (tensor<4xf32> {lh.name = "y"}) {
  %zero = arith.constant 0 : index
  %limit = arith.constant 3.0 : f32
  %first = tensor.extract %x[%zero] : tensor<4xf32>
  %small = arith.cmpf olt, %first, %limit : f32
  cf.assert %small, "too large"
  return %x : tensor<4xf32>
})",
                         lowerTensors());
  std::vector<NamedTensor> inputs = fourFloats("x", {5, 2, 3, 4});
  CollectingSink sink;
  auto call = executable->bind(inputs, {}, sink);
  REQUIRE(succeeded(call));
  CHECK(failed((*call)->call(10, sink)));
  CHECK_THAT(only(sink), Contains("gave up: too large"));
}

TEST_CASE("a sitter says why its code can't be called", "[bench]") {
  auto executable = load(doubled, lowerTensors());
  std::vector<NamedTensor> inputs = fourFloats("x", {1, 2, 3, 4});
  std::vector<NamedTensor> right = fourFloats("y", {2, 4, 6, 8});
  auto sitter = makeCallSitter(*executable, inputs, right, {});
  CHECK(sitter->bytes() == 32);
  CHECK(sitter->call(3) == "");
  CHECK(sitter->finish() == "");
  std::vector<NamedTensor> wrong = fourFloats("y", {0, 4, 6, 8});
  CHECK_THAT(makeCallSitter(*executable, inputs, wrong, {})->finish(),
             Contains("gives other results"));
  std::vector<NamedTensor> other;
  other.push_back(floats("x", {3}, {1, 2, 3}));
  auto unbound = makeCallSitter(*executable, other, right, {});
  CHECK_THAT(unbound->call(1), Contains("shape"));
}

TEST_CASE("a type has the widest probe of the machine", "[bench]") {
  auto unitsOf = [](StringRef dtype, std::vector<std::string> features) {
    HostFacts host;
    host.features = std::move(features);
    std::string units;
    for (const ArithmeticProbe &probe : arithmeticProbes(dtype, host))
      units += probe.unit + "; ";
    return units;
  };
  CHECK(unitsOf("float32", {}) == "float32, 128 bits; ");
  CHECK(unitsOf("int8", {}) == "");
  CHECK(unitsOf("int32", {}) == "");
  CHECK(unitsOf("float16", {}) == "float32, 128 bits; ");
#ifdef __x86_64__
  CHECK(unitsOf("float32", {"avx512f", "fma"}) == "float32 FMA, AVX-512; ");
  CHECK(unitsOf("float64", {"fma"}) == "float64 FMA, AVX2; ");
  CHECK(unitsOf("uint8", {"avx512f", "avx512vnni"}) ==
        "int8 dot product, AVX-512; ");
  CHECK(unitsOf("bfloat16", {"avx512bf16", "avx512f"}) ==
        "bfloat16 dot product, AVX-512; float32 FMA, AVX-512; ");
#endif
}

TEST_CASE("every probe that this machine has can be called", "[bench]") {
  HostFacts host = detectHost();
  for (StringRef dtype : {"float32", "float64", "bfloat16", "int8"})
    for (const ArithmeticProbe &probe : arithmeticProbes(dtype, host)) {
      CHECK(probe.operations > 0);
      CHECK(makeArithmeticSitter(probe)->call(2) == "");
    }
}

TEST_CASE("a copy moves its footprint", "[bench]") {
  for (uint64_t footprint : {0, 4096, 100000, 5000000}) {
    auto sitter = makeCopySitter(footprint);
    CHECK(sitter->bytes() <= std::max<uint64_t>(footprint, 128));
    CHECK(sitter->bytes() + 128 > footprint);
    CHECK(sitter->call(3) == "");
  }
}
