// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans run once per step, and survive what steps do.
#include "FakeRunner.h"
#include "core/exec/MachineLock.h"

#include "llvm/Support/FileSystem.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>

using namespace lh;

namespace {

/// Remembers what it was told.
class Memory : public RunObserver {
public:
  void stepStarted(const Step &step) override { started.push_back(step.id); }
  void stepFinished(const Step &, const StepOutcome &outcome) override {
    finished.push_back(outcome.step);
  }
  void resultFinished(const ResultRecord &) override { ++results; }

  std::vector<StepId> started, finished;
  size_t results = 0;
};

RunRecord runPlan(const TestPlan &test, const JournalFolder &scratch,
                  ExecOptions options, RunObserver &observer) {
  options.scratchFolder = scratch.path;
  FakeRunner runner(scratch.path + "/journal");
  return execute(test.plan, runner, options, observer);
}

RunRecord runPlan(const TestPlan &test, ExecOptions options = {}) {
  JournalFolder scratch;
  RunObserver nobody;
  return runPlan(test, scratch, options, nobody);
}

/// import -> {fuse -> run, <command> -> run}, one case.
TestPlan withBranch(const std::string &command) {
  TestPlan test;
  StepId import = test.passes(std::nullopt, "import");
  test.run(test.passes(import, "fuse"), "c", "good");
  test.run(test.passes(import, command), "c", "bad");
  return test;
}

std::string numbered(const char *name, int number) {
  return (Twine(name) + Twine(number)).str();
}

ExecOptions ways(int way) {
  ExecOptions options;
  options.jobs = way == 1 ? 1 : 4;
  options.inProcess = way == 2;
  return options;
}

} // namespace

TEST_CASE("each shared prefix runs once, before what needs it", "[exec]") {
  int way = GENERATE(0, 1, 2);
  TestPlan test;
  StepId import = test.passes(std::nullopt, "import");
  StepId fuse = test.passes(import, "fuse");
  StepId left = test.run(test.passes(fuse, "left"), "c", "left");
  StepId right = test.run(test.passes(fuse, "right"), "c", "right");
  StepId other = test.run(test.passes(import, "other"), "c", "other");
  JournalFolder scratch;
  Memory memory;
  RunRecord record = runPlan(test, scratch, ways(way), memory);
  std::vector<std::string> journal = scratch.journal();
  CHECK(journal.size() == test.plan.steps.size());
  CHECK(std::count(journal.begin(), journal.end(), "import") == 1);
  CHECK(std::count(journal.begin(), journal.end(), "fuse") == 1);
  CHECK(record.outcomes[left].outputs[0].name == "import;fuse;left;run;");
  CHECK(record.outcomes[right].outputs[0].name == "import;fuse;right;run;");
  CHECK(record.outcomes[other].outputs[0].name == "import;other;run;");
  CHECK(memory.started.size() == test.plan.steps.size());
  CHECK(memory.finished.size() == test.plan.steps.size());
  CHECK(memory.results == 3);
  for (const StepOutcome &outcome : record.outcomes)
    CHECK(outcome.status == StepStatus::Passed);
  CHECK(record.outcomes[import].peakBytes > 0);
}

TEST_CASE("a crash costs its subtree only", "[exec]") {
  auto [command, status, reason] =
      GENERATE(table<std::string, StepStatus, std::string>(
          {{"segv", StepStatus::Crashed, "SIGSEGV"},
           {"abort", StepStatus::Crashed, "LLVM ERROR: the roof is on fire"},
           {"exit", StepStatus::Crashed, "exit status 3: last words"},
           {"fail", StepStatus::Failed, "as asked"}}));
  unsigned jobs = GENERATE(1u, 4u);
  TestPlan test = withBranch(command);
  ExecOptions options;
  options.jobs = jobs;
  RunRecord record = runPlan(test, options);
  CHECK(record.outcomes[0].status == StepStatus::Passed);
  CHECK(record.outcomes[2].status == StepStatus::Passed);
  CHECK(record.outcomes[3].status == status);
  CHECK_THAT(record.outcomes[3].reason, Catch::Contains(reason));
  CHECK(record.outcomes[4].status == StepStatus::NotRun);
  CHECK(record.results[0].status == ResultStatus::Unverified);
  CHECK(record.results[1].status == ResultStatus::Failed);
  CHECK_THAT(record.results[1].reason, Catch::Contains(command));
}

