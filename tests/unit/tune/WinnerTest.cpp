// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who takes the default's place, and how often that is a mistake.
#include "core/tune/Winner.h"

#include "core/bench/BenchRecord.h"
#include "core/bench/Bounds.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <numbers>
#include <random>

using namespace lh;

TEST_CASE("Student's quantiles are those of the tables", "[tune]") {
  CHECK(studentQuantile(0.05, 1) == Approx(6.3138).epsilon(1e-4));
  CHECK(studentQuantile(0.05, 2) == Approx(2.9200).epsilon(1e-4));
  CHECK(studentQuantile(0.025, 3) == Approx(3.1824).epsilon(1e-4));
  CHECK(studentQuantile(0.005, 10) == Approx(3.1693).epsilon(1e-4));
  CHECK(studentQuantile(0.0005, 5) == Approx(6.8688).epsilon(1e-4));
  CHECK(studentQuantile(0.05, 100000) == Approx(1.6449).epsilon(1e-2));
  CHECK(studentQuantile(0.5, 7) == Approx(0).margin(1e-9));
}

static SampleStatistics ratio(double median, double error, size_t count) {
  SampleStatistics statistics;
  statistics.count = count;
  statistics.median = median;
  statistics.relativeError = error;
  return statistics;
}

TEST_CASE("the fastest that is surely faster wins", "[tune]") {
  CHECK_FALSE(winnerOf({}));
  CHECK(winnerOf({ratio(1.2, 0.01, 100)}) == 0);
  CHECK(winnerOf({ratio(1.1, 0.01, 100), ratio(1.2, 0.01, 100)}) == 1);
  // The third may well be as fast as the default.
  CHECK(winnerOf({ratio(1.1, 0.01, 100), ratio(1.2, 0.01, 100),
                  ratio(1.3, 0.2, 100)}) == 1);
  CHECK_FALSE(winnerOf({ratio(1.005, 0.0001, 100), ratio(0.5, 0.01, 100)}));
  CHECK(winnerOf({ratio(1.005, 0.0001, 100)}, 0) == 0);
  CHECK_FALSE(winnerOf({ratio(1.2, 0.01, 100)}, 0.25));
}

TEST_CASE("more finalists and fewer samples need a clearer gain", "[tune]") {
  SampleStatistics close = ratio(1.03, 0.01, 100);
  CHECK(winnerOf({close}) == 0);
  CHECK_FALSE(winnerOf({close, close, close, close}));
  CHECK(gainOf(close, 4).from == Approx(1.03 * (1 - 0.0263)).epsilon(1e-3));
  CHECK(gainOf(close, 4).to == Approx(1.03 * (1 + 0.0263)).epsilon(1e-3));
  CHECK_FALSE(winnerOf({ratio(1.03, 0.01, 15)}));
  // Three samples have no error that can be trusted, fewer have none.
  CHECK_FALSE(winnerOf({ratio(1.05, 0.01, 3)}));
  CHECK_FALSE(winnerOf({statisticsOf({2.0, 2.0})}));
}

namespace {

/// Takes `seconds` a call, give or take 3 %.
class Unsteady : public Contestant {
public:
  Unsteady(double seconds, std::mt19937_64 &draws)
      : seconds(seconds), draws(draws) {}

  std::optional<Lap> lap(uint64_t, uint64_t calls) override {
    double normal = std::sqrt(-2 * std::log(1 - draw())) *
                    std::cos(2 * std::numbers::pi * draw());
    double wall =
        seconds * static_cast<double>(calls) * std::exp(0.03 * normal);
    return Lap{calls, wall, wall};
  }
  std::string failure() const override { return ""; }

private:
  double draw() { return static_cast<double>(draws() >> 11) * 0x1p-53; }

  double seconds;
  std::mt19937_64 &draws;
};

} // namespace

/// Ratios to the first of `seconds`, by the others.
static std::vector<SampleStatistics> measuredRatios(ArrayRef<double> seconds,
                                                    double error,
                                                    size_t minLaps,
                                                    std::mt19937_64 &draws) {
  std::vector<std::unique_ptr<Unsteady>> owned;
  std::vector<Contestant *> contestants;
  BenchGroup group;
  for (double each : seconds) {
    contestants.push_back(
        owned.emplace_back(std::make_unique<Unsteady>(each, draws)).get());
    BenchRow row;
    row.key.pipeline = std::to_string(group.rows.size());
    group.rows.push_back(row);
  }
  TurnOptions options;
  double now = 0;
  options.now = [&] { return now += 0.05; };
  options.interrupted = [] { return false; };
  options.targetError = error;
  options.minLaps = minLaps;
  options.dropsLosers = true;
  BenchRecord record;
  record.base = "0";
  addFigures(group, takeTurns(contestants, {}, options), record);
  std::vector<SampleStatistics> ratios;
  for (const BenchRow &row : ArrayRef(group.rows).drop_front())
    ratios.push_back(row.ratio.value_or(SampleStatistics()));
  return ratios;
}

/// A round of all, then a final of its best four. Whoever of `seconds` wins.
static std::optional<size_t> champion(ArrayRef<double> seconds, unsigned seed,
                                      double leastGain) {
  std::mt19937_64 draws(seed);
  std::vector<SampleStatistics> ratios =
      measuredRatios(seconds, 0.02, 15, draws);
  std::vector<size_t> best(ratios.size());
  for (size_t i = 0; i < best.size(); ++i)
    best[i] = i;
  llvm::sort(best, [&](size_t a, size_t b) {
    return std::pair(ratios[a].median, b) > std::pair(ratios[b].median, a);
  });
  best.resize(4);
  std::vector<double> finalists = {seconds[0]};
  for (size_t each : best)
    finalists.push_back(seconds[each + 1]);
  std::optional<size_t> winner =
      winnerOf(measuredRatios(finalists, 0.004, 60, draws), leastGain);
  return winner ? std::optional(best[*winner] + 1) : std::nullopt;
}

TEST_CASE("a default hardly ever beats itself", "[tune]") {
  std::vector<double> seconds(21, 0.01);
  size_t mistakes = 0, withoutLeastGain = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    mistakes += champion(seconds, seed, 0.01).has_value();
    withoutLeastGain += champion(seconds, seed, 0).has_value();
  }
  CHECK(mistakes <= 5);
  CHECK(withoutLeastGain <= 10);
}

TEST_CASE("what is clearly faster wins", "[tune]") {
  std::vector<double> seconds(21, 0.01);
  seconds[7] = 0.0095;
  size_t wins = 0;
  for (unsigned seed = 0; seed < 50; ++seed)
    wins += champion(seconds, seed, 0.01) == 7;
  CHECK(wins >= 45);
}
