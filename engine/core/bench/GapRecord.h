// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pipeline comes to when gaps are left out of it.
#ifndef LH_CORE_BENCH_GAPRECORD_H
#define LH_CORE_BENCH_GAPRECORD_H

#include "core/bench/Redundancy.h"
#include "core/bench/Statistics.h"
#include "core/support/EnumNames.h"

#include <optional>

namespace lh {

/// What leaving something out does, the worst first.
enum class GapWorth {
  Breaks,  ///< a step fails, crashes or takes too long
  Wrong,   ///< it runs, and its numbers are not right
  Slower,  ///< by more than the noise
  Nothing, ///< as fast as before
  Faster,  ///< by more than the noise: the gap does harm here
  Unknown  ///< it runs and is right; there is no clock for it
};

inline ArrayRef<StringRef> enumNames(GapWorth) {
  static constexpr StringRef names[] = {"breaks",  "wrong",  "slower",
                                        "nothing", "faster", "unknown"};
  return names;
}

/// How many times as long a call takes, from laps next to each other.
struct Slowdown {
  double times = 1, low = 1, high = 1; ///< two standard errors to each side
};

/// Of `ratio`, which is the other way round: of the full pipeline's time to its
/// own, as BenchRow has it.
Slowdown slowdownOf(const SampleStatistics &ratio);

/// Of two processes that ran the same: the one nearer to no change, between the
/// ends of both.
Slowdown ofBoth(const Slowdown &one, const Slowdown &other);

/// Slower, nothing or faster. What is within 2 % isn't told from nothing.
GapWorth worthOf(const Slowdown &slowdown);

/// Whether the pipeline is the worse for it.
inline bool costsSomething(GapWorth worth) {
  return worth == GapWorth::Breaks || worth == GapWorth::Wrong ||
         worth == GapWorth::Slower;
}

/// Something that was left out, and what came of it.
struct GapTrial {
  std::string name;  ///< a gap's, a topic's, or of several with commas
  std::string topic; ///< of a gap
  std::vector<std::string> leftOut;
  GapWorth worth = GapWorth::Unknown;
  std::string reason; ///< how it breaks, is wrong, or has no time
  std::optional<Slowdown> slowdown;
  /// The share of the case's floating-point work in nodes that run at less than
  /// half of their speed before; nothing where that can't be told.
  std::optional<double> lostWork;
  double compileSeconds = 0; ///< all steps but runs, those that it shares too
};

struct GapRecord {
  std::string manifest, pipeline, target, caseName;
  std::string cpu, llvm, startedAt; ///< LLVM's name; version; UTC, ISO 8601
  double limitSeconds = 0;          ///< of measuring, for each trial
  double stepSeconds = 0;           ///< that a step may take
  std::optional<double> seconds;    ///< a call of the full pipeline
  double compileSeconds = 0;        ///< of the full pipeline
  std::vector<GapTrial> gaps, topics;
  /// Of several that cost nothing one by one.
  std::vector<GapTrial> together;
  Redundancy redundancy;
  bool interrupted = false; ///< the rest was not tried
};

/// The worthiest first, in the order of GapWorth; of equals the slower one,
/// then by name.
void sortByWorth(std::vector<GapTrial> &trials);

} // namespace lh

#endif // LH_CORE_BENCH_GAPRECORD_H
