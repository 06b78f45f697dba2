// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A log that outlives whoever writes it.
#include "core/tune/TrialLog.h"
#include "../TestFolder.h"

#include "llvm/Support/MemoryBuffer.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <set>

using namespace lh;

static TrialRecord trial(int round) {
  TrialRecord trial;
  trial.space = "0123456789abcdef";
  trial.work = "@main 33x65x129";
  trial.target = "x86-avx512";
  trial.cpu = "rocketlake";
  trial.versions = {{"lh-run", "0.1.0"}, {"llvm", "22.1.8"}};
  trial.point = {{"rows", int64_t{12}}, {"strategy", std::string("tile")}};
  trial.seconds = statisticsOf({1.5e-6, 2e-6, 1.75e-6, 3e-6});
  trial.ratio = TrialRatio{1.19, 0.01};
  trial.baseSeconds = 2.1e-6;
  trial.code = "beef";
  trial.compileSeconds = 0.25;
  trial.round = round;
  trial.seed = 7;
  trial.host = "here";
  trial.when = "2026-01-02T03:04:05Z";
  return trial;
}

static std::vector<TrialRecord> trials(int first, int count) {
  std::vector<TrialRecord> all;
  for (int i = 0; i < count; ++i)
    all.push_back(trial(first + i));
  return all;
}

static void append(const std::string &path, ArrayRef<TrialRecord> trials) {
  CollectingSink sink;
  REQUIRE(succeeded(appendTrials(path, trials, sink)));
}

static TrialsRead readAll(const std::string &path) {
  CollectingSink sink;
  FailureOr<TrialsRead> read = readTrials(path, sink);
  REQUIRE(succeeded(read));
  return *read;
}

static std::vector<int> roundsOf(const TrialsRead &read) {
  std::vector<int> rounds;
  for (const TrialRecord &trial : read.trials)
    rounds.push_back(trial.round);
  return rounds;
}

static std::string contentOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  REQUIRE(buffer);
  return (*buffer)->getBuffer().str();
}

TEST_CASE("a trial is read as it was written", "[tune]") {
  TrialRecord written = trial(3);
  written.point = {{"packs", true},
                   {"rows", int64_t{-12}},
                   {"share", 0.1},
                   {"whole", 4.0},
                   {"text", std::string("a \"b\"\n\t\xc3\xa9")},
                   {"sizes", std::vector<int64_t>{1, 2}},
                   {"none", std::vector<int64_t>{}}};
  written.outcome = TrialOutcome::NoCompile;
  written.reason = "line 1\nline 2";
  written.seed = UINT64_MAX;
  std::string line = writeTrial(written);
  CHECK(StringRef(line).count('\n') == 0);
  FailureOr<TrialRecord> read = readTrial(line);
  REQUIRE(succeeded(read));
  CHECK(read->point == written.point);
  CHECK(read->space == written.space);
  CHECK(read->work == written.work);
  CHECK(read->target == written.target);
  CHECK(read->cpu == written.cpu);
  CHECK(read->versions == written.versions);
  CHECK(read->outcome == TrialOutcome::NoCompile);
  CHECK(read->reason == written.reason);
  REQUIRE(read->seconds);
  CHECK(read->seconds->count == 4);
  CHECK(read->seconds->median == written.seconds->median);
  CHECK(read->seconds->relativeError == written.seconds->relativeError);
  REQUIRE(read->ratio);
  CHECK(read->ratio->median == 1.19);
  CHECK(read->ratio->relativeError == 0.01);
  CHECK(read->baseSeconds == 2.1e-6);
  CHECK(read->code == "beef");
  CHECK(read->compileSeconds == 0.25);
  CHECK(read->round == 3);
  CHECK(read->seed == UINT64_MAX);
  CHECK(read->host == "here");
  CHECK(read->when == written.when);
  CHECK(writeTrial(*read) == line);
}

