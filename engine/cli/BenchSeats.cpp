// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seats for what is to be measured: taken while the plan runs.
#include "cli/BenchSeats.h"

#include "runtime/abi/CallSitter.h"

using namespace lh;

bool lh::isMeasurable(const Plan &plan, const PlannedResult &result) {
  if (!result.skipped.empty() || !result.notApplicable.empty())
    return false;
  const auto *run = std::get_if<RunAction>(&plan.steps[result.leaf].action);
  return run && run->data.isTheCases();
}

std::set<std::string> lh::simulatedTargets(const ResolvedGraph &graph,
                                           const BackendRegistry &backends) {
  std::set<std::string> simulated;
  for (const TargetSpec &target : graph.targets)
    if (!backends.deviceLabel(target).empty())
      simulated.insert(target.name);
  return simulated;
}

std::string BenchSeats::reserve(const Plan &plan,
                                const std::set<std::string> &without,
                                const std::set<std::string> &simulated) {
  std::set<StepId> leaves;
  for (const PlannedResult &result : plan.results)
    if (isMeasurable(plan, result) && !without.count(result.key.target))
      (simulated.count(result.key.target) ? withoutClock : leaves)
          .insert(result.leaf);
  if (leaves.size() > limit)
    return "there are " + std::to_string(leaves.size()) +
           " results to measure, and at most " + std::to_string(limit) +
           " at a time; choose with --case and --pipeline";
  for (StepId leaf : leaves) {
    auto seat = std::make_unique<Seat>();
    if (!seat->isOpen())
      return "the system has too few file descriptors for so many results; "
             "choose with --case and --pipeline";
    seats[leaf] = std::move(seat);
  }
  return "";
}

void BenchSeats::takeAfterRun(const Step &step, Executable &executable,
                              ArrayRef<NamedTensor> inputs,
                              ArrayRef<NamedTensor> outputs) {
  if (Seat *seat = find(step.id))
    seat->take(
        core,
        [&] {
          return makeCallSitter(executable, inputs, outputs, step.declaredAt);
        },
        cores);
}

void BenchSeats::takeBeforeRun(const Step &step, Executable &executable,
                               ArrayRef<NamedTensor> inputs, StringRef folder) {
  if (Seat *seat = find(step.id))
    seat->take(
        core,
        [&] {
          return makeEarlyCallSitter(executable, inputs, folder, step.id,
                                     step.declaredAt);
        },
        cores);
}

Seat *BenchSeats::find(StepId leaf) {
  auto found = seats.find(leaf);
  return found == seats.end() ? nullptr : found->second.get();
}
