// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of laps, by contestants whose times are made up.
#include "core/bench/Turns.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <numbers>
#include <random>

using namespace lh;

namespace {

/// Says of each call that it took `seconds`, and notes what it was asked.
class Fake : public Contestant {
public:
  Fake(std::string name, double seconds, std::string &log)
      : name(std::move(name)), seconds(seconds), log(log) {}

  std::optional<Lap> lap(uint64_t warmUps, uint64_t calls) override {
    ++laps;
    log += name;
    lastWarmUps = warmUps;
    if (laps > lasts)
      return std::nullopt;
    double wall = seconds * static_cast<double>(calls);
    wall *= laps % 2 ? 1 + jitter : 1;
    clock += wall;
    bool disturbed = disturbEvery && laps % disturbEvery == 0;
    return Lap{calls, disturbed ? wall * 2 : wall, wall};
  }
  std::string failure() const override { return "made to fail"; }

  std::string name;
  double seconds, jitter = 0;
  std::string &log;
  size_t laps = 0, lasts = SIZE_MAX, disturbEvery = 0;
  uint64_t lastWarmUps = 0;
  static inline double clock = 0;
};

TurnOptions options() {
  TurnOptions options;
  options.now = [] { return Fake::clock; };
  options.interrupted = [] { return false; };
  options.minLaps = 4;
  return options;
}

} // namespace

TEST_CASE("all take turns with every probe before each", "[bench]") {
  std::string log;
  Fake a("A", 0.01, log), b("B", 0.01, log), probe("p", 0.01, log);
  TurnsTaken taken = takeTurns({&a, &b}, {&probe}, options());
  // A first look at each, four rounds, and the last probe.
  CHECK(log == "ABp" + std::string("pApBpApBpApBpApB") + "p");
  CHECK(taken.contestants[0].laps.size() == 4);
  CHECK(taken.contestants[1].turns == std::vector<size_t>{1, 3, 5, 7});
  CHECK(taken.contestants[1].rounds == std::vector<size_t>{0, 1, 2, 3});
  CHECK(taken.probes[0].size() == 9);
}

TEST_CASE("a short call is made often in a lap", "[bench]") {
  std::string log;
  Fake quick("q", 1e-6, log), slow("s", 1, log);
  TurnsTaken taken = takeTurns({&quick, &slow}, {}, options());
  const Lap &lap = taken.contestants[0].laps.front();
  CHECK(lap.wallSeconds >= options().lapSeconds);
  CHECK(lap.wallSeconds < options().lapSeconds * 2);
  CHECK(quick.lastWarmUps == lap.calls / 4);
  CHECK(taken.contestants[1].laps.front().calls == 1);
  CHECK(slow.lastWarmUps == 1);
}

TEST_CASE("who goes on alone needs no further call to be warm", "[bench]") {
  std::string log;
  Fake steady("A", 0.1, log), restless("B", 0.1, log);
  restless.jitter = 0.5;
  TurnOptions all = options();
  all.limitSeconds = 5;
  takeTurns({&steady, &restless}, {}, all);
  CHECK(log.find("BBBB") != std::string::npos);
  CHECK(steady.lastWarmUps == 1);
  CHECK(restless.lastWarmUps == 0);
}

TEST_CASE("who is steady leaves the time to the others", "[bench]") {
  std::string log;
  Fake steady("A", 0.01, log), restless("B", 0.01, log);
  restless.jitter = 0.5;
  TurnOptions limited = options();
  limited.limitSeconds = 1;
  TurnsTaken taken = takeTurns({&steady, &restless}, {}, limited);
  CHECK(taken.contestants[0].laps.size() == 4);
  CHECK(taken.contestants[1].laps.size() > 20);
  SampleStatistics statistics = callTimes(taken.contestants[1]).statistics();
  CHECK(statistics.relativeError > limited.targetError);
}

TEST_CASE("who is out of reach leaves a race", "[bench]") {
  std::string log;
  Fake quick("A", 0.01, log), near("B", 0.019, log), far("C", 0.021, log);
  TurnOptions race = options();
  race.minLaps = 9;
  race.outOfReach = 2;
  TurnsTaken taken = takeTurns({&quick, &near, &far}, {}, race);
  CHECK(taken.contestants[0].laps.size() == 9);
  CHECK(taken.contestants[1].laps.size() == 9);
  CHECK(taken.contestants[2].laps.size() == 3);
  CHECK(taken.contestants[2].leftRace);
  CHECK_FALSE(taken.contestants[1].leftRace);
}

TEST_CASE("what fails drops out and says why", "[bench]") {
  std::string log;
  Fake sound("A", 0.01, log), broken("B", 0.01, log), probe("p", 0.01, log);
  broken.lasts = 2;
  probe.lasts = 3;
  TurnsTaken taken = takeTurns({&sound, &broken}, {&probe}, options());
  CHECK(taken.contestants[0].failure.empty());
  CHECK(taken.contestants[0].laps.size() == 4);
  CHECK(taken.contestants[1].failure == "made to fail");
  CHECK(taken.contestants[1].laps.size() == 1);
  CHECK(taken.probes[0].size() == 2);
}

TEST_CASE("an interruption ends it with what there is", "[bench]") {
  std::string log;
  Fake a("A", 0.01, log);
  a.jitter = 0.5;
  TurnOptions stopped = options();
  stopped.interrupted = [&] { return a.laps == 3; };
  TurnsTaken taken = takeTurns({&a}, {}, stopped);
  CHECK(taken.interrupted);
  CHECK(taken.contestants[0].laps.size() == 2);
}

