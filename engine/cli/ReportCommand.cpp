// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run report`: records of runs as one page to read.
#include "cli/Command.h"

#include "core/support/FileSystem.h"
#include "insight/report/RecordReader.h"
#include "insight/report/page/Page.h"
#include "steps/GraphLoader.h"

using namespace lh;

namespace {
struct ReportOptions {
  std::vector<std::string> records;
  std::string format = "html";
  std::string output = "report.html";
};
} // namespace

static void addReportFlags(CLI::App &command, ReportOptions &options) {
  addValue(command, "record", "RUN.json", options.records,
           "what run --json or bench --json wrote")
      ->required();
  addValue(command, "--format", "FORMAT", options.format,
           "'html', as yet the only one")
      ->check(CLI::IsMember({"html"}));
  addValue(command, "-o,--output", "FILE", options.output,
           "where it goes; '-' is standard output (default: report.html)");
}

static int runReport(const ReportOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  bool toStream = options.output == "-";
  if (!toStream && failed(checkWritable(options.output, {}, sink)))
    return badUsage;
  std::vector<SavedRun> runs;
  for (const std::string &path : options.records)
    if (FailureOr<SavedRun> run = readRecord(path, sources, sink);
        succeeded(run))
      runs.push_back(std::move(*run));
  if (runs.size() != options.records.size())
    return badUsage;
  std::string page = reportPage(std::move(runs), sink);
  if (toStream) {
    env.out << page;
    return 0;
  }
  return succeeded(writeFileAtomically(options.output, page, {}, sink)) ? 0 : 1;
}

CommandRun lh::makeReportCommand(CLI::App &command) {
  return makeCommand(command, addReportFlags, runReport);
}
