// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to ToolSpec.
#include "core/manifest/ToolParser.h"

#include "core/manifest/KeyTable.h"
#include "core/manifest/Placeholders.h"
#include "core/manifest/Values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VersionTuple.h"

using namespace lh;

/// Each place that a program may be told, and those that it must be.
static void checkPlaces(ArrayRef<Located<std::string>> words, StringRef key,
                        ArrayRef<StringRef> known, ArrayRef<StringRef> needed,
                        DiagnosticSink &sink) {
  std::vector<StringRef> found;
  unsigned errors = sink.errorCount();
  for (const Located<std::string> &word : words)
    for (StringRef place : placesIn(word.value)) {
      found.push_back(place);
      if (!llvm::is_contained(known, place))
        (void)sink.error(DiagKind::ManifestBadValue, word.where,
                         "'{" + place + "}' in '" + key +
                             "' stands for nothing; there are {" +
                             llvm::join(known, "}, {") + "}");
    }
  if (sink.errorCount() != errors)
    return; // one of them is what is lacking
  for (StringRef place : needed)
    if (!llvm::is_contained(found, place))
      (void)sink.error(DiagKind::ManifestBadValue, words.front().where,
                       "'" + key + "' has no '{" + place +
                           "}', without which the program can't do its work");
}

static void checkTool(const ToolSpec &tool, DiagnosticSink &sink) {
  if (!isValidName(tool.name))
    (void)sink.error(DiagKind::ManifestBadName, SourceSpan{tool.file},
                     "'" + tool.name +
                         "' can't be a tool's name, which its file gives it");
  checkPlaces(tool.version, "version", {"here"}, {}, sink);
  checkPlaces(tool.serve, "serve",
              {"model", "inputs", "outputs", "threads", "here"},
              {"model", "inputs", "outputs"}, sink);
  llvm::VersionTuple version;
  if (!tool.least.value.empty() && version.tryParse(tool.least.value))
    (void)sink.error(DiagKind::ManifestBadValue, tool.least.where,
                     "'" + tool.least.value +
                         "' is no version; one is up to four numbers with "
                         "dots, '1.12'");
}

FailureOr<ToolSpec> lh::parseTool(StringRef text, StringRef file,
                                  DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> document = readDocument(text, file, toolMapping(), sink);
  if (failed(document))
    return failure();
  ToolSpec tool;
  tool.name = llvm::sys::path::stem(file).str();
  tool.file = file.str();
  readKeys(*document, toolMapping(), &tool, sink);
  if (sink.errorCount() == errors)
    checkTool(tool, sink);
  if (sink.errorCount() != errors)
    return failure();
  return tool;
}
