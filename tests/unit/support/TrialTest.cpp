// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that ends in each way.
#include "core/support/Trial.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace lh;

static constexpr TrialLimits small = {uint64_t(64) << 20, 1};

TEST_CASE("a trial that comes to its end leaves nothing", "[trial]") {
  int made = 0;
  CHECK(endOfTrial([&] { made = 1; }, small) == "");
  CHECK(made == 0);
}

TEST_CASE("what ends a trial is told", "[trial]") {
  CHECK(endOfTrial([] { std::abort(); }, small) == "aborts");
  CHECK(endOfTrial([] { raise(SIGSEGV); }, small) ==
        "crashes (Segmentation fault)");
  CHECK(endOfTrial([] { _exit(3); }, small) == "gives up");
  CHECK(endOfTrial([] { std::exit(0); }, small) == "gives up");
  CHECK(endOfTrial([] { raise(SIGXCPU); }, small) ==
        "takes more than 1 s or 64 MiB");
}

TEST_CASE("a trial gets no more memory than it may have", "[trial]") {
  auto take = [](size_t megabytes) {
    void *memory = std::malloc(megabytes << 20);
    if (!memory)
      std::abort();
    std::memset(memory, 1, megabytes << 20);
  };
  CHECK(endOfTrial([&] { take(16); }, small) == "");
  CHECK(endOfTrial([&] { take(128); }, small) == "aborts");
}

TEST_CASE("a trial that never ends is ended", "[trial]") {
  volatile bool goes = true;
  CHECK(endOfTrial(
            [&] {
              while (goes) {
              }
            },
            small) == "takes more than 1 s or 64 MiB");
}
