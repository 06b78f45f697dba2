// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads back what JsonReport writes.
#include "insight/report/RecordReader.h"

#include "core/support/FileSystem.h"
#include "insight/report/BenchReader.h"
#include "insight/report/JsonCursor.h"
#include "insight/report/SpaceJson.h"
#include "insight/report/Summary.h"

#include "llvm/Support/FileSystem.h"

using namespace lh;

constexpr int64_t knownSchema = 1;

/// The enumerator of `all` with this name.
template <typename Status, size_t N>
static Status statusFrom(const JsonCursor &object, const Status (&all)[N]) {
  std::string name = object.text("status");
  for (Status status : all)
    if (statusName(status) == name)
      return status;
  if (!name.empty())
    object.at("status").error("is '" + name + "', which no status is called");
  return all[0];
}

static SourceSpan spanFrom(const JsonCursor &object) {
  constexpr int64_t most = 1 << 30;
  auto count = [&](const char *key) {
    return static_cast<unsigned>(
        std::clamp<int64_t>(object.integer(key), 0, most));
  };
  return {object.text("file"), count("line"), count("column"), 0};
}

static SourceSpan whereOf(const JsonCursor &object) {
  return object.has("where") ? spanFrom(object.at("where")) : SourceSpan();
}

static SavedDiagnostic diagnosticFrom(const JsonCursor &object) {
  SavedDiagnostic diagnostic{object.text("kind"),
                             object.text("severity"),
                             object.text("message"),
                             whereOf(object),
                             {}};
  object.each("notes", [&](const JsonCursor &note) {
    diagnostic.notes.push_back({whereOf(note), note.text("message")});
  });
  return diagnostic;
}

static void readTables(const JsonCursor &top, SavedRun &run) {
  top.each("actions", [&](const JsonCursor &item) {
    run.actions.push_back({item.text("kind"), item.text("what"),
                           item.textOr("mlir_opt", ""), whereOf(item)});
  });
  top.each("places", [&](const JsonCursor &item) {
    run.places.push_back({spanFrom(item), item.textOr("text", "")});
  });
}

static void readMatches(const JsonCursor &object, const SavedRun &run,
                        SavedStep &step) {
  object.eachMember("matches",
                    [&](const std::string &key, const JsonCursor &count) {
                      SavedMatch match;
                      if (StringRef(key).getAsInteger(10, match.place) ||
                          match.place >= run.places.size())
                        return count.error("names no place of 'places'");
                      match.operations = count.asInteger();
                      step.matches.push_back(match);
                    });
}

static OpChoice choiceFrom(const JsonCursor &object) {
  OpChoice choice = {object.text("op"),          object.textOr("name", ""),
                     object.textOr("sizes", ""), whereOf(object),
                     object.text("strategy"),    object.text("rule")};
  object.eachMember("numbers",
                    [&](const std::string &name, const JsonCursor &value) {
                      choice.numbers[name] = value.asText();
                    });
  return choice;
}

static std::optional<ModuleCount> countAt(const JsonCursor &object,
                                          const char *key) {
  if (!object.has(key))
    return std::nullopt;
  ModuleCount count;
  JsonCursor fields = object.at(key);
  count.constantBytes = fields.integerOr("constant_bytes", 0);
  fields.eachMember("by_dialect",
                    [&](const std::string &dialect, const JsonCursor &number) {
                      count.operations[dialect] = number.asInteger();
                    });
  return count;
}

static PassTime passFrom(const JsonCursor &object) {
  constexpr int64_t deepest = 1000;
  return {object.text("name"),
          static_cast<unsigned>(
              std::clamp<int64_t>(object.integer("depth"), 0, deepest)),
          object.number("begin"), object.number("seconds")};
}

static SavedStep stepFrom(const JsonCursor &object, const SavedRun &run) {
  using enum StepStatus;
  static constexpr StepStatus all[] = {
      NotRun, Passed, Failed, Crashed, TimedOut, OutOfMemory, NotApplicable};
  SavedStep step;
  size_t number = run.steps.size();
  if (object.integer("id") != static_cast<int64_t>(number))
    object.at("id").error("should be " + std::to_string(number));
  step.bubble = object.text("bubble");
  if (object.has("parent"))
    step.parent = object.index("parent", number);
  if (object.has("action"))
    step.action = object.index("action", run.actions.size());
  step.status = statusFrom(object, all);
  step.reason = object.textOr("reason", "");
  step.log = object.textOr("log", "");
  step.begin = object.numberOr("begin", 0);
  step.seconds = object.number("seconds");
  step.worker =
      static_cast<size_t>(std::max<int64_t>(object.integerOr("worker", 0), 0));
  step.peakBytes = object.integerOr("peak_bytes", 0);
  step.changedModule = object.flagOr("changed_module", true);
  readMatches(object, run, step);
  object.each("choices", [&](const JsonCursor &choice) {
    step.choices.push_back(choiceFrom(choice));
  });
  step.before = countAt(object, "before");
  step.after = countAt(object, "after");
  object.each("passes", [&](const JsonCursor &pass) {
    step.passes.push_back(passFrom(pass));
  });
  object.each("run_seconds", [&](const JsonCursor &seconds) {
    step.runSeconds.push_back(seconds.asNumber());
  });
  if (object.has("snapshot"))
    step.snapshot = absolutePath(object.text("snapshot"), folderOf(run.record));
  object.each("diagnostics", [&](const JsonCursor &diagnostic) {
    step.diagnostics.push_back(diagnosticFrom(diagnostic));
  });
  return step;
}

