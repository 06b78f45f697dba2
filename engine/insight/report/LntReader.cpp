// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads LNT's forms of measurements, ours and others'.
#include "insight/report/LntReader.h"

#include "core/json/JsonCursor.h"
#include "core/support/FileSystem.h"

using namespace lh;

bool lh::isLntReport(StringRef text) {
  return text.take_front(4096).contains("\"format_version\"");
}

static std::string textAt(const JsonCursor &object, const char *key) {
  return object.has(key) ? object.at(key).asText() : "";
}

/// One sample or a list of them.
static std::vector<double> samplesOf(const JsonCursor &time) {
  if (!time.isArray())
    return {time.asNumber()};
  std::vector<double> samples;
  time.each(
      [&](const JsonCursor &sample) { samples.push_back(sample.asNumber()); });
  return samples;
}

static void readRun(const JsonCursor &top, LntSaved &saved) {
  JsonCursor machine = top.at("machine");
  saved.machine = machine.at("name").asText();
  if (top.has("run")) { // form 2
    JsonCursor run = top.at("run");
    saved.startedAt = run.at("start_time").asText();
    saved.revision = textAt(run, "llvm_project_revision");
    saved.hardware = textAt(machine, "hardware");
    return;
  }
  JsonCursor run = top.at("run_parameters");
  saved.startedAt = run.at("start_time").asText();
  saved.hardware = textAt(run, "hardware");
  if (run.has("threads"))
    saved.threads = static_cast<unsigned>(run.at("threads").asInteger());
  if (top.has("commit"))
    saved.revision = textAt(top.at("commit"), "value");
}

FailureOr<LntSaved> lh::readLntReport(StringRef path, SourceStore &sources,
                                      DiagnosticSink &sink) {
  FailureOr<StringRef> text = sources.load(path, {}, sink);
  if (failed(text))
    return failure();
  JsonDocument document{path.str(), *text, sink, DiagKind::ReportBadRecord,
                        "lh-run bench --lnt"};
  std::optional<nlohmann::json> json = parseJson(document);
  if (!json)
    return failure();
  JsonCursor top(document, *json);
  LntSaved saved;
  saved.record = absolutePath(path, workingDirectory());
  readRun(top, saved);
  top.at("tests").each([&](const JsonCursor &test) {
    if (!test.has("execution_time"))
      return;
    std::vector<double> samples = samplesOf(test.at("execution_time"));
    if (!samples.empty())
      saved.figures.push_back(
          {test.at("name").asText(), statisticsOf(std::move(samples))});
  });
  if (document.errors > 0)
    return failure();
  return saved;
}
