// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A runner that does what a step's text says, and a tree to run it on.
#include "FakeRunner.h"

#include "core/plan/SubPlan.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace lh;

namespace {

struct TextState : StepRunner::SavedState {
  std::string text;
};

} // namespace

static void dieBySignal(int number) {
  // A sanitizer's handler would make an exit of it.
  std::signal(number, SIG_DFL);
  std::raise(number);
}

static StepOutcome manyDiagnostics() {
  StepOutcome outcome;
  outcome.status = StepStatus::Failed;
  outcome.reason = "big";
  for (int i = 0; i < 1000; ++i)
    outcome.diagnostics.push_back({DiagKind::ManifestUnknownKey,
                                   Severity::Error,
                                   {"f.yaml", 3, 4, 5},
                                   std::string(1000, 'x'),
                                   {}});
  return outcome;
}

/// A child of this process, or one that has turned its back on it.
static void leaveBehind(bool daemon) {
  if (fork() != 0)
    return;
  if (daemon && (setsid() < 0 || fork() != 0))
    _exit(0);
  alarm(600); // a test that fails leaves it, too
  while (true)
    pause();
}

static StepOutcome obey(const std::string &command) {
  StepOutcome outcome;
  outcome.status = StepStatus::Passed;
  if (command == "segv") {
    dieBySignal(SIGSEGV);
  } else if (command == "abort") {
    std::fputs("LLVM ERROR: the roof is on fire\n#0 a stack\n", stderr);
    dieBySignal(SIGABRT);
  } else if (command == "exit") {
    std::fputs("last words\n", stderr);
    _exit(3);
  } else if (command == "thread") {
    // As a thread pool's, that looks out for more work.
    std::thread([] {
      while (true)
        std::this_thread::yield();
    }).detach();
  } else if (command == "fork" || command == "daemon") {
    leaveBehind(command == "daemon");
  } else if (command == "hang") {
    while (true)
      pause();
  } else if (command == "interrupt") {
    // The coordinator leads no group of workers: it is all workers' ancestor.
    kill(static_cast<pid_t>(std::atoi(std::getenv("LH_TEST_MAIN"))), SIGINT);
    while (true)
      pause();
  } else if (command == "memory") {
    std::vector<std::unique_ptr<char[]>> blocks;
    for (int i = 0; i < 4096; ++i)
      blocks.emplace_back(new char[1 << 20]());
  } else if (command == "big") {
    return manyDiagnostics();
  } else if (command == "print") {
    std::fputs("hello from the step\n", stderr);
  } else if (command == "fail") {
    outcome.status = StepStatus::Failed;
    outcome.reason = "as asked";
  }
  return outcome;
}

StepOutcome FakeRunner::run(const Step &step) {
  std::ofstream(journal, std::ios::app) << step.bubble + "\n";
  const auto *passes = std::get_if<PassesAction>(&step.action);
  StepOutcome outcome = obey(passes ? passes->pipeline : "");
  state += step.bubble + ";";
  if (!passes)
    outcome.outputs.push_back({state, "", "float32"});
  return outcome;
}

std::unique_ptr<StepRunner::SavedState> FakeRunner::save() {
  auto saved = std::make_unique<TextState>();
  saved->text = state;
  return saved;
}

void FakeRunner::restore(const SavedState &saved) {
  state = static_cast<const TextState &>(saved).text;
}

StepId TestPlan::passes(std::optional<StepId> parent, const std::string &text) {
  Step step;
  step.bubble = text;
  step.action = PassesAction{text, {}};
  return appendStep(plan, parent, std::move(step));
}

StepId TestPlan::run(StepId parent, const std::string &caseName,
                     const std::string &pipeline, unsigned repeat) {
  StepId id = passes(parent, "run");
  RunAction action;
  action.repeat = repeat;
  plan.steps[id].action = action;
  PlannedResult result;
  result.key.caseName = caseName;
  result.key.pipeline = pipeline;
  result.leaf = id;
  plan.results.push_back(result);
  return id;
}

std::vector<std::string> JournalFolder::journal() const {
  std::ifstream file(path + "/journal");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}