static WorstElement worstFrom(const JsonCursor &object) {
  WorstElement element;
  object.each("index", [&](const JsonCursor &index) {
    element.index.push_back(index.asInteger());
  });
  element.actual = object.number("actual");
  element.expected = object.number("expected");
  element.ulp = object.integer("ulp");
  element.share = object.numberOr("share", 0);
  return element;
}

static void readCounts(const JsonCursor &object, CompareResult &result) {
  auto pair = [&](const char *key, int64_t &actual, int64_t &expected) {
    if (!object.has(key))
      return;
    actual = object.at(key).integer("actual");
    expected = object.at(key).integer("expected");
  };
  pair("nan", result.nanActual, result.nanExpected);
  pair("inf", result.infActual, result.infExpected);
  pair("denormal", result.denormalActual, result.denormalExpected);
  size_t bucket = 0;
  object.each("ulp_histogram", [&](const JsonCursor &count) {
    if (bucket < ulpBuckets)
      result.ulpHistogram[bucket++] = count.asInteger();
  });
  object.each("worst", [&](const JsonCursor &element) {
    result.worst.push_back(worstFrom(element));
  });
}

static CompareResult resultFrom(const JsonCursor &object) {
  CompareResult result;
  result.passed = object.flag("passed");
  result.mismatch = object.textOr("mismatch", "");
  JsonCursor tolerance = object.at("tolerance");
  result.tolerance.atol = tolerance.number("atol");
  result.tolerance.rtol = tolerance.number("rtol");
  if (tolerance.has("ulp"))
    result.tolerance.ulp = tolerance.integer("ulp");
  result.elements = object.integer("elements");
  result.mismatches = object.integer("mismatches");
  result.unbounded = object.integerOr("unbounded", 0);
  result.maxUlp = object.integer("max_ulp");
  const std::pair<const char *, double *> numbers[] = {
      {"max_abs", &result.maxAbs},
      {"mean_abs", &result.meanAbs},
      {"p99_abs", &result.p99Abs},
      {"rms_abs", &result.rmsAbs},
      {"max_rel", &result.maxRel},
      {"mean_rel", &result.meanRel},
      {"p99_rel", &result.p99Rel},
      {"relative_l2", &result.relativeL2},
      {"cosine", &result.cosine},
      {"max_norm", &result.maxNorm},
      {"worst_share", &result.worstShare},
      {"smallest_atol", &result.smallestAtol},
      {"smallest_rtol", &result.smallestRtol}};
  for (auto [key, number] : numbers)
    *number = object.number(key);
  JsonCursor expected = object.at("expected");
  result.minExpected = expected.number("min");
  result.maxExpected = expected.number("max");
  result.rmsExpected = expected.numberOr("rms", 0);
  readCounts(object, result);
  return result;
}

static OutputComparison comparisonFrom(const JsonCursor &object) {
  OutputComparison comparison{object.text("output"), object.text("against"),
                              resultFrom(object)};
  std::string name = object.text("criterion");
  for (Criterion criterion : {Criterion::Exact, Criterion::Bound,
                              Criterion::Ratio, Criterion::Tolerance})
    if (criterionName(criterion) == name)
      comparison.criterion = criterion;
  for (auto [key, lines] : {std::pair("basis", &comparison.basis),
                            std::pair("warnings", &comparison.warnings)})
    object.each(key, [&, lines = lines](const JsonCursor &line) {
      lines->push_back(line.asText());
    });
  return comparison;
}

static ResultKey keyFrom(const JsonCursor &object) {
  return {object.text("case"), object.text("data_set"), object.text("target"),
          object.text("sweep"), object.text("pipeline")};
}