TEST_CASE("a crash in a plan without branches is a result too", "[exec]") {
  TestPlan test;
  test.run(test.passes(std::nullopt, "segv"), "c", "only");
  RunRecord record = runPlan(test);
  CHECK(record.outcomes[0].status == StepStatus::Crashed);
  CHECK(record.results[0].status == ResultStatus::Failed);
}

TEST_CASE("a step that hangs is ended at its timeout", "[exec]") {
  ExecOptions options;
  options.stepTimeoutSeconds = 0.2;
  RunRecord record = runPlan(withBranch("hang"), options);
  CHECK(record.outcomes[3].status == StepStatus::TimedOut);
  CHECK_THAT(record.outcomes[3].reason, Catch::Contains("--step-timeout"));
  CHECK(record.outcomes[2].status == StepStatus::Passed);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a step that takes all memory is told apart", "[exec]") {
  ExecOptions options;
  options.memoryLimitBytes = 512u << 20;
  RunRecord record = runPlan(withBranch("memory"), options);
  CHECK(record.outcomes[3].status == StepStatus::OutOfMemory);
  CHECK(record.outcomes[2].status == StepStatus::Passed);
}
#endif

TEST_CASE("threads that a step leaves behind don't stop the run", "[exec]") {
  // One of them may be given the signal that a child has ended.
  TestPlan test;
  StepId pool = test.passes(std::nullopt, "thread");
  for (int i = 0; i < 20; ++i)
    test.run(test.passes(pool, numbered("leaf", i)), numbered("c", i), "p");
  ExecOptions options;
  options.jobs = 1;
  RunRecord record = runPlan(test, options);
  CHECK(llvm::all_of(record.results, [](const ResultRecord &result) {
    return result.status != ResultStatus::Failed;
  }));
}

