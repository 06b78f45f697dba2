// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the pipeline space runs have seen.
#ifndef LH_INSIGHT_CI_COVERAGE_H
#define LH_INSIGHT_CI_COVERAGE_H

#include "insight/ci/Job.h"
#include "insight/report/SavedRun.h"

namespace lh {

enum class Seen { Never, Ran, Passed };

/// "never", "ran", "passed".
StringRef seenName(Seen seen);

/// A bubble, an edge, an operation or a target, and how far runs got with it.
struct CoverItem {
  std::string name; ///< "tile", "tile -> vectorize", "host"
  Seen seen = Seen::Never;
  std::set<std::string> manifests; ///< that have it
};

/// The space of several manifests; bubbles that do the same are one.
class Coverage {
public:
  /// Before any run that is of it.
  void addSpace(const ResolvedGraph &graph);

  /// The operations of a case's model; before any run of the case.
  void addModel(const std::string &manifest, const std::string &caseName,
                const std::set<std::string> &operations);

  /// Counts what a run of a known manifest did: a bubble ran when a step of it
  /// did, and passed when its result did. False when no manifest is the run's.
  bool addRun(const SavedRun &run);

  /// By kind: "bubbles", "edges", "ops", "targets".
  using Kinds = std::vector<std::pair<std::string, std::vector<CoverItem>>>;
  Kinds kinds() const;

private:
  /// What a path of a manifest consists of.
  struct Path {
    std::vector<std::string> names;      ///< of the bubbles
    std::vector<std::string> identities; ///< of the same
  };
  using Items = std::map<std::string, CoverItem>;

  void addResult(const SavedRun &run, const SavedResult &result,
                 const Path &path);

  Items bubbles, edges, ops, targets; ///< by identity
  /// By manifest and case.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> models;
  /// By manifest and pipeline.
  std::map<std::pair<std::string, std::string>, Path> paths;
};

/// For people: each kind's share, and what was never seen or never passed.
void printCoverage(const Coverage &coverage, llvm::raw_ostream &stream);

/// All items, for programs.
std::string coverageJson(const Coverage &coverage);

} // namespace lh

#endif // LH_INSIGHT_CI_COVERAGE_H
