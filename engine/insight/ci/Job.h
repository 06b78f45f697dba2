// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A piece of work for a CI system: one pipeline of a manifest on one case for
// one target.
#ifndef LH_INSIGHT_CI_JOB_H
#define LH_INSIGHT_CI_JOB_H

#include "core/graph/ResolvedGraph.h"
#include "insight/map/SpaceMap.h"

#include <set>

namespace lh {

/// What runs a job's code.
enum class JobPlace {
  Anywhere, ///< nothing is run, only written
  Native,   ///< a machine with the target's labels
  Emulated, ///< an emulator on any machine
  Device,   ///< an accelerator
  Simulated ///< a simulation of one, on any machine
};

/// "anywhere", "native", "emulated", "device", "simulated".
StringRef placeName(JobPlace place);

/// Two neighbours on a path, by what they are: equal in all manifests that
/// have them.
using SpaceEdge = std::pair<std::string, std::string>;

/// A name, also for files, of the machines that a runner stands for, else of
/// those with the labels: "x86-avx512", "any".
std::string machineKind(StringRef runner, ArrayRef<std::string> labels);

struct Job {
  std::string manifest; ///< its path, as the command line has it
  std::string manifestName;
  std::string target, pipeline;
  std::string caseName; ///< "": the manifest has none
  JobPlace place = JobPlace::Native;
  /// What a machine must have to run it: no more than suffices.
  std::vector<std::string> labels;
  /// Of an emulated or simulated one: what a machine has that needs neither.
  std::vector<std::string> nativeLabels;
  /// Packages that emulating takes, or the emulator if the target names none.
  std::vector<std::string> tools;
  /// Files, and folders with all in them, that it depends on; absolute.
  std::set<std::string> inputs;
  std::set<SpaceEdge> edges;
  std::string runner; ///< the one of `--runner` that takes it
  std::string whyNot; ///< no runner takes it
  double seconds = 0; ///< how long it takes
  bool wasRecorded = false;
  /// Another job would have the same title: it ends in a hash of the key.
  bool isNamesake = false;

  /// Names it among all jobs, whatever order they come in.
  std::string key() const;
  /// The key for people: one line, at most 200 characters.
  std::string title() const;
  /// The kind of machine that takes it.
  std::string kind() const { return machineKind(runner, labels); }
  /// The key as a file name: letters, digits, '.', '_' and '-'.
  std::string fileName() const;
};

/// What is picked of the manifests; globs, none: all.
struct JobChoice {
  std::vector<std::string> targets, pipelines, cases;
  /// What may run code for GPUs; a device where both may and there is one.
  bool simulates = true, usesDevices = true;
};

/// Every pipeline x case x target of `graph`, but for those that `when:`
/// excludes, without details. Marks in `used` the patterns that picked
/// something.
std::vector<Job> makeJobs(const ResolvedGraph &graph, StringRef manifest,
                          const JobChoice &choice, std::set<std::string> &used,
                          DiagnosticSink &sink);

/// Fills in what the job depends on and sees, which takes longer than all else:
/// `inputs` and `edges`. `graph` is what it was made of, `space` describes it.
void addDetails(Job &job, const ResolvedGraph &graph, const MapSource &space);

/// Takes out what is there twice, and tells namesakes apart.
void makeUnique(std::vector<Job> &jobs);

/// `text` in one line of valid UTF-8 without control characters.
std::string oneLine(StringRef text);

} // namespace lh

#endif // LH_INSIGHT_CI_JOB_H
