// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seats for what is to be measured: taken while the plan runs.
#ifndef LH_CLI_BENCHSEATS_H
#define LH_CLI_BENCHSEATS_H

#include "core/bench/Seat.h"
#include "core/graph/ResolvedGraph.h"
#include "steps/EngineStepRunner.h"

#include <map>
#include <set>

namespace lh {

/// Whether a result is a run on inputs as its case has them, not on those that
/// only check numbers.
bool isMeasurable(const Plan &plan, const PlannedResult &result);

/// The names of the graph's targets whose devices are simulated here.
std::set<std::string> simulatedTargets(const ResolvedGraph &graph,
                                       const BackendRegistry &backends);

/// A seat by leaf. Each run that went well leaves a copy of its process there,
/// with the code, the inputs and the outputs that are then judged.
class BenchSeats {
public:
  /// As many processes as these wait at once.
  static constexpr size_t limit = 200;

  explicit BenchSeats(int core) : core(core) {}
  /// For code of several threads. Call it before the plan runs.
  void useCores(unsigned count) { cores = count; }

  /// Makes seats for the results that can be measured, those of the targets in
  /// `without` left out; targets in `simulated` run on no hardware, and get no
  /// seat. Call it before the plan runs. Why there can't be that many; "" if
  /// there are.
  std::string reserve(const Plan &plan, const std::set<std::string> &without,
                      const std::set<std::string> &simulated);

  /// What the engine's runner calls, in a worker's process.
  void takeAfterRun(const Step &step, Executable &executable,
                    ArrayRef<NamedTensor> inputs,
                    ArrayRef<NamedTensor> outputs);
  /// The same before the run, which writes its outputs to `folder`.
  void takeBeforeRun(const Step &step, Executable &executable,
                     ArrayRef<NamedTensor> inputs, StringRef folder);

  /// Whether it would be measured, were its device not a simulation.
  bool isSimulated(StepId leaf) const { return withoutClock.count(leaf) != 0; }

  /// Null: this leaf isn't to be measured.
  Seat *find(StepId leaf);
  /// Ends the process.
  void free(StepId leaf) { seats.erase(leaf); }

private:
  int core;
  unsigned cores = 1;
  std::map<StepId, std::unique_ptr<Seat>> seats;
  std::set<StepId> withoutClock;
};

} // namespace lh

#endif // LH_CLI_BENCHSEATS_H
