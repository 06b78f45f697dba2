// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to TargetSpec.
#include "core/manifest/TargetParser.h"

#include "core/manifest/ExpressionParser.h"
#include "core/manifest/NodeChecker.h"
#include "core/manifest/NodeValues.h"
#include "core/manifest/ToleranceReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

static TargetRunDecl readRun(const YamlNode &root, DiagnosticSink &sink) {
  TargetRunDecl run;
  const YamlNode *node = root.find("run");
  if (!node)
    return run;
  run.nativeOn = textOf(*node, "native_on").value;
  if (const YamlNode *emulator = node->find("emulator"))
    for (const YamlNode &word : emulator->items)
      run.emulator.push_back(parseExpression(word, sink));
  if (const YamlNode *sweep = node->find("sweep"))
    for (const Located<std::string> &name : sweep->keys)
      run.sweep[name.value] = valuesOf(*sweep, name.value);
  if (const YamlNode *bytes = node->find("vector_bytes"))
    run.vectorBytes = parseExpression(*bytes, sink);
  if (const YamlNode *needs = node->find("needs"))
    for (const Located<std::string> &name : needs->keys)
      run.needs[name.value] = textOf(*needs, name.value).value;
  return run;
}

static FailureOr<YamlNode> readDocument(StringRef text, StringRef file,
                                        const MappingSpec &mapping,
                                        DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> root = readYaml(text, file, sink);
  if (failed(root))
    return failure();
  checkDocument(*root, mapping, sink);
  if (sink.errorCount() != errors)
    return failure();
  return root;
}

FailureOr<YamlNode> lh::readTargetDocument(StringRef text, StringRef file,
                                           DiagnosticSink &sink) {
  return readDocument(text, file, targetMapping(), sink);
}

Located<std::string> lh::extendedBy(const YamlNode &document) {
  return textOf(document, "extends");
}

void lh::setKey(YamlNode &mapping, const Located<std::string> &key,
                YamlNode item) {
  auto same = llvm::find_if(mapping.keys, [&](const auto &known) {
    return known.value == key.value;
  });
  if (same == mapping.keys.end()) {
    mapping.keys.push_back(key);
    mapping.items.push_back(std::move(item));
    return;
  }
  mapping.items[size_t(same - mapping.keys.begin())] = std::move(item);
  *same = key;
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

static std::map<std::string, Located<Value>> readFacts(const YamlNode &root) {
  std::map<std::string, Located<Value>> values;
  if (const YamlNode *facts = root.find("facts"))
    for (size_t i = 0; i < facts->keys.size(); ++i)
      values[facts->keys[i].value] = {valueOf(facts->items[i]),
                                      facts->keys[i].where};
  return values;
}

FailureOr<TargetSpec> lh::targetOf(const YamlNode &document, StringRef file,
                                   DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  TargetSpec target;
  target.name = llvm::sys::path::stem(file).str();
  target.file = file.str();
  target.backend = textOf(document, "backend").value;
  target.triple = textOf(document, "triple").value;
  target.cpu = textOf(document, "cpu").value;
  target.features = textsOf(document, "features");
  target.facts = readFacts(document);
  target.run = readRun(document, sink);
  if (const YamlNode *tolerance = document.find("tolerance")) {
    target.tolerance = readTolerance(*tolerance);
    target.perDtype = readPerDtype(*tolerance);
  }
  target.labels = textsOf(document, "labels");
  if (sink.errorCount() != errors)
    return failure();
  return target;
}

FailureOr<TargetSpec> lh::parseTarget(StringRef text, StringRef file,
                                      DiagnosticSink &sink) {
  FailureOr<YamlNode> document = readTargetDocument(text, file, sink);
  if (failed(document))
    return failure();
  return targetOf(*document, file, sink);
}

FailureOr<std::map<std::string, Located<Value>>>
lh::parseDefaultFacts(StringRef text, StringRef file, DiagnosticSink &sink) {
  FailureOr<YamlNode> document =
      readDocument(text, file, defaultFactsMapping(), sink);
  if (failed(document))
    return failure();
  return readFacts(*document);
}
