// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads back what JsonReport writes.
#include "insight/report/RecordReader.h"

#include "core/support/FileSystem.h"
#include "core/support/InOrder.h"
#include "insight/report/SavedRunFields.h"

#include "llvm/Support/FileSystem.h"

using namespace lh;

constexpr int64_t knownSchema = 1;

static void checkIndex(const JsonCursor &value, size_t index, size_t end) {
  if (index >= end)
    value.error("is " + Twine(index) + "; there are " + Twine(end));
}

/// Visits the members of the list at `key` of `object`, with their indices.
static void eachOf(const JsonCursor &object, const char *key,
                   llvm::function_ref<void(size_t, const JsonCursor &)> visit) {
  if (object.has(key))
    object.at(key).each([&, i = size_t(0)](const JsonCursor &item) mutable {
      visit(i++, item);
    });
}

/// The members that RecordParts::Outcomes leaves out.
static constexpr StringRef forPages[] = {"actions", "places", "space",
                                         "results.seconds"};

static void checkStep(const JsonCursor &object, size_t number,
                      const SavedRun &run, RecordParts parts) {
  const SavedStep &step = run.steps[number];
  if (step.step != number)
    object.at("id").error("should be " + Twine(number));
  if (step.parent)
    checkIndex(object.at("parent"), *step.parent, number);
  if (parts == RecordParts::Outcomes)
    return;
  if (step.action)
    checkIndex(object.at("action"), *step.action, run.actions.size());
  if (!step.matchedAt.empty())
    object.at("matches").eachMember([&](const std::string &key,
                                        const JsonCursor &count) {
      size_t place = 0;
      if (StringRef(key).getAsInteger(10, place) || place >= run.places.size())
        count.error("names no place of 'places'");
    });
}

/// Whatever refers to something else by its index finds it there.
static LogicalResult checkIndices(const JsonCursor &top, const SavedRun &run,
                                  RecordParts parts) {
  unsigned errors = top.errorCount();
  eachOf(top, "steps", [&](size_t i, const JsonCursor &step) {
    checkStep(step, i, run, parts);
  });
  eachOf(top, "results", [&](size_t i, const JsonCursor &result) {
    eachOf(result, "steps", [&](size_t k, const JsonCursor &step) {
      checkIndex(step, run.results[i].steps[k], run.steps.size());
    });
  });
  if (run.space)
    eachOf(top.at("space"), "pipelines",
           [&](size_t i, const JsonCursor &pipeline) {
             eachOf(pipeline, "path", [&](size_t k, const JsonCursor &bubble) {
               checkIndex(bubble, run.space->pipelines[i].path[k],
                          run.space->bubbles.size());
             });
           });
  return success(top.errorCount() == errors);
}

static LogicalResult checkSchema(JsonDocument &document,
                                 const JsonCursor &top) {
  int64_t schema = top.at("schema").asInteger();
  if (top.errorCount() > 0)
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
                                   DiagnosticSink &sink, RecordParts parts) {
  FailureOr<StringRef> text = sources.load(path, {}, sink);
  if (failed(text))
    return failure();
  JsonDocument document{path.str(), *text, sink, DiagKind::ReportBadRecord,
                        "lh-run run --json"};
  if (parts == RecordParts::Outcomes)
    document.leftOut = forPages;
  std::optional<nlohmann::json> json = parseJson(document);
  if (!json)
    return failure();
  JsonCursor top(document, *json);
  if (failed(checkSchema(document, top)))
    return failure();
  SavedRun run;
  run.record = absolutePath(path, workingDirectory());
  if (failed(readFields(top, FieldUse::Report, run)) ||
      failed(checkIndices(top, run, parts)))
    return failure();
  for (SavedStep &step : run.steps)
    for (std::string *file : {&step.snapshot, &step.reproducer})
      if (!file->empty())
        *file = absolutePath(*file, folderOf(run.record));
  return run;
}

/// The files that should be records in `folder`.
static std::vector<std::string> recordsBelow(StringRef folder,
                                             llvm::vfs::FileSystem &files) {
  std::vector<std::string> all = listFilesBelow(files, folder), records;
  std::vector<std::string> reproducers;
  for (StringRef file : all)
    if (file.consume_back("/failure.json"))
      reproducers.push_back((file + "/").str());
  for (const std::string &file : all)
    if (StringRef(file).ends_with(".json") &&
        llvm::none_of(reproducers, [&](const std::string &reproducer) {
          return StringRef(file).starts_with(reproducer);
        }))
      records.push_back((folder + "/" + file).str());
  return records;
}

LogicalResult
lh::readRecords(StringRef place, llvm::vfs::FileSystem &files,
                DiagnosticSink &sink,
                llvm::function_ref<void(const SavedRun &)> visit) {
  std::vector<std::string> paths = {place.str()};
  if (isFolder(files, place))
    paths = recordsBelow(place, files);
  struct Read {
    FailureOr<SavedRun> run;
    std::vector<Diagnostic> problems;
  };
  LogicalResult result = success();
  makeInOrder<Read>(
      paths.size(),
      [&](size_t i) {
        SourceStore own(files);
        CollectingSink problems;
        FailureOr<SavedRun> run =
            readRecord(paths[i], own, problems, RecordParts::Outcomes);
        return Read{std::move(run), problems.take()};
      },
      [&](Read &&read) {
        for (const Diagnostic &problem : read.problems)
          sink.emit(problem);
        if (succeeded(read.run))
          visit(*read.run);
        else
          result = failure();
      });
  return result;
}