static SavedResult savedResultFrom(const JsonCursor &object,
                                   const SavedRun &run) {
  using enum ResultStatus;
  static constexpr ResultStatus all[] = {
      Passed,     Emitted,       Failed,         Skipped,
      Unverified, NotApplicable, ExpectedFailure};
  SavedResult result;
  result.key = keyFrom(object.at("key"));
  result.status = statusFrom(object, all);
  result.reason = object.textOr("reason", "");
  result.again = object.textOr("again", "");
  object.each("steps", [&](const JsonCursor &step) {
    result.steps.push_back(step.asIndex(run.steps.size()));
  });
  if (object.has("run_seconds"))
    result.runSeconds = object.number("run_seconds");
  if (object.has("arithmetic")) {
    JsonCursor arithmetic = object.at("arithmetic");
    if (arithmetic.has("vectorised_share"))
      result.vectorisedShare = arithmetic.number("vectorised_share");
    if (arithmetic.has("instruction_share"))
      result.instructionShare = arithmetic.number("instruction_share");
    arithmetic.each("unknown_calls", [&](const JsonCursor &call) {
      result.unknownCallees +=
          (result.unknownCallees.empty() ? "" : ", ") + call.text("name");
    });
  }
  if (object.has("flops") && object.at("flops").has("kernel_share")) {
    JsonCursor flops = object.at("flops");
    result.kernelShare = flops.number("kernel_share");
    flops.each("kernels", [&](const JsonCursor &kernel) {
      result.kernels +=
          (result.kernels.empty() ? "" : ", ") + kernel.text("name");
    });
  }
  if (object.has("classified")) {
    JsonCursor classified = object.at("classified");
    result.classified = {classified.integer("rightly"),
                         classified.integer("of")};
  }
  object.each("outputs", [&](const JsonCursor &output) {
    result.outputs.push_back(comparisonFrom(output));
  });
  return result;
}

static void readRun(const JsonCursor &top, SavedRun &run) {
  run.manifest = top.text("manifest");
  run.file = top.text("file");
  run.startedAt = top.textOr("started_at", "");
  top.eachMember("versions",
                 [&](const std::string &program, const JsonCursor &version) {
                   run.versions[program] = version.asText();
                 });
  run.interrupted = top.flagOr("interrupted", false);
  run.seconds = top.numberOr("seconds", 0);
  readTables(top, run);
  for (const char *key : {"steps", "results"})
    if (!top.has(key))
      top.error("has no '" + Twine(key) + "'; lh-run run --json writes them");
  top.each("steps", [&](const JsonCursor &step) {
    run.steps.push_back(stepFrom(step, run));
  });
  top.each("results", [&](const JsonCursor &result) {
    run.results.push_back(savedResultFrom(result, run));
  });
  if (top.has("bench"))
    run.bench = benchFrom(top.at("bench"));
  if (top.has("space"))
    run.space = spaceFrom(top.at("space"));
}

static LogicalResult checkSchema(JsonDocument &document,
                                 const JsonCursor &top) {
  unsigned errors = document.sink.errorCount();
  int64_t schema = top.integer("schema");
  if (document.sink.errorCount() > errors)
    return failure();
  if (schema == knownSchema)
    return success();
  document.errorKind = DiagKind::ReportRecordVersion;
  top.at("schema").error("is " + std::to_string(schema) +
                         ", and this lh-run reads records of schema " +
                         std::to_string(knownSchema) +
                         "; use the lh-run that wrote it");
  return failure();
}

FailureOr<SavedRun> lh::readRecord(StringRef path, SourceStore &sources,
                                   DiagnosticSink &sink) {
  FailureOr<StringRef> text = sources.load(path, {}, sink);
  if (failed(text))
    return failure();
  JsonDocument document{path.str(), *text, sink, DiagKind::ReportBadRecord,
                        "lh-run run --json"};
  std::optional<nlohmann::json> json = parseJson(document);
  if (!json)
    return failure();
  JsonCursor top(document, *json);
  if (failed(checkSchema(document, top)))
    return failure();
  SavedRun run;
  llvm::SmallString<128> absolute(path);
  if (llvm::sys::fs::make_absolute(absolute))
    absolute = path;
  run.record = absolute.str().str();
  unsigned errors = sink.errorCount();
  readRun(top, run);
  if (sink.errorCount() > errors)
    return failure();
  return run;
}

FailureOr<std::vector<SavedRun>>
lh::readRecords(StringRef place, SourceStore &sources, DiagnosticSink &sink) {
  std::vector<std::string> paths = {place.str()};
  if (isFolder(sources.fileSystem(), place)) {
    paths.clear();
    for (const std::string &file : listFilesBelow(sources.fileSystem(), place))
      if (StringRef(file).ends_with(".json"))
        paths.push_back((place + "/" + file).str());
  }
  std::vector<SavedRun> runs;
  for (const std::string &path : paths)
    if (auto run = readRecord(path, sources, sink); succeeded(run))
      runs.push_back(std::move(*run));
  if (runs.size() != paths.size())
    return failure();
  return runs;
}
