// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run merge`: what became of the jobs of a plan, as one record.
#include "cli/Command.h"

#include "cli/SharedOptions.h"
#include "core/support/FileSystem.h"
#include "core/support/InOrder.h"
#include "insight/ci/Merge.h"
#include "insight/report/RecordReader.h"
#include "insight/report/page/Page.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lh;

namespace {
struct MergeOptions {
  std::string expect;
  std::vector<std::string> results;
  std::string json, junit, markdown, page;
};
} // namespace

static void addMergeFlags(CLI::App &command, MergeOptions &options) {
  addValue(command, "results", "DIR", options.results,
           "folders with jobs' results in them, however deep")
      ->required();
  addValue(command, "--expect", "FILE", options.expect,
           "the jobs that there should be: plan.json, or what 'lh-run ci "
           "--format json' wrote")
      ->required();
  addJsonFlag(command, options.json,
              "write one record: of each job what became of it, its results "
              "and how long its bubbles took");
  addValue(command, "--junit", "FILE", options.junit,
           "write the results as JUnit XML");
  addValue(command, "--markdown", "FILE", options.markdown,
           "write a summary for the page of a CI system");
  addValue(command, "-o,--output", "FILE", options.page,
           "write a page: what is wrong, with links to jobs' own pages, and a "
           "table of all");
}

namespace {

/// One call of the command. Everything is borrowed.
class Merge {
public:
  Merge(const MergeOptions &options, DriverEnv &env)
      : options(options), env(env), sources(env.files),
        sink(env.err, sources, sinkOptions(env)) {}

  int run();

private:
  LogicalResult checkPlaces();
  void add(MergedJob merged);
  std::string linkTo(const std::string &file, const std::string &from) const;
  std::string pageOf(const MergedJob &merged);
  void begin();
  LogicalResult finish();

  const MergeOptions &options;
  DriverEnv &env;
  SourceStore sources;
  StreamSink sink;
  std::optional<AtomicFile> json, junit;
  std::vector<MergedRow> rows;
  JobCounts counts;
  size_t others = 0, pages = 0;
};

} // namespace

LogicalResult Merge::checkPlaces() {
  bool usable = true;
  for (const std::string *file :
       {&options.json, &options.junit, &options.markdown, &options.page})
    if (!file->empty())
      usable &= succeeded(checkWritable(*file, {}, sink));
  for (const std::string &folder : options.results)
    if (!isFolder(env.files, folder))
      usable = failed(sink.error(DiagKind::SupportCannotRead, {},
                                 "'" + folder + "' is no folder of results")) &&
               false;
  return success(usable);
}

/// As the page, or record, in the file `from` names it.
std::string Merge::linkTo(const std::string &file,
                          const std::string &from) const {
  if (file.empty())
    return "";
  std::string here = workingDirectory();
  std::string target = absolutePath(file, here);
  std::string folder = folderOf(absolutePath(from, here)) + "/";
  StringRef rest = target;
  return rest.consume_front(folder) ? rest.str() : target;
}

/// A page of its own for what has failed, beside the record. There's no need
/// for hundreds: who sees as many looks for what they have in common.
std::string Merge::pageOf(const MergedJob &merged) {
  constexpr size_t most = 100;
  if (options.page.empty() || merged.state != JobState::Failed ||
      merged.record.empty() || pages >= most)
    return "";
  SourceStore own(env.files);
  CollectingSink unheard;
  FailureOr<SavedRun> run = readRecord(merged.record, own, unheard);
  if (failed(run))
    return "";
  std::string file = folderOf(merged.record) + "/report.html";
  std::vector<SavedRun> runs;
  runs.push_back(std::move(*run));
  if (failed(writeFileAtomically(file, reportPage(std::move(runs), unheard), {},
                                 unheard)))
    return "";
  ++pages;
  return linkTo(file, options.page);
}

void Merge::add(MergedJob merged) {
  MergedRow row;
  row.state = merged.state;
  row.manifest = merged.job->manifest;
  row.target = merged.job->target;
  row.title = merged.job->title;
  row.reason = merged.reason;
  if (merged.end) {
    row.host = merged.end->host;
    row.seconds = merged.end->seconds;
  } else if (merged.run) {
    for (const auto &[bubble, seconds] : merged.run->bubbles)
      row.seconds += seconds;
  }
  if (!options.page.empty()) {
    row.record = linkTo(merged.record, options.page);
    row.log = linkTo(merged.log, options.page);
    row.page = pageOf(merged);
  }
  ++counts[merged.state];
  others += merged.others;
  if (junit)
    junit->stream() << mergedSuite(merged);
  if (json) {
    merged.record = linkTo(merged.record, options.json);
    merged.log = linkTo(merged.log, options.json);
    json->stream() << (rows.empty() ? "" : ",\n")
                   << printJson(mergedJson(merged), std::nullopt);
  }
  rows.push_back(std::move(row));
}

void Merge::begin() {
  if (!options.json.empty())
    json.emplace(options.json).stream() << mergedHead;
  if (!options.junit.empty())
    junit.emplace(options.junit).stream()
        << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
}

LogicalResult Merge::finish() {
  bool written = true;
  if (json) {
    Json summary = Json::object();
    for (const auto &[state, count] : counts)
      summary[enumName(state).str()] = count;
    json->stream() << "\n],\n\"summary\": " << printJson(summary, std::nullopt)
                   << "}\n";
    written &= succeeded(json->commit({}, sink));
  }
  if (junit) {
    junit->stream() << "</testsuites>\n";
    written &= succeeded(junit->commit({}, sink));
  }
  auto put = [&](const std::string &file, auto text) {
    if (!file.empty())
      written &= succeeded(writeFileAtomically(file, text(), {}, sink));
  };
  put(options.markdown, [&] { return mergedMarkdown(rows, counts); });
  put(options.page,
      [&] { return mergedPage(countsText(counts), rows, counts); });
  return success(written);
}

int Merge::run() {
  if (failed(checkPlaces()))
    return badUsage;
  FailureOr<std::vector<ExpectedJob>> jobs =
      readExpected(options.expect, sources, sink);
  if (failed(jobs))
    return badUsage;
  Merger merger(*jobs,
                folderOf(absolutePath(options.expect, workingDirectory())));
  for (const std::string &folder : options.results)
    merger.addResults(folder);
  begin();
  makeInOrder<MergedJob>(
      jobs->size(), [&](size_t i) { return merger.look((*jobs)[i]); },
      [&](MergedJob &&merged) { add(std::move(merged)); });
  for (const MergedRow &row : rows)
    if (row.state != JobState::Passed && row.state != JobState::Unsupported &&
        row.state != JobState::Skipped)
      env.out << enumName(row.state) << ": " << visibleLine(row.title) << ": "
              << visibleLine(row.reason) << '\n';
  if (others > 0)
    env.out << others << " further results of the same jobs don't count\n";
  if (!merger.strangers().empty())
    sink.warning(DiagKind::DriverUnexpectedRecord, {},
                 Twine(merger.strangers().size()) +
                     " records are of no expected job, the first '" +
                     merger.strangers().front() + "'");
  env.out << countsText(counts) << '\n';
  return failed(finish()) ? 1 : exitCode(counts);
}

static int runMerge(const MergeOptions &options, DriverEnv &env) {
  return Merge(options, env).run();
}

CommandRun lh::makeMergeCommand(CLI::App &command) {
  return makeCommand(command, addMergeFlags, runMerge);
}
