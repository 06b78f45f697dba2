// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target in one file, to be copied elsewhere.
#include "core/graph/WholeTarget.h"

#include "core/manifest/TargetParser.h"
#include "core/manifest/ValueText.h"
#include "core/manifest/YamlText.h"

using namespace lh;

static YamlNode factNode(const Value &value) {
  YamlNode node;
  node.kind = YamlNode::Kind::Scalar;
  if (const auto *list = std::get_if<std::vector<int64_t>>(&value)) {
    node.kind = YamlNode::Kind::Sequence;
    for (int64_t item : *list)
      node.items.push_back(factNode(item));
    return node;
  }
  node.text = valueText(value);
  node.quoted = std::holds_alternative<std::string>(value);
  return node;
}

static YamlNode factsNode(const TargetSpec &target) {
  YamlNode facts;
  facts.kind = YamlNode::Kind::Mapping;
  for (const auto &[name, fact] : target.facts)
    if (fact.where.isKnown()) // unlike what the command line says
      setKey(facts, {name, fact.where}, factNode(fact.value));
  return facts;
}

static FailureOr<YamlNode> readDocument(StringRef file, SourceStore &sources,
                                        DiagnosticSink &sink) {
  FailureOr<StringRef> text = sources.load(file, {}, sink);
  if (failed(text))
    return failure();
  return readTargetDocument(*text, file, sink);
}

FailureOr<std::string> lh::wholeTargetText(const TargetSpec &target,
                                           SourceStore &sources,
                                           DiagnosticSink &sink) {
  if (target.bases.empty()) {
    FailureOr<StringRef> text = sources.load(target.file, {}, sink);
    if (failed(text))
      return failure();
    return text->str();
  }
  FailureOr<YamlNode> whole = readDocument(target.file, sources, sink);
  for (const std::string &base : target.bases) {
    if (failed(whole) || extendedBy(*whole).value.empty())
      break; // what follows are default facts
    FailureOr<YamlNode> document = readDocument(base, sources, sink);
    if (failed(document))
      return failure();
    whole = extended(std::move(*document), YamlNode(*whole));
  }
  if (failed(whole))
    return failure();
  setKey(*whole, {"facts", {}}, factsNode(target));
  return yamlText(*whole);
}
