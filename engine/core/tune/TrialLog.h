// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tuner has tried: a file of one line per trial, which only grows.
#ifndef LH_CORE_TUNE_TRIALLOG_H
#define LH_CORE_TUNE_TRIALLOG_H

#include "core/bench/Statistics.h"
#include "core/support/EnumNames.h"
#include "core/tune/Space.h"

namespace lh {

enum class TrialOutcome {
  Measured,
  Wrong, ///< it runs, and its numbers are not right
  Crashed,
  Timeout,
  NoCompile,
  Constraint, ///< a constraint of a bubble doesn't hold
  SameCode,   ///< its object code is an earlier trial's, whose times it has
  Lost        ///< who should have measured it came to no end; never logged
};

inline ArrayRef<StringRef> enumNames(TrialOutcome) {
  static constexpr StringRef names[] = {"measured",  "wrong",      "crashed",
                                        "timeout",   "no-compile", "constraint",
                                        "same-code", "lost"};
  return names;
}

/// How many times as fast as the default of the same round.
struct TrialRatio {
  double median = 1;
  double relativeError = 1; ///< the median's standard error as a share of it
};

struct TrialRecord {
  /// Of a line's form. Lines of another can't be read.
  static constexpr int schema = 1;

  std::string space;  ///< hashOf() it
  std::string work;   ///< what is tuned: a key of its site and its model
  std::string target; ///< its name
  std::string cpu;    ///< LLVM's name
  /// Of what made the code, by name.
  std::map<std::string, std::string> versions;
  TunePoint point;
  TrialOutcome outcome = TrialOutcome::Measured;
  std::string reason;                      ///< why it has no time
  std::optional<SampleStatistics> seconds; ///< per call
  std::optional<TrialRatio> ratio;
  std::optional<double> baseSeconds; ///< the default's, in the same round
  std::string code;                  ///< hash of the object code; may be empty
  double compileSeconds = 0;
  int round = 0;
  uint64_t seed = 0;
  std::string host;
  std::string when; ///< UTC, ISO 8601
};

/// The trial as a line, without its end.
std::string writeTrial(const TrialRecord &trial);

/// Fails, silently, when `line` is no trial, whatever it is.
FailureOr<TrialRecord> readTrial(StringRef line);

/// Adds a round's trials to the log, with one write, and waits until the disk
/// has them. Several processes may do so at once. A line that a killed process
/// left behind unfinished is ended first. Makes missing folders. Fails with an
/// error; the log may then end in an unfinished line.
LogicalResult appendTrials(StringRef path, ArrayRef<TrialRecord> trials,
                           DiagnosticSink &sink);

struct TrialsRead {
  std::vector<TrialRecord> trials; ///< in the order of the lines
  size_t damaged = 0;              ///< lines that are no trials
};

/// Nothing is in a log that doesn't exist. Fails with an error when there is
/// one that can't be read.
FailureOr<TrialsRead> readTrials(StringRef path, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_TUNE_TRIALLOG_H