TEST_CASE("processes that a step leaves behind end with the run", "[exec]") {
  for (const char *command : {"fork", "daemon"}) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    RunRecord record = runPlan(withBranch(command), ways(0));
    CHECK(record.results[1].status == ResultStatus::Unverified);
    close(ends[1]);
    // At its end once no process has the other one.
    pollfd ready{ends[0], POLLIN, 0};
    CHECK(poll(&ready, 1, 10'000) == 1);
    close(ends[0]);
  }
}

TEST_CASE("a megabyte of diagnostics arrives whole", "[exec]") {
  RunRecord record = runPlan(withBranch("big"));
  REQUIRE(record.outcomes[3].diagnostics.size() == 1000);
  CHECK(record.outcomes[3].diagnostics[999].message == std::string(1000, 'x'));
}

TEST_CASE("what a step prints to standard error is kept with it", "[exec]") {
  RunRecord record = runPlan(withBranch("print"));
  CHECK(record.outcomes[3].log == "hello from the step\n");
  CHECK(record.outcomes[2].log.empty());
}

TEST_CASE("two hundred leaves run, some of them crash", "[exec]") {
  unsigned jobs = GENERATE(1u, 4u);
  TestPlan test;
  StepId import = test.passes(std::nullopt, "import");
  for (int i = 0; i < 200; ++i)
    test.run(test.passes(import, i % 10 == 9 ? "abort" : "fuse"), "c",
             numbered("p", i));
  ExecOptions options;
  options.jobs = jobs;
  JournalFolder scratch;
  Memory memory;
  RunRecord record = runPlan(test, scratch, options, memory);
  CHECK(memory.results == 200);
  auto failed = std::count_if(
      record.results.begin(), record.results.end(),
      [](const auto &r) { return r.status == ResultStatus::Failed; });
  CHECK(failed == 20);
  CHECK(scratch.journal().size() == 1 + 200 + 180);
}

TEST_CASE("after a failure no further case begins", "[exec]") {
  TestPlan test;
  test.run(test.passes(std::nullopt, "fail"), "first", "p");
  for (int i = 0; i < 20; ++i)
    test.run(test.passes(std::nullopt, "hang"), numbered("later", i), "p");
  ExecOptions options;
  options.jobs = 1;
  options.stepTimeoutSeconds = 0.1;
  bool inProcess = GENERATE(false, true);
  options.inProcess = inProcess;
  RunRecord record = runPlan(test, options);
  // A worker may have begun the next case before the news came round.
  const ResultRecord &last = record.results.back();
  CHECK(last.status == ResultStatus::Skipped);
  CHECK_THAT(last.reason, Catch::Contains("--keep-going"));
}

TEST_CASE("with --keep-going every case begins", "[exec]") {
  int way = GENERATE(0, 1, 2);
  TestPlan test;
  for (int i = 0; i < 5; ++i)
    test.run(test.passes(std::nullopt, "fail"), numbered("case", i), "p");
  ExecOptions options = ways(way);
  options.keepGoing = true;
  RunRecord record = runPlan(test, options);
  for (const ResultRecord &result : record.results)
    CHECK(result.status == ResultStatus::Failed);
}

TEST_CASE("Ctrl-C ends the run and keeps what there is", "[exec]") {
  setenv("LH_TEST_MAIN", std::to_string(getpid()).c_str(), 1);
  ExecOptions options;
  options.jobs = 1;
  TestPlan test;
  StepId import = test.passes(std::nullopt, "import");
  test.run(test.passes(import, "fuse"), "c", "good");
  test.run(test.passes(import, "interrupt"), "c", "bad");
  test.run(test.passes(import, "hang"), "c", "never");
  RunRecord record = runPlan(test, options);
  CHECK(record.interrupted);
  CHECK(record.outcomes[0].status == StepStatus::Passed);
  CHECK(record.results[0].status == ResultStatus::Unverified);
  CHECK(record.results[1].status == ResultStatus::Skipped);
  CHECK_THAT(record.results[2].reason, Catch::Contains("interrupted"));
}

TEST_CASE("an exclusive hold on the machine excludes all others", "[exec]") {
  JournalFolder scratch;
  MachineLock machine(scratch.path + "/machine");
  {
    MachineLock::Hold shared = machine.acquire(MachineUse::Shared);
    CHECK(machine.tryAcquire(MachineUse::Shared));
    CHECK_FALSE(machine.tryAcquire(MachineUse::Exclusive));
  }
  MachineLock::Hold exclusive = machine.acquire(MachineUse::Exclusive);
  CHECK_FALSE(machine.tryAcquire(MachineUse::Shared));
}

TEST_CASE("timed steps run in a plan with others", "[exec]") {
  TestPlan test;
  StepId import = test.passes(std::nullopt, "import");
  for (int i = 0; i < 8; ++i)
    test.run(import, "c", numbered("p", i), i % 2 ? 3 : 0);
  RunRecord record = runPlan(test, ways(0));
  for (const StepOutcome &outcome : record.outcomes)
    CHECK(outcome.status == StepStatus::Passed);
}

TEST_CASE("nothing of a run stays in its scratch folder", "[exec]") {
  JournalFolder scratch;
  RunObserver nobody;
  runPlan(withBranch("abort"), scratch, ways(0), nobody);
  std::error_code error;
  std::vector<std::string> left;
  for (llvm::sys::fs::directory_iterator file(scratch.path, error), end;
       file != end && !error; file.increment(error))
    left.push_back(file->path());
  CHECK(left == std::vector<std::string>{scratch.path + "/journal"});
}

TEST_CASE("a skipped target is neither run nor passed", "[exec]") {
  TestPlan test;
  PlannedResult skipped;
  skipped.skipped = "no such machine";
  test.plan.results.push_back(skipped);
  RunRecord record = runPlan(test);
  CHECK(record.results[0].status == ResultStatus::Skipped);
  CHECK(record.results[0].reason == "no such machine");
}
