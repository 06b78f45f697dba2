// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of calls went, by the nodes of a model.
#ifndef LH_INSIGHT_REPORT_PROFILE_H
#define LH_INSIGHT_REPORT_PROFILE_H

#include "core/bench/BenchRecord.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// A node, with all code that is mostly its own.
struct ProfiledNode {
  std::string node;     ///< or the place in the source
  std::string kind;     ///< of its largest op; "" when it computes nothing
  std::string strategy; ///< of `lh.choice`; "" where none was chosen
  std::vector<std::string> with; ///< other nodes that are computed in its loops
  size_t nests = 0;              ///< outermost loop nests of its own
  double seconds = 0;            ///< of a call
  /// Of itself, and of `with` where they have no code of their own.
  double operations = 0;
  double bytes = 0; ///< that it has to move at least
  /// Of what the machine can do at most, where that is known and means
  /// something; of the roofline: of the larger of the two.
  std::optional<double> ofPeak, ofBandwidth, ofRoofline;
  /// In the pipeline that it is compared with.
  std::optional<double> otherSeconds;
};

/// One result's call.
struct ProfiledResult {
  ResultKey key;
  double seconds = 0;              ///< of a call without clocks
  double clockedSeconds = 0;       ///< and with them
  std::vector<ProfiledNode> nodes; ///< the longest first
  double unknownSeconds = 0;       ///< of code that comes from no node
};

/// Of the results of `run` that have a profile and that `measured` measured,
/// whose probes say what the machine can do.
std::vector<ProfiledResult> profiledResults(const RunRecord &run,
                                            const BenchRecord &measured);

/// Warns of results whose clocks take more than a tenth of a call.
void warnOfClocks(ArrayRef<ProfiledResult> results, DiagnosticSink &sink);

/// A table for each result; at most `most` nodes (0: all) and a line for the
/// rest.
void printProfile(ArrayRef<ProfiledResult> results, const BenchRecord &measured,
                  size_t most, llvm::raw_ostream &stream);

} // namespace lh

#endif // LH_INSIGHT_REPORT_PROFILE_H
