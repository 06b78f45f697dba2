// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of jobs, whatever they have left.
#include "insight/ci/Merge.h"

#include "../TestFolder.h"

#include <utime.h>

using namespace lh;

namespace {

/// A record with one result, as `lh-run run --json` writes it.
std::string recordOf(StringRef manifest, StringRef status, StringRef code) {
  return ("{\"schema\": 1, \"manifest\": \"" + manifest +
          "\", \"file\": \"m.yaml\", \"steps\": [{\"id\": 0, \"bubble\": "
          "\"import\", \"status\": \"passed\", \"seconds\": 2}, {\"id\": 1, "
          "\"bubble\": \"run\", \"parent\": 0, \"status\": \"not run\", "
          "\"seconds\": 0}], \"results\": [{\"key\": {\"case\": \"c\", "
          "\"data_set\": \"\", \"target\": \"t\", \"sweep\": \"\", "
          "\"pipeline\": \"p\"}, \"status\": \"" +
          status + "\", \"code\": \"" + code +
          "\", \"reason\": \"because\", \"steps\": [0, 1]}]}")
      .str();
}

struct MergedFolder {
  MergedFolder() {
    job.title = "m c p t";
    job.manifest = "m";
    job.caseName = "c";
    job.pipeline = "p";
    job.target = "t";
    job.folder = "job-1";
    job.labels = {"linux", "x86"};
  }

  std::string start(StringRef root, StringRef record, int code,
                    unsigned number = 1) {
    std::string place = folder.file(root) + "/job-1";
    std::string own = startFolder(place, number);
    REQUIRE_FALSE(llvm::sys::fs::create_directories(own));
    std::ofstream(own + "/report.json") << record.str();
    REQUIRE_FALSE(writeEnd(place, {code, number, 1, "w1"}));
    return place;
  }

  MergedJob look(const std::vector<std::string> &roots = {"a", "b"}) {
    Merger merger(job, folder.path);
    for (const std::string &root : roots)
      merger.addResults(folder.file(root));
    strangers = merger.strangers().vec();
    return merger.look(job);
  }

  TestFolder folder;
  ExpectedJob job;
  std::vector<std::string> strangers;
};

} // namespace

TEST_CASE("a job that passed has the essentials of its run", "[ci]") {
  MergedFolder merged;
  merged.start("a", recordOf("m", "passed", "PASS"), 0);
  MergedJob job = merged.look();
  CHECK(job.state == JobState::Passed);
  REQUIRE(job.run);
  CHECK(job.run->bubbles == NamedList<double>{{"import", 2}});
  CHECK(job.run->results[0].bubbles == 1);
  CHECK(job.end->host == "w1");
}

TEST_CASE("exit codes tell what became of it", "[ci]") {
  for (auto [code, state] :
       {std::pair(1, JobState::Failed), std::pair(77, JobState::Unsupported),
        std::pair(JobEnd::lost, JobState::Lost)}) {
    MergedFolder merged;
    merged.start("a", recordOf("m", "failed", "FAIL"), code);
    MergedJob job = merged.look();
    CHECK(job.state == state);
    CHECK_FALSE(job.reason.empty());
  }
}

TEST_CASE("what isn't whole is damaged, and never a pass", "[ci]") {
  std::string good = recordOf("m", "passed", "PASS");
  for (const std::string &record :
       {good.substr(0, 100), std::string(), recordOf("n", "passed", "PASS"),
        std::string("{\"schema\": 9}")}) {
    MergedFolder merged;
    merged.start("a", record, 0);
    MergedJob job = merged.look();
    CHECK(job.state == JobState::Damaged);
    CHECK_FALSE(job.reason.empty());
  }
  MergedFolder merged;
  std::string place = merged.start("a", good, 0);
  llvm::sys::fs::remove(place + "/1/report.json");
  CHECK(merged.look().state == JobState::Damaged);
}