TEST_CASE("a disturbed lap is left out and counted", "[bench]") {
  LapSeries series;
  series.laps = {{2, 1.0, 0.99}, {2, 3.0, 1.0}, {2, 1.02, 1.0}};
  CallTimes times = callTimes(series);
  CHECK(times.dropped == 1);
  CHECK_FALSE(times.byCpuTime);
  CHECK_FALSE(times.perLap[1]);
  CHECK(*times.perLap[2] == 0.51);
  CHECK(times.statistics().count == 2);
}

TEST_CASE("where most are disturbed CPU time counts", "[bench]") {
  LapSeries series;
  series.laps = {{1, 2.0, 1.0}, {1, 3.0, 1.1}, {1, 1.02, 1.02}};
  CallTimes times = callTimes(series);
  CHECK(times.byCpuTime);
  CHECK(times.dropped == 0);
  CHECK(*times.perLap[1] == 1.1);
}

namespace {

/// One of a race: its true time, and how far a lap is from it.
struct Racer {
  double seconds = 0.01;
  double noise = 0.03;  ///< standard deviation, as a share
  double disturbed = 0; ///< the share of laps that take twice as long
};

class Noisy : public Contestant {
public:
  Noisy(const Racer &racer, std::mt19937_64 &draws)
      : racer(racer), draws(draws) {}

  std::optional<Lap> lap(uint64_t, uint64_t calls) override {
    double normal = std::sqrt(-2 * std::log(1 - draw())) *
                    std::cos(2 * std::numbers::pi * draw());
    double wall = racer.seconds * static_cast<double>(calls) *
                  std::exp(racer.noise * normal);
    wall *= draw() < racer.disturbed ? 2 : 1;
    Fake::clock += wall;
    return Lap{calls, wall, wall};
  }
  std::string failure() const override { return ""; }

private:
  /// 0 to 1. What the library's distributions draw differs between its makers.
  double draw() { return static_cast<double>(draws() >> 11) * 0x1p-53; }

  Racer racer;
  std::mt19937_64 &draws;
};

TurnsTaken race(ArrayRef<Racer> racers, unsigned seed, bool dropsLosers) {
  std::mt19937_64 draws(seed);
  std::vector<std::unique_ptr<Noisy>> noisy;
  std::vector<Contestant *> contestants;
  for (const Racer &racer : racers)
    contestants.push_back(
        noisy.emplace_back(std::make_unique<Noisy>(racer, draws)).get());
  TurnOptions dropping = options();
  dropping.minLaps = 15;
  dropping.targetError = 0.05;
  dropping.dropsLosers = dropsLosers;
  return takeTurns(contestants, {}, dropping);
}

/// In how many of 200 races the last, which is the best, left.
unsigned timesBestLeft(ArrayRef<Racer> racers) {
  unsigned times = 0;
  for (unsigned seed = 0; seed < 200; ++seed)
    times += race(racers, seed, true).contestants.back().leftRace;
  return times;
}

} // namespace

TEST_CASE("losers leave a race early", "[bench]") {
  std::vector<Racer> racers(20);
  for (size_t i = 10; i < 19; ++i)
    racers[i].seconds = 0.013;
  racers[19].seconds = 0.0095;
  size_t laps = 0, stayed = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    TurnsTaken taken = race(racers, seed, true);
    for (size_t i = 10; i < 19; ++i) {
      laps += taken.contestants[i].laps.size();
      stayed += !taken.contestants[i].leftRace;
    }
  }
  CHECK(stayed == 0);
  CHECK(laps < 50 * 9 * 6);
}

TEST_CASE("the best is hardly ever taken for a loser", "[bench]") {
  SECTION("one of many equals") {
    CHECK(timesBestLeft(std::vector<Racer>(20)) <= 10);
  }
  SECTION("no slower than the first alone") {
    CHECK(timesBestLeft(std::vector<Racer>(2)) <= 10);
  }
  SECTION("a little better than many") {
    std::vector<Racer> racers(20);
    racers.back().seconds = 0.0097;
    CHECK(timesBestLeft(racers) <= 10);
  }
  SECTION("noisier than all others") {
    std::vector<Racer> racers(20);
    racers.back().noise = 0.1;
    CHECK(timesBestLeft(racers) <= 10);
  }
  SECTION("on a machine that disturbs") {
    CHECK(timesBestLeft(std::vector<Racer>(20, {0.01, 0.03, 0.15})) <= 10);
  }
}

TEST_CASE("the first never leaves a race that drops losers", "[bench]") {
  std::vector<Racer> racers(5);
  racers.front().seconds = 0.05;
  TurnsTaken taken = race(racers, 1, true);
  CHECK_FALSE(taken.contestants[0].leftRace);
  CHECK(taken.contestants[0].laps.size() >= 15);
}

TEST_CASE("the first of such a race goes on as long as any", "[bench]") {
  TurnsTaken taken = race({{0.01, 0}, {0.01, 0.5}}, 1, true);
  CHECK(taken.contestants[1].laps.size() > 15);
  CHECK(taken.contestants[0].rounds == taken.contestants[1].rounds);
}

TEST_CASE("losers stay where they are not dropped", "[bench]") {
  std::vector<Racer> racers(5);
  racers[3].seconds = 0.05;
  TurnsTaken taken = race(racers, 1, false);
  for (const LapSeries &series : taken.contestants)
    CHECK_FALSE(series.leftRace);
}
