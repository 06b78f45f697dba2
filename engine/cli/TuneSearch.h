// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches the sites of one path, and finds out what is surely faster.
#ifndef LH_CLI_TUNESEARCH_H
#define LH_CLI_TUNESEARCH_H

#include "cli/TuneTrials.h"
#include "core/tune/Search.h"

#include <set>

namespace lh {

/// How long to search, for what.
struct SearchOptions {
  size_t trials = 64; ///< of each search
  double seconds = 300;
  SearchKind kind = SearchKind::Tpe;
  size_t batch = 8;
  size_t batches = 1; ///< of a round
  uint64_t seed = 1;
  double leastGain = 0.01;
  std::string log; ///< empty: none
};

/// Sittings of few turns, enough to tell 1 % from noise where code is small.
RoundOptions finalRound(size_t sittings);

/// The gain and its bounds, where `count` were compared, in three digits.
TunedGain gainIn(ArrayRef<double> ratios, size_t count);

/// `point` of `site` as a file has it, with what it was measured by.
TunedEntry winnerEntry(const TuneTrials &trials, size_t site, size_t point,
                       const TunedGain &gain, size_t tried);

/// One search. Its sites are parts of one call, whose time is that of all, so
/// that each round tries one of them.
class TuneSearch {
public:
  /// `isWanted` says of a site whether it is to be searched.
  TuneSearch(const SearchOptions &options, TuneTrials &trials, DriverEnv &env,
             DiagnosticSink &sink,
             llvm::function_ref<bool(const TuneSite &)> isWanted);

  /// Fails when the log can't be read or written, or after an interruption.
  /// Nothing: the default is as good.
  FailureOr<std::optional<TunedEntry>> run();

  /// Those of the log and of this search, in order.
  ArrayRef<TrialRecord> records() const { return seen; }

private:
  /// What is known of a site's points.
  struct Site {
    size_t index;
    std::vector<TriedPoint> tried;
  };

  LogicalResult readLog();
  bool round();
  LogicalResult note(const Site &site, ArrayRef<size_t> points,
                     ArrayRef<TrialResult> results);
  void tell(ArrayRef<TrialResult> results);
  std::vector<Assignment> finalists() const;
  std::optional<TunedEntry> final();
  double secondsSince() const;
  const TuneSite &siteOf(const Site &site) const {
    return trials.sites()[site.index];
  }

  const SearchOptions &options;
  TuneTrials &trials;
  DriverEnv &env;
  DiagnosticSink &sink;
  std::vector<Site> sites;
  std::vector<TrialRecord> seen;
  std::string work;
  double started;
  size_t tried = 0, next = 0;
  int rounds = 0;
  bool logFailed = false;
  std::set<std::string> told; ///< reasons, each once
};

} // namespace lh

#endif // LH_CLI_TUNESEARCH_H
