// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes that call when they are told to.
#include "core/bench/Seat.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <unistd.h>

using namespace lh;

namespace {

/// Fails or dies at a given call; otherwise counts.
class Counter : public Sitter {
public:
  explicit Counter(int &calls, int failsAt = -1, int diesAt = -1)
      : calls(calls), failsAt(failsAt), diesAt(diesAt) {}

  std::string call(uint64_t count) override {
    for (uint64_t i = 0; i < count; ++i) {
      if (calls == failsAt)
        return "no more";
      if (calls == diesAt)
        raise(SIGKILL);
      ++calls;
    }
    return "";
  }
  std::string finish() override {
    return calls == 6 ? "" : std::to_string(calls) + " calls";
  }
  uint64_t bytes() const override { return static_cast<uint64_t>(calls); }

private:
  int &calls;
  int failsAt, diesAt;
};

} // namespace

TEST_CASE("a seat's process is a copy that calls when told to", "[bench]") {
  int calls = 1;
  Seat seat;
  REQUIRE(seat.isOpen());
  REQUIRE(seat.take(-1, [&] { return std::make_unique<Counter>(calls); }));
  calls = 100; // the copy doesn't see it
  REQUIRE(seat.begin());
  CHECK(seat.bytes() == 1);
  std::optional<Lap> lap = seat.lap(2, 3);
  REQUIRE(lap);
  CHECK(lap->calls == 3);
  CHECK(lap->wallSeconds > 0);
  CHECK(seat.finish().empty());
  CHECK(calls == 100);
}

TEST_CASE("a seat says what is wrong in the end", "[bench]") {
  int calls = 0;
  Seat seat;
  REQUIRE(seat.take(-1, [&] { return std::make_unique<Counter>(calls); }));
  REQUIRE(seat.begin());
  REQUIRE(seat.lap(0, 4));
  CHECK(seat.finish() == "4 calls");
}

TEST_CASE("a sitter's failure is its seat's", "[bench]") {
  int calls = 0;
  Seat seat;
  REQUIRE(seat.take(-1, [&] { return std::make_unique<Counter>(calls, 2); }));
  REQUIRE(seat.begin());
  CHECK_FALSE(seat.lap(1, 3));
  CHECK(seat.failure() == "no more");
  CHECK_FALSE(seat.lap(1, 1));
}

TEST_CASE("a process that dies is told of", "[bench]") {
  int calls = 0;
  Seat seat;
  REQUIRE(
      seat.take(-1, [&] { return std::make_unique<Counter>(calls, -1, 2); }));
  REQUIRE(seat.begin());
  CHECK_FALSE(seat.lap(0, 3));
  CHECK_THAT(seat.failure(), Catch::Contains("signal 9"));
}

TEST_CASE("a seat that nobody took has no process", "[bench]") {
  Seat seat;
  CHECK_FALSE(seat.begin());
  CHECK_THAT(seat.failure(), Catch::Contains("no process"));
}

TEST_CASE("waiting ends when an interruption comes", "[bench]") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  int calls = 0;
  Seat seat;
  REQUIRE(seat.take(-1, [&] { return std::make_unique<Counter>(calls); }));
  REQUIRE(seat.begin());
  REQUIRE(write(ends[1], "x", 1) == 1);
  seat.setPatience(ends[0], 0);
  // Far more calls than end before it looks.
  CHECK_FALSE(seat.lap(0, uint64_t{1} << 60));
  CHECK_THAT(seat.failure(), Catch::Contains("interrupted"));
  close(ends[0]);
  close(ends[1]);
}