TEST_CASE("a trial without a time has none when it is read", "[tune]") {
  TrialRecord written;
  written.outcome = TrialOutcome::Crashed;
  FailureOr<TrialRecord> read = readTrial(writeTrial(written));
  REQUIRE(succeeded(read));
  CHECK_FALSE(read->seconds);
  CHECK_FALSE(read->ratio);
  CHECK_FALSE(read->baseSeconds);
  CHECK(read->point.empty());
  CHECK(read->code.empty());
}

TEST_CASE("a figure that is none is kept", "[tune]") {
  TrialRecord written = trial(0);
  written.ratio->median = std::nan("");
  FailureOr<TrialRecord> read = readTrial(writeTrial(written));
  REQUIRE(succeeded(read));
  CHECK(std::isnan(read->ratio->median));
}

TEST_CASE("garbage is no trial", "[tune]") {
  std::string line = writeTrial(trial(1));
  REQUIRE(succeeded(readTrial(line)));
  auto with = [&](StringRef from, StringRef to) {
    size_t at = line.find(from.str());
    REQUIRE(at != std::string::npos);
    return std::string(line).replace(at, from.size(), to.str());
  };
  for (const std::string &text :
       {std::string(),
        std::string("null"),
        std::string("[]"),
        std::string("{}"),
        std::string("\0\xff\xfe{", 4),
        line + line,
        std::string("{\"schema\":1}"),
        with("\"schema\":1", "\"schema\":2"),
        with("\"schema\":1", "\"schema\":\"1\""),
        with("\"schema\":1", "\"schema\":[1]"),
        with("rocketlake", "\xff"),
        with("\"round\":1", "\"round\":99999999999"),
        with("\"round\":1", "\"round\":1.5"),
        with("\"seed\":7", "\"seed\":-7"),
        with("\"seed\":7", "\"seed\":1e400"),
        with("\"seed\":7", "\"seed\":null"),
        with("\"outcome\":\"measured\"", "\"outcome\":\"splendid\""),
        with("\"outcome\":\"measured\"", "\"outcome\":0"),
        with("\"rows\":12", "\"rows\":18446744073709551615"),
        with("\"rows\":12", "\"rows\":null"),
        with("\"rows\":12", "\"rows\":{}"),
        with("\"rows\":12", "\"rows\":[1,\"2\"]"),
        with("\"rows\":12", "\"rows\":[[1]]"),
        with("\"point\":{", "\"pint\":{"),
        with("\"seconds\":{", "\"seconds\":[{},{}],\"other\":{"),
        std::string(100000, '['),
        std::string(3 << 20, 'x')}) {
    CAPTURE(text.substr(0, 2000));
    CHECK(failed(readTrial(text)));
  }
}

TEST_CASE("a log that isn't there has no trials", "[tune]") {
  TestFolder folder;
  TrialsRead read = readAll(folder.file("none.jsonl"));
  CHECK(read.trials.empty());
  CHECK(read.damaged == 0);
}

TEST_CASE("rounds are added to a log in a new folder", "[tune]") {
  TestFolder folder;
  std::string path = folder.file("sub/tune-trials.jsonl");
  append(path, trials(0, 2));
  append(path, {});
  append(path, trials(2, 1));
  CHECK(roundsOf(readAll(path)) == std::vector<int>{0, 1, 2});
  CHECK(StringRef(contentOf(path)).count('\n') == 3);
}

TEST_CASE("what can't be written or read is said", "[tune]") {
  TestFolder folder;
  CollectingSink sink;
  std::string file = folder.write("file", "");
  CHECK(failed(appendTrials(file + "/log", trials(0, 1), sink)));
  CHECK(failed(appendTrials(folder.path, trials(0, 1), sink)));
  CHECK(failed(appendTrials("/dev/full", trials(0, 1), sink)));
  REQUIRE(sink.diagnostics().size() == 3);
  for (const Diagnostic &diagnostic : sink.diagnostics())
    CHECK(diagnostic.kind == DiagKind::SupportCannotWrite);
  CHECK(sink.diagnostics()[2].message ==
        "cannot write '/dev/full': no space left on device");
  CHECK(failed(readTrials(folder.path, sink)));
  REQUIRE(sink.diagnostics().size() == 4);
  CHECK(sink.diagnostics()[3].kind == DiagKind::SupportCannotRead);
}

