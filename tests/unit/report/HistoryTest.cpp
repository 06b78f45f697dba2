// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What changed from run to run, by records that are made up.
#include "insight/report/History.h"

#include "insight/report/page/SpacePage.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A run on this day with a result for each pipeline, "a" with this status.
static SavedRun runOf(const std::string &day,
                      std::vector<std::pair<std::string, ResultStatus>> all) {
  SavedRun run;
  run.manifest = "m";
  run.startedAt = day + "T01:00:00Z";
  run.versions = {{"lh-run", "on " + day}};
  for (const auto &[pipeline, status] : all) {
    SavedResult result;
    result.key = {"case", "", "host", "", pipeline};
    result.status = status;
    if (!isFine(status))
      result.reason = "off by <1>";
    run.results.push_back(std::move(result));
  }
  return run;
}

/// The same measured: seconds a call, and the share of the peak.
static SavedRun timed(const std::string &day, double seconds,
                      std::optional<double> share = std::nullopt) {
  SavedRun run = runOf(day, {{"a", ResultStatus::Passed}});
  BenchRecord &bench = run.bench.emplace();
  bench.cpu = "znver5";
  BenchRow row;
  row.key = run.results[0].key;
  row.seconds = statisticsOf({seconds * 0.99, seconds, seconds * 1.01});
  if (share)
    row.shareOfPeak = statisticsOf({*share});
  bench.groups.emplace_back().rows.push_back(std::move(row));
  return run;
}

static std::string changesOf(const History &history) {
  std::string text;
  for (const Change &change : history.changes)
    text += enumName(change.kind).str() + ": " + change.name + "\n";
  return text;
}

TEST_CASE("what broke comes before what is slower", "[report]") {
  std::vector<SavedRun> runs;
  for (const char *day : {"2026-11-03", "2026-11-01", "2026-11-02"})
    runs.push_back(timed(day, 1));
  runs.push_back(timed("2026-11-04", 1.5));
  SavedResult other;
  other.key = {"other", "", "host", "", "b"};
  other.status = ResultStatus::Passed;
  for (SavedRun &run : runs)
    run.results.push_back(other);
  runs.back().results.back().status = ResultStatus::Failed;
  History history = historyOf(runs, {}, 5);
  REQUIRE(history.runs.size() == 4);
  CHECK(history.runs.front().startedAt == "2026-11-01T01:00:00Z");
  CHECK(changesOf(history) == "broke: other b host\nslower: case/a/host\n");
  CHECK(history.changes[0].before == 2);
  CHECK(history.changes[0].after == 3);
  CHECK(history.changes[1].times == Approx(1.5));
}

TEST_CASE("each kind of change is told from the others", "[report]") {
  using Status = ResultStatus;
  auto changes = [](std::vector<Status> statuses) {
    std::vector<SavedRun> runs;
    for (size_t i = 0; i < statuses.size(); ++i)
      runs.push_back(
          runOf("2026-11-0" + std::to_string(i + 1), {{"a", statuses[i]}}));
    return changesOf(historyOf(runs, {}, 5));
  };
  CHECK(changes({Status::Passed, Status::Passed}).empty());
  CHECK(changes({Status::Failed}).empty());
  CHECK(changes({Status::Passed, Status::Unverified}) ==
        "broke: case a host\n");
  CHECK(changes({Status::Passed, Status::Failed, Status::Failed}) ==
        "still fails: case a host\n");
  CHECK(changes({Status::Failed, Status::Passed}) == "mended: case a host\n");
  CHECK(changes({Status::Passed, Status::Skipped}) ==
        "no longer run: case a host\n");
  CHECK(changes({Status::Skipped, Status::Skipped}).empty());
  // Another machine may be able to run other things.
  SavedRun here = runOf("2026-11-01", {{"a", Status::Passed}});
  SavedRun there = runOf("2026-11-02", {{"a", Status::Skipped}});
  here.cpu = "znver4";
  there.cpu = "sapphirerapids";
  CHECK(changesOf(historyOf({here, there}, {}, 5)).empty());
  CHECK(changes({Status::Failed, Status::ExpectedFailure}) ==
        "mended: case a host\n");
}

