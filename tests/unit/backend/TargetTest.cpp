// Targets as LLVM understands them.
#include "BackendTestSupport.h"

#include "backend/cpu/TargetMachine.h"

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
