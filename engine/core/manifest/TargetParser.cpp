// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to TargetSpec.
#include "core/manifest/TargetParser.h"

#include "core/manifest/NodeValues.h"
#include "core/manifest/Values.h"
#include "core/manifest/YamlText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

FailureOr<YamlNode> lh::readTargetDocument(StringRef text, StringRef file,
                                           DiagnosticSink &sink) {
  return readDocument(text, file, targetMapping(), sink);
}

Located<std::string> lh::extendedBy(const YamlNode &document) {
  return textOf(document, "extends");
}

YamlNode lh::extended(YamlNode base, const YamlNode &document) {
  for (size_t i = 0; i < document.keys.size(); ++i) {
    const Located<std::string> &key = document.keys[i];
    auto facts = llvm::find_if(
        base.keys, [](const auto &known) { return known.value == "facts"; });
    if (key.value == "extends")
      continue;
    if (key.value != "facts" || facts == base.keys.end()) {
      setKey(base, key, document.items[i]);
      continue;
    }
    YamlNode &inherited = base.items[size_t(facts - base.keys.begin())];
    for (size_t j = 0; j < document.items[i].keys.size(); ++j)
      setKey(inherited, document.items[i].keys[j], document.items[i].items[j]);
  }
  return base;
}

FailureOr<TargetSpec> lh::targetOf(YamlNode document, StringRef file,
                                   DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  TargetSpec target;
  target.name = llvm::sys::path::stem(file).str();
  target.file = file.str();
  readKeys(document, targetMapping(), &target, sink);
  if (const YamlNode *tolerance = document.find("tolerance"))
    target.tolerance.where = tolerance->where;
  if (sink.errorCount() != errors)
    return failure();
  return target;
}

FailureOr<TargetSpec> lh::parseTarget(StringRef text, StringRef file,
                                      DiagnosticSink &sink) {
  FailureOr<YamlNode> document = readTargetDocument(text, file, sink);
  if (failed(document))
    return failure();
  return targetOf(std::move(*document), file, sink);
}

FailureOr<DefaultFacts> lh::parseDefaultFacts(StringRef text, StringRef file,
                                              DiagnosticSink &sink) {
  FailureOr<YamlNode> document =
      readDocument(text, file, defaultFactsMapping(), sink);
  if (failed(document))
    return failure();
  DefaultFacts facts;
  readKeys(*document, defaultFactsMapping(), &facts, sink);
  return facts;
}
