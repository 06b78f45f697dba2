// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets as LLVM understands them.
#include "BackendTestSupport.h"

#include "runtime/Backends.h"
#include "runtime/abi/ArmFeatures.h"
#include "runtime/cpu/TargetMachine.h"

#include "llvm/Target/TargetMachine.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Matchers::Contains;

static HostFacts plainHost() {
  HostFacts host = detectHost();
  host.cpu = "x86-64";
  return host;
}

TEST_CASE("the host is detected", "[target]") {
  HostFacts host = detectHost();
  CHECK_FALSE(host.arch.empty());
  CHECK_FALSE(host.cpu.empty());
  CHECK(host.cores >= 1);
  CHECK(host.vectorBits >= 128);
  CHECK_FALSE(host.has("no-such-feature"));
}

TEST_CASE("cpu 'host' always runs here", "[target]") {
  CHECK(missingOnHost(hostTarget(), detectHost()) == "");
}

TEST_CASE("another architecture can't run here, and why", "[target]") {
  HostFacts host = detectHost();
  TargetSpec target = hostTarget();
  bool arm = host.arch == "aarch64";
  target.triple = arm ? "x86_64-linux-gnu" : "aarch64-linux-gnu";
  target.cpu = arm ? "x86-64" : "generic";
  CHECK_THAT(missingOnHost(target, host),
             Contains("this machine is " + host.arch));
}

TEST_CASE("features that the CPU lacks are named", "[target]") {
  HostFacts host = detectHost();
  if (host.arch != "x86_64")
    return;
  TargetSpec target = hostTarget();
  target.cpu = "x86-64";
  CHECK(missingOnHost(target, host) == "");
  // From AMD's Bulldozers; on no CPU made since 2017, and nothing implies it.
  target.features = {"+tbm"};
  CHECK(missingOnHost(target, host) == "this CPU lacks 'tbm'");
}

TEST_CASE("what a CPU has for operating systems alone is not asked for",
          "[target]") {
  HostFacts host = detectHost();
  if (host.arch != "x86_64" || host.has("sgx"))
    return;
  TargetSpec target = hostTarget();
  target.features = {"+sgx"};
  CHECK(missingOnHost(target, host) == "this CPU lacks 'sgx'");
  target.features = {};
  target.cpu = "icelake-client"; // has sgx
  CHECK_THAT(missingOnHost(target, host), !Contains("sgx"));
}

TEST_CASE("names that LLVM doesn't know are errors in the target's file",
          "[target]") {
  TargetSpec target = hostTarget();
  target.triple = "x86_64-linux-gnu";
  target.cpu = "skylake-avx521";
  target.features = {"avx2", "+avx512ff"};
  CollectingSink sink;
  CHECK(failed(makeTargetMachine(target, plainHost(), sink)));
  REQUIRE(sink.diagnostics().size() == 2);
  CHECK(sink.diagnostics()[0].where.file == "host.yaml");
  CHECK_THAT(only(sink), Contains("[backend-bad-target]") &&
                             Contains("did you mean 'skylake-avx512'?") &&
                             Contains("'+avx512ff'"));
}

TEST_CASE("a triple that LLVM doesn't know is an error", "[target]") {
  TargetSpec target = hostTarget();
  target.triple = "pdp11-unix";
  CollectingSink sink;
  CHECK(failed(makeTargetMachine(target, plainHost(), sink)));
  CHECK_THAT(only(sink), Contains("no triple 'pdp11-unix'"));
}

TEST_CASE("a backend that doesn't exist is an error with a hint", "[target]") {
  TargetSpec target = hostTarget();
  target.backend = "cpuu";
  BackendRegistry backends = makeBackends(detectHost());
  CollectingSink sink;
  CHECK(failed(backends.get(target, sink)));
  CHECK_THAT(only(sink), Contains("did you mean 'cpu'?"));
  CHECK_THAT(backends.unavailableReason(target), Contains("no backend 'cpuu'"));
}

constexpr uint64_t fp16Capability = 1 << 10, sveCapability = 1 << 22;

/// An AArch64 machine whose scalable vectors have `bits`; 0: without.
static HostFacts armHost(int64_t bits) {
  HostFacts host = detectHost();
  host.arch = "aarch64";
  host.triple = "aarch64-unknown-linux-gnu";
  host.cpu = "generic";
  CpuFeatures features =
      armFeatures(1 << 1 | fp16Capability | (bits > 0 ? sveCapability : 0), 0);
  host.features = features.present;
  host.absent = features.absent;
  host.scalableVectorBits = bits;
  return host;
}

/// Code for vectors of 128 bits times `least` to `most`, and an emulator that
/// nobody has.
static TargetSpec sveTarget(int64_t least, int64_t most) {
  TargetSpec target;
  target.name = "sve";
  target.backend = "cpu";
  target.triple = "aarch64-unknown-linux-gnu";
  target.cpu = "generic";
  target.features = {"sve", "fullfp16"};
  target.facts["vscale_range"] = {Value(std::vector<int64_t>{least, most}), {}};
  target.run.nativeOn = "aarch64";
  target.run.emulator.push_back(
      {{Value(std::string("no-such-emulator"))}, {"t.yaml", 1, 1, 1}});
  target.run.needs["no-such-package"] = "no-such-emulator";
  return target;
}

static std::string whyNot(const TargetSpec &target, const HostFacts &host) {
  return makeBackends(host).unavailableReason(target);
}

TEST_CASE("Linux's words name what an Arm CPU has and lacks", "[target]") {
  CpuFeatures features = armFeatures(sveCapability, 1 << 13);
  CHECK(features.present == std::vector<std::string>{"i8mm", "sve"});
  CHECK(std::count(features.absent.begin(), features.absent.end(), "bf16"));
  CHECK(std::count(features.absent.begin(), features.absent.end(), "sve2"));
  CHECK_FALSE(
      std::count(features.absent.begin(), features.absent.end(), "sve"));
}

TEST_CASE("an Arm machine runs SVE code itself, others need the emulator",
          "[target]") {
  CHECK(whyNot(sveTarget(1, 16), armHost(256)) == "");
  HostFacts other = armHost(256);
  other.arch = "x86_64";
  other.triple = "x86_64-linux-gnu";
  CHECK_THAT(whyNot(sveTarget(1, 16), other),
             Contains("there is no 'no-such-emulator' here"));
}

TEST_CASE("what an Arm machine lacks is said, not emulated", "[target]") {
  CHECK(whyNot(sveTarget(1, 16), armHost(0)) == "this CPU lacks 'sve'");
  TargetSpec target = sveTarget(1, 16);
  target.features.push_back("i8mm");
  CHECK(whyNot(target, armHost(128)) == "this CPU lacks 'i8mm'");
  target = sveTarget(1, 16);
  target.cpu = "neoverse-v1"; // has bf16 by its name
  CHECK_THAT(whyNot(target, armHost(256)), Contains("'bf16'"));
}

TEST_CASE("an Arm machine with other vectors is not given the code",
          "[target]") {
  CHECK(whyNot(sveTarget(2, 2), armHost(256)) == "");
  CHECK(whyNot(sveTarget(2, 2), armHost(128)) ==
        "this machine's scalable vectors have 128 bits, the target's "
        "code is for 256");
  CHECK(whyNot(sveTarget(2, 4), armHost(1024)) ==
        "this machine's scalable vectors have 1024 bits, the target's "
        "code is for 256 to 512");
}
