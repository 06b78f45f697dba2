// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for another machine, run under an emulator; skipped where there is none.
#include "BackendTestSupport.h"

#include "runtime/emulated/Emulation.h"
#include "runtime/emulated/Linker.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace lh;
using Catch::Matchers::Contains;

static Expression word(const char *text) {
  return {{Value(std::string(text))}, {"t.yaml", 1, 1, 1}};
}

static TargetSpec emulated() {
  TargetSpec target = hostTarget();
  target.name = "emulated";
  target.triple = "aarch64-unknown-linux-gnu";
  target.cpu = "generic";
  for (const char *text : {"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"})
    target.run.emulator.push_back(word(text));
  target.run.needs["qemu-user"] = "qemu-aarch64";
  return target;
}

static bool canEmulate() {
  std::string reason = whyNotEmulated(emulated(), testHost());
  if (!reason.empty())
    WARN("skipped: " << reason);
  return reason.empty();
}

static std::unique_ptr<Executable> emulate(StringRef text, StringRef passes) {
  CollectingSink sink;
  auto executable = compileText(text, passes, sink, emulated());
  INFO(only(sink));
  REQUIRE(succeeded(executable));
  REQUIRE(succeeded((*executable)->prepare(sink)));
  return std::move(*executable);
}

static FailureOr<RunOutput> runEmulated(Executable &executable,
                                        NamedTensor input, CollectingSink &sink,
                                        unsigned repeat = 0) {
  RunOptions options;
  options.where = SourceSpan{"m.yaml", 7, 3};
  options.repeat = repeat;
  std::vector<NamedTensor> inputs;
  inputs.push_back(std::move(input));
  return executable.run(inputs, options, sink);
}

static const char *const doubledRows = R"(
func.func @main(%x: tensor<?x2xf32> {lh.name = "x"})
    -> (tensor<?x2xf32> {lh.name = "y"}) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%d) : tensor<?x2xf32>
  %r = linalg.add ins(%x, %x : tensor<?x2xf32>, tensor<?x2xf32>)
    outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
})";

TEST_CASE("a runner returns results of any shape", "[runner]") {
  if (!canEmulate())
    return;
  auto executable = emulate(doubledRows, lowerTensors());
  for (int64_t rows : {3, 0}) {
    CollectingSink sink;
    std::vector<double> numbers(static_cast<size_t>(rows * 2), 1.5);
    auto output =
        runEmulated(*executable, floats("x", {rows, 2}, numbers), sink, 2);
    INFO(only(sink));
    REQUIRE(succeeded(output));
    CHECK(values(output->outputs[0].tensor) ==
          std::vector<double>(numbers.size(), 3.0));
    CHECK(output->leakedBytes == 0);
    CHECK(output->seconds.size() == 2);
  }
}

/// @main writes `store` to a buffer of its own, its input or its result.
static std::string writing(StringRef buffer, StringRef index) {
  return (R"(
module attributes {lh.abi = {main = {convention = "out-params",
    args = [{name = "x", type = "float32", memref = memref<4xf32>,
             role = "input"}],
    results = [{name = "y", type = "float32", memref = memref<4xf32>}]}}} {
  func.func @main(%x: memref<4xf32>, %y: memref<4xf32>)
      attributes {llvm.emit_c_interface} {
    %own = memref.alloc() : memref<4xf32>
    %i = arith.constant )" +
          index + R"( : index
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xf32>
    memref.store %v, %)" +
          buffer + R"([%i] : memref<4xf32>
    %w = memref.load %own[%c0] : memref<4xf32>
    memref.store %w, %y[%c0] : memref<4xf32>
    memref.dealloc %own : memref<4xf32>
    return
  }
})")
      .str();
}

TEST_CASE("a runner notices writes that code has no right to", "[runner]") {
  if (!canEmulate())
    return;
  auto complaint = [](StringRef buffer, StringRef index) {
    auto executable = emulate(writing(buffer, index), lowerMemRefs);
    CollectingSink sink;
    CHECK(
        failed(runEmulated(*executable, floats("x", {4}, {1, 2, 3, 4}), sink)));
    return only(sink);
  };
  CHECK_THAT(complaint("y", "5"),
             Contains("[backend-out-of-bounds] 'main' writes outside its "
                      "output 'y' of 16 bytes"));
  CHECK_THAT(complaint("own", "5"),
             Contains("[backend-out-of-bounds] 'main' writes outside a buffer "
                      "of 16 bytes that it allocated"));
  CHECK_THAT(complaint("x", "1"), Contains("[backend-input-written]"));
}

