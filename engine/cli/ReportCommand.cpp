// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run report`: records of runs as one page to read.
#include "cli/Command.h"

#include "core/support/FileSystem.h"
#include "insight/report/RecordReader.h"
#include "insight/report/page/Page.h"
#include "insight/report/page/SpacePage.h"
#include "steps/GraphLoader.h"

using namespace lh;

namespace {
struct ReportOptions {
  std::vector<std::string> records;
  std::string format = "html";
  bool space = false;
  double slower = 5; ///< percent
  std::string output = "report.html";
};
} // namespace

static void addReportFlags(CLI::App &command, ReportOptions &options) {
  addValue(command, "record", "RUN.json", options.records,
           "what run --json or bench --json wrote; with --space also what "
           "bench --lnt or another program wrote for LNT")
      ->required();
  addValue(command, "--format", "FORMAT", options.format,
           "'html', as yet the only one")
      ->check(CLI::IsMember({"html"}));
  CLI::Option *space =
      command.add_flag("--space", options.space,
                       "the state of a space of pipelines: what has changed "
                       "from run to run, the "
                       "map with the newest results, and figures over time");
  addValue(command, "--slower", "PERCENT", options.slower,
           "with --space: by how much a figure must be beyond all before it to "
           "have changed (default: 5)")
      ->check(CLI::NonNegativeNumber)
      ->needs(space);
  addValue(command, "-o,--output", "FILE", options.output,
           "where it goes; '-' is standard output (default: report.html)");
}

/// A record of a run or, for the space's history, a report for LNT.
static void readAny(const std::string &path, const ReportOptions &options,
                    SourceStore &sources, DiagnosticSink &sink,
                    std::vector<SavedRun> &runs,
                    std::vector<LntSaved> &figures) {
  FailureOr<StringRef> text = sources.load(path, {}, sink);
  if (failed(text))
    return;
  if (options.space && isLntReport(*text)) {
    if (auto read = readLntReport(path, sources, sink); succeeded(read))
      figures.push_back(std::move(*read));
  } else if (auto run = readRecord(path, sources, sink); succeeded(run)) {
    runs.push_back(std::move(*run));
  }
}

static int runReport(const ReportOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  bool toStream = options.output == "-";
  if (!toStream && failed(checkWritable(options.output, {}, sink)))
    return badUsage;
  std::vector<SavedRun> runs;
  std::vector<LntSaved> figures;
  for (const std::string &path : options.records)
    readAny(path, options, sources, sink, runs, figures);
  if (runs.size() + figures.size() != options.records.size())
    return badUsage;
  std::string page =
      options.space ? spacePage(historyOf(runs, figures, options.slower), runs)
                    : reportPage(std::move(runs), sink);
  if (toStream) {
    env.out << page;
    return 0;
  }
  return succeeded(writeFileAtomically(options.output, page, {}, sink)) ? 0 : 1;
}

CommandRun lh::makeReportCommand(CLI::App &command) {
  return makeCommand(command, addReportFlags, runReport);
}