TEST_CASE("of several results the newest whole one counts", "[ci]") {
  MergedFolder merged;
  std::string older = merged.start("a", recordOf("m", "failed", "FAIL"), 1);
  std::string newer = merged.start("b", recordOf("m", "passed", "PASS"), 0);
  auto touch = [](const std::string &place, time_t when) {
    utimbuf time{when, when};
    REQUIRE(utime((place + "/exit").c_str(), &time) == 0);
  };
  touch(older, 1000);
  touch(newer, 2000);
  MergedJob job = merged.look();
  CHECK(job.state == JobState::Passed);
  CHECK(job.others == 1);
  std::ofstream(newer + "/1/report.json") << "{";
  job = merged.look();
  CHECK(job.state == JobState::Failed);
  CHECK(job.others == 1);
}

TEST_CASE("a job without a result says how far it came", "[ci]") {
  MergedFolder merged;
  CHECK(merged.look().reason == "it was not begun");
  REQUIRE_FALSE(
      llvm::sys::fs::create_directories(merged.folder.file("a/job-1/1")));
  CHECK(merged.look().reason == "it was begun 1 time and has not ended");
  CHECK(merged.look().state == JobState::Missing);
  REQUIRE_FALSE(llvm::sys::fs::create_directories(merged.folder.file("tasks")));
  merged.folder.write("tasks/x86.refused", "invalid partition");
  CHECK(merged.look({}).state == JobState::Missing);
  CHECK(merged.look({}).reason == "invalid partition");
  merged.folder.write("tasks/x86.refused", "Invalid feature specification\n");
  CHECK(merged.look({}).state == JobState::Skipped);
  merged.job.skipped = "no runner has the labels x";
  CHECK(merged.look({}).reason == "no runner has the labels x");
}

TEST_CASE("records of a CI system's jobs count without an exit file", "[ci]") {
  MergedFolder merged;
  REQUIRE_FALSE(
      llvm::sys::fs::create_directories(merged.folder.file("a/x/y/job-1")));
  REQUIRE_FALSE(
      llvm::sys::fs::create_directories(merged.folder.file("a/x/other")));
  merged.folder.write("a/x/y/job-1/report.json",
                      recordOf("m", "passed", "PASS"));
  merged.folder.write("a/x/other/report.json", "{}");
  CHECK(merged.look().state == JobState::Passed);
  CHECK(merged.strangers.size() == 1);
  merged.folder.write("a/x/y/job-1/report.json",
                      recordOf("m", "failed", "FAIL"));
  CHECK(merged.look().state == JobState::Failed);
}

TEST_CASE("all is well only if nothing is missing and something ran", "[ci]") {
  using Counts = JobCounts;
  CHECK(exitCode(Counts{}) == 77);
  CHECK(exitCode(Counts{{JobState::Skipped, 1}}) == 77);
  CHECK(exitCode(Counts{{JobState::Passed, 1}, {JobState::Skipped, 1}}) == 0);
  for (JobState wrong :
       {JobState::Failed, JobState::Lost, JobState::Missing, JobState::Damaged})
    CHECK(exitCode(Counts{{JobState::Passed, 9}, {wrong, 1}}) == 1);
}

TEST_CASE("a merged record gives back what durations and coverage need",
          "[ci]") {
  MergedFolder merged;
  merged.start("a", recordOf("m", "passed", "PASS"), 0);
  MergedJob job = merged.look();
  std::string line = printJson(mergedJson(job), std::nullopt);
  std::string file = merged.folder.write(
      "merged.json", (mergedHead + line +
                      ",\n{\"name\":\"x\",\"state\":\"missing\"}\n],\n"
                      "\"summary\": {}}\n")
                         .str());
  SourceStore sources(*llvm::vfs::getRealFileSystem());
  CollectingSink sink;
  size_t runs = 0;
  REQUIRE(succeeded(forEachRun(file, sources, sink, [&](const SavedRun &run) {
    ++runs;
    CHECK(run.manifest == "m");
    REQUIRE(run.results.size() == 1);
    CHECK(run.results[0].status == ResultStatus::Passed);
    REQUIRE(run.steps.size() == 1);
    CHECK(run.steps[0].seconds == 2);
  })));
  CHECK(runs == 1);
  std::string cut = merged.folder.write("cut.json", (mergedHead + line).str());
  CHECK(failed(forEachRun(cut, sources, sink, [](const SavedRun &) {})));
  CHECK(sink.diagnostics()[0].where.line == 2);
}