TEST_CASE("a result that its pipeline no longer has is gone", "[report]") {
  SavedRun before = runOf("2026-11-01", {{"a", ResultStatus::Passed}});
  SavedRun after = before;
  after.startedAt = "2026-11-02T01:00:00Z";
  after.results[0].key.caseName = "renamed";
  CHECK(changesOf(historyOf({before, after}, {}, 5)) == "gone: case a host\n");
  // In the run after that it is no news.
  SavedRun later = after;
  later.startedAt = "2026-11-03T01:00:00Z";
  CHECK(changesOf(historyOf({before, after, later}, {}, 5)).empty());
  // A job of another pipeline says nothing of this one's.
  after.results[0].key = {"case", "", "host", "", "b"};
  CHECK(changesOf(historyOf({before, after}, {}, 5)).empty());
}

TEST_CASE("a figure changes beyond all others, and not with its machine",
          "[report]") {
  auto changes = [](std::vector<SavedRun> runs) {
    return changesOf(historyOf(runs, {}, 5));
  };
  auto first = [](double a, double b) {
    return std::vector<SavedRun>{timed("2026-11-01", a),
                                 timed("2026-11-02", b)};
  };
  CHECK(changes(first(1, 1.06)) == "slower: case/a/host\n");
  CHECK(changes(first(1, 1.04)).empty());
  CHECK(changes(first(1.06, 1)) == "faster: case/a/host\n");
  std::vector<SavedRun> noisy = first(1, 1.1);
  noisy.push_back(timed("2026-11-03", 1.12));
  CHECK(changes(noisy).empty());
  CHECK(changes({timed("2026-11-01", 1, 0.8), timed("2026-11-02", 1.2, 0.79)})
            .empty());
  CHECK(changes({timed("2026-11-01", 1, 0.8),
                 timed("2026-11-02", 1.2, 0.66)}) == "slower: case/a/host\n");
  std::vector<SavedRun> elsewhere = first(1, 2);
  elsewhere[1].bench->cpu = "znver4";
  CHECK(changes(elsewhere).empty());
}

TEST_CASE("LNT's figures have a history of their own", "[report]") {
  LntSaved before;
  before.startedAt = "2026-11-01T01:00:00";
  before.hardware = "znver5";
  before.figures = {{"nts/x", statisticsOf({1.0})}};
  LntSaved after = before;
  after.startedAt = "2026-11-02T01:00:00";
  after.figures[0].seconds = statisticsOf({2.0});
  History history = historyOf({}, {after, before}, 5);
  CHECK(changesOf(history) == "slower: nts/x\n");
  CHECK(history.changes[0].times == Approx(2));
}

TEST_CASE("pipelines of which only one ever passes oppose each other",
          "[report]") {
  constexpr ResultStatus good = ResultStatus::Passed,
                         bad = ResultStatus::Failed;
  std::vector<SavedRun> runs = {
      runOf("2026-11-01", {{"a", good}, {"b", bad}, {"c", good}}),
      runOf("2026-11-02", {{"a", bad}, {"b", good}, {"c", good}}),
      runOf("2026-11-03", {{"a", good}, {"b", bad}, {"c", bad}})};
  History history = historyOf(runs, {}, 5);
  REQUIRE(history.oppositions.size() == 1);
  CHECK(history.tracks[history.oppositions[0].one].key.pipeline == "a");
  CHECK(history.tracks[history.oppositions[0].other].key.pipeline == "b");
  CHECK(history.oppositions[0].runs == 3);
  CHECK(history.oppositions[0].pairs == 1);
  // One that always fails opposes nobody.
  for (SavedRun &run : runs)
    run.results[1].status = bad;
  CHECK(historyOf(runs, {}, 5).oppositions.empty());
}

TEST_CASE("the page says what differs, and lets nothing through", "[report]") {
  std::vector<SavedRun> runs = {
      runOf("2026-11-01", {{"a", ResultStatus::Passed}}),
      runOf("2026-11-02", {{"a", ResultStatus::Failed}})};
  std::string page = spacePage(historyOf(runs, {}, 5), runs);
  CHECK(page.find("off by &lt;1&gt;") != std::string::npos);
  CHECK(page.find("<1>") == std::string::npos);
  CHECK(page.find("lh-run on 2026-11-01 \xE2\x86\x92 on 2026-11-02") !=
        std::string::npos);
}
