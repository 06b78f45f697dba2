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

using Ratios = std::vector<double>;

TEST_CASE("the fastest that is surely faster wins", "[tune]") {
  const Ratios some = {1.1, 1.11, 1.09}, more = {1.2, 1.21, 1.19};
  CHECK_FALSE(winnerOf({}));
  CHECK(winnerOf({more}) == 0);
  CHECK(winnerOf({some, more}) == 1);
  // The third may well be as fast as the default.
  CHECK(winnerOf({some, more, {1.3, 0.9, 1.7}}) == 1);
  const Ratios little = {1.005, 1.0051, 1.0049};
  CHECK_FALSE(winnerOf({little, {0.5, 0.5, 0.5}}));
  CHECK(winnerOf({little}, 0) == 0);
  CHECK_FALSE(winnerOf({more}, 0.25));
}

TEST_CASE("more finalists and fewer sittings need a clearer gain", "[tune]") {
  const Ratios close = {1.035, 1.025, 1.03, 1.04, 1.02};
  CHECK(winnerOf({close}) == 0);
  CHECK_FALSE(winnerOf({close, close, close, close}, 0.02));
  // Student's t of four degrees of freedom: 0.05 and 0.0125.
  double error = 1.2533 * std::sqrt(0.00025 / 4 / 5);
  CHECK(gainOf(close, 1).from == Approx(1.03 - 2.132 * error).epsilon(1e-4));
  CHECK(gainOf(close, 4).from == Approx(1.03 - 3.495 * error).epsilon(1e-4));
  CHECK(gainOf(close, 4).to == Approx(1.03 + 3.495 * error).epsilon(1e-4));
  // One process says nothing of others.
  CHECK_FALSE(winnerOf({{2.0}}));
  CHECK_FALSE(winnerOf({{}}));
}

namespace {

/// Takes `seconds` a call, give or take 3 % in each lap, and a share that
/// each process has of its own.
class Unsteady : public Contestant {
public:
  Unsteady(double seconds, double byProcess, std::mt19937_64 &draws)
      : seconds(seconds), draws(draws) {
    this->seconds *= std::exp(byProcess * normal());
  }

  std::optional<Lap> lap(uint64_t, uint64_t calls) override {
    double wall =
        seconds * static_cast<double>(calls) * std::exp(0.03 * normal());
    return Lap{calls, wall, wall};
  }
  std::string failure() const override { return ""; }

private:
  double draw() { return static_cast<double>(draws() >> 11) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2 * std::log(1 - draw())) *
           std::cos(2 * std::numbers::pi * draw());
  }

  double seconds;
  std::mt19937_64 &draws;
};

} // namespace

/// The median ratios to the first of `seconds`, of the others in one sitting.
static Ratios measuredRatios(ArrayRef<double> seconds, double byProcess,
                             double error, std::mt19937_64 &draws) {
  std::vector<std::unique_ptr<Unsteady>> owned;
  std::vector<Contestant *> contestants;
  BenchGroup group;
  for (double each : seconds) {
    contestants.push_back(
        owned.emplace_back(std::make_unique<Unsteady>(each, byProcess, draws))
            .get());
    BenchRow row;
    row.key.pipeline = std::to_string(group.rows.size());
    group.rows.push_back(row);
  }
  TurnOptions options;
  double now = 0;
  options.now = [&] { return now += 0.05; };
  options.interrupted = [] { return false; };
  options.targetError = error;
  BenchRecord record;
  record.base = "0";
  addFigures(group, takeTurns(contestants, {}, options), record);
  Ratios ratios;
  for (const BenchRow &row : ArrayRef(group.rows).drop_front())
    ratios.push_back(row.ratio.value_or(SampleStatistics()).median);
  return ratios;
}

/// A round of all, then a final of its best four. Whoever of `seconds` wins.
static std::optional<size_t> champion(ArrayRef<double> seconds,
                                      double byProcess, unsigned seed,
                                      double leastGain) {
  constexpr size_t sittings = 5;
  std::mt19937_64 draws(seed);
  Ratios ratios = measuredRatios(seconds, byProcess, 0.02, draws);
  std::vector<size_t> best(ratios.size());
  for (size_t i = 0; i < best.size(); ++i)
    best[i] = i;
  llvm::sort(best, [&](size_t a, size_t b) {
    return std::pair(ratios[a], b) > std::pair(ratios[b], a);
  });
  best.resize(4);
  Ratios finalists = {seconds[0]};
  for (size_t each : best)
    finalists.push_back(seconds[each + 1]);
  std::vector<Ratios> all(best.size());
  for (size_t sitting = 0; sitting < sittings; ++sitting)
    for (auto [ratios, ratio] : llvm::zip_equal(
             all, measuredRatios(finalists, byProcess, 0.005, draws)))
      ratios.push_back(ratio);
  std::optional<size_t> winner = winnerOf(all, leastGain);
  return winner ? std::optional(best[*winner] + 1) : std::nullopt;
}

// In huge pages medians of two processes of one code differed by 0.4 % (512^3);
// in pages of 4 KiB by 1 %.
TEST_CASE("a default hardly ever beats itself", "[tune]") {
  std::vector<double> seconds(21, 0.01);
  for (double byProcess : {0.0, 0.003, 0.01}) {
    size_t mistakes = 0, withoutLeastGain = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
      mistakes += champion(seconds, byProcess, seed, 0.01).has_value();
      withoutLeastGain += champion(seconds, byProcess, seed, 0).has_value();
    }
    CAPTURE(byProcess, mistakes, withoutLeastGain);
    CHECK(mistakes <= 5);
    CHECK(withoutLeastGain <= 10);
  }
}

TEST_CASE("what is clearly faster wins", "[tune]") {
  std::vector<double> seconds(21, 0.01);
  seconds[7] = 0.0095;
  size_t wins = 0;
  for (unsigned seed = 0; seed < 50; ++seed)
    wins += champion(seconds, 0.003, seed, 0.01) == 7;
  CHECK(wins >= 45);
}