TEST_CASE("a log cut off anywhere goes on", "[tune]") {
  TestFolder folder;
  std::string path = folder.file("log");
  // Short ones: there are as many cuts as bytes.
  std::vector<TrialRecord> three(3);
  for (int i = 0; i < 3; ++i)
    three[static_cast<size_t>(i)].round = i;
  append(path, three);
  std::string whole = contentOf(path);
  for (size_t cut = 0; cut <= whole.size(); ++cut) {
    StringRef rest = StringRef(whole).take_front(cut);
    folder.write("log", rest);
    // The last line is whole where nothing but its end is missing.
    bool isWhole = cut < whole.size() && whole[cut] == '\n';
    auto lines = static_cast<int>(rest.count('\n')) + isWhole;
    bool isTorn = !isWhole && !rest.empty() && rest.back() != '\n';
    std::vector<int> expected;
    for (int i = 0; i < lines; ++i)
      expected.push_back(i);
    TrialsRead before = readAll(path);
    append(path, trials(10, 2));
    TrialsRead after = readAll(path);
    bool isRight = roundsOf(before) == expected && before.damaged == isTorn &&
                   after.damaged == isTorn;
    expected.insert(expected.end(), {10, 11});
    if (!isRight || roundsOf(after) != expected)
      FAIL("cut at byte " << cut);
  }
}

TEST_CASE("damaged lines between others are counted", "[tune]") {
  TestFolder folder;
  std::string line = writeTrial(trial(5)) + "\n";
  std::string path =
      folder.write("log", "\n" + line + "{\n\n" + line + std::string(50, '\0') +
                              "\n\xff\xff\n" + line + "{\"schema\":1");
  TrialsRead read = readAll(path);
  CHECK(read.trials.size() == 3);
  CHECK(read.damaged == 4);
}

/// Adds rounds of `size` trials, `first` and so on, until killed if no `count`
/// is given.
static pid_t startWriter(const std::string &path, int first, int size,
                         int count = INT_MAX) {
  pid_t writer = fork();
  if (writer != 0)
    return writer;
  CollectingSink sink;
  for (int i = 0; i < count; ++i)
    if (failed(appendTrials(path, trials(first + i * size, size), sink)))
      _exit(1);
  _exit(0);
}

TEST_CASE("two writers don't tear each other's lines", "[tune]") {
  TestFolder folder;
  std::string path = folder.file("log");
  for (pid_t writer :
       {startWriter(path, 0, 4, 25), startWriter(path, 1000, 4, 25)}) {
    int status = -1;
    REQUIRE(waitpid(writer, &status, 0) == writer);
    CHECK(status == 0);
  }
  TrialsRead read = readAll(path);
  CHECK(read.damaged == 0);
  std::vector<int> rounds = roundsOf(read);
  CHECK(std::set<int>(rounds.begin(), rounds.end()).size() == 200);
  // The four of a round stay together.
  for (size_t i = 0; i + 3 < rounds.size(); i += 4)
    CHECK(rounds[i + 3] == rounds[i] + 3);
}

TEST_CASE("a killed writer leaves whole rounds", "[tune]") {
  TestFolder folder;
  std::string path = folder.file("log");
  for (int kill = 0; kill < 5; ++kill) {
    pid_t writer = startWriter(path, kill * 1000000, 3);
    usleep(static_cast<useconds_t>(3000 + kill * 1700));
    REQUIRE(::kill(writer, SIGKILL) == 0);
    int status = 0;
    REQUIRE(waitpid(writer, &status, 0) == writer);
    size_t before = readAll(path).trials.size();
    append(path, trials(-1, 1));
    TrialsRead after = readAll(path);
    CHECK(after.trials.size() == before + 1);
    CHECK(after.damaged <= static_cast<size_t>(kill) + 1);
  }
}