TEST_CASE("a runner's code leaves nothing unwritten", "[runner]") {
  if (!canEmulate())
    return;
  auto said = [](StringRef text, StringRef passes, std::vector<int64_t> shape) {
    auto executable = emulate(text, passes);
    RunOptions options;
    options.checksWritten = true;
    CollectingSink sink;
    std::vector<NamedTensor> inputs;
    inputs.push_back(floats("x", shape, {1, 2, 3, 4}));
    (void)executable->run(inputs, options, sink);
    return only(sink);
  };
  CHECK(said(doubledRows, lowerTensors(), {2, 2}) == "");
  // Elements 0, of the buffer's own, and 2 and 3.
  CHECK_THAT(said(writing("y", "1"), lowerMemRefs, {4}),
             Contains("[backend-unwritten] output 'y' is unwritten: 3 of 4 "
                      "elements, the first at [0], depend"));
}

TEST_CASE("an emulator is not measured", "[runner]") {
  if (!canEmulate())
    return;
  auto executable = emulate(doubledRows, lowerTensors());
  CollectingSink sink;
  CHECK(failed(executable->bind({}, SourceSpan{"m.yaml", 7, 3}, sink)));
  CHECK_THAT(only(sink), Contains("[backend-unavailable]") &&
                             Contains("runs under an emulator"));
}

TEST_CASE("what can't be linked is said in the linker's words", "[runner]") {
  if (findLinker().empty())
    return;
  CollectingSink sink;
  CHECK(
      failed(linkSharedLibrary("no object", SourceSpan{"m.yaml", 7, 3}, sink)));
  CHECK_THAT(only(sink), Contains("[backend-link-failed]"));
}

TEST_CASE("why code can't be emulated names what is missing", "[runner]") {
  HostFacts host = detectHost();
  TargetSpec target = emulated();
  target.run.needs = {{"no-such-package", "no-such-program"}};
  CHECK(whyNotEmulated(target, host) ==
        "there is no 'no-such-program' here; package no-such-package brings "
        "it");
  target.run.needs = {};
  host.programFolder = "/no/such/folder";
  if (!findLinker().empty())
    CHECK_THAT(whyNotEmulated(target, host),
               Contains("there is no '/no/such/folder/lh-runner-aarch64'") &&
                   Contains("package gcc-aarch64-linux-gnu"));
}

TEST_CASE("a runner stands in for no other features than the target says",
          "[runner]") {
  HostFacts host = detectHost();
  host.triple = "x86_64-unknown-linux-gnu";
  host.arch = "x86_64";
  host.absent = {"amx-int8", "amx-tile"};
  TargetSpec target;
  target.triple = host.triple;
  target.cpu = "x86-64-v3";
  target.features = {"amx-tile", "amx-int8"};
  CHECK_FALSE(isEmulated(target, host));
  target.run.emulates = {"amx-tile", "amx-int8"};
  CHECK(isEmulated(target, host));
  host.absent = {"amx-int8", "amx-tile", "avx2"};
  CHECK(whyNotEmulated(target, host) == "this CPU lacks 'avx2'");
  host.absent = {};
  CHECK_FALSE(isEmulated(target, host));
}

TEST_CASE("without a linker its package is named", "[runner]") {
  TargetSpec target = emulated();
  target.run.needs = {};
  std::string path = std::getenv("PATH");
  setenv("PATH", "/no/such/folder", 1);
  std::string reason = whyNotEmulated(target, detectHost());
  CollectingSink sink;
  bool linked = succeeded(
      linkSharedLibrary("no object", SourceSpan{"m.yaml", 7, 3}, sink));
  setenv("PATH", path.c_str(), 1);
  CHECK_THAT(reason, Contains("there is no 'ld.lld' here; package lld-"));
  CHECK_FALSE(linked);
  CHECK_THAT(only(sink), Contains("[backend-tool-not-found]"));
}

TEST_CASE("vectors are as long as the sweep says, else as declared",
          "[runner]") {
  TargetSpec target = emulated();
  CollectingSink sink;
  CHECK(declaredVectorBits(target).most == 0);
  target.facts["vscale_range"] = {Value(std::vector<int64_t>{1, 16}), {}};
  CHECK(declaredVectorBits(target).least == 128);
  CHECK(wantedVectorBits(target, {}, sink)->most == 2048);
  target.run.vectorBytes = {{Reference{Reference::Scope::Sweep, "vl", {}}},
                            {"t.yaml", 3, 3, 3}};
  auto wanted = wantedVectorBits(target, {{"vl", Value(int64_t{32})}}, sink);
  REQUIRE(succeeded(wanted));
  CHECK(wanted->least == 256);
  CHECK(wanted->most == 256);
  CHECK(failed(
      wantedVectorBits(target, {{"vl", Value(std::string("far"))}}, sink)));
  CHECK_THAT(only(sink), Contains("'vector_bytes' is not a number"));
}
