// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prunes a manifest's tree and prints it.
#include "core/manifest/Choice.h"

#include "core/manifest/YamlText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace lh;

template <typename Keep> static void filter(YamlNode &node, Keep keep) {
  YamlNode kept = node;
  kept.items.clear();
  kept.keys.clear();
  for (size_t i = 0; i < node.items.size(); ++i)
    if (keep(node.isMapping() ? node.keys[i].value : node.items[i].text)) {
      kept.items.push_back(node.items[i]);
      if (node.isMapping())
        kept.keys.push_back(node.keys[i]);
    }
  node = std::move(kept);
}

static YamlNode textNode(StringRef text, bool quoted = true) {
  YamlNode node;
  node.kind = YamlNode::Kind::Scalar;
  node.text = text.str();
  node.quoted = quoted;
  return node;
}

static YamlNode listNode(ArrayRef<std::string> texts) {
  YamlNode node;
  node.kind = YamlNode::Kind::Sequence;
  for (const std::string &text : texts)
    node.items.push_back(textNode(text));
  return node;
}

static YamlNode &member(YamlNode &mapping, StringRef key) {
  for (size_t i = 0; i < mapping.keys.size(); ++i)
    if (mapping.keys[i].value == key)
      return mapping.items[i];
  mapping.keys.push_back({key.str(), {}});
  return mapping.items.emplace_back();
}

namespace {

class Pruner {
public:
  Pruner(YamlNode root, const Choice &choice)
      : root(std::move(root)), choice(choice) {}

  std::string run();

private:
  void prunePipelines();
  void pruneBubbles();
  void pruneTargets();
  void bindParams();
  void pruneParams();
  std::string text() const;

  YamlNode root;
  const Choice &choice;
};

} // namespace

/// Paths that nobody had written down get a name here.
void Pruner::prunePipelines() {
  YamlNode &pipelines = member(root, "pipelines");
  if (!pipelines.isMapping()) {
    pipelines = {};
    pipelines.kind = YamlNode::Kind::Mapping;
  }
  filter(pipelines, [&](const std::string &name) {
    return choice.pipelines.count(name) > 0;
  });
  for (const auto &[name, path] : choice.pipelines) {
    YamlNode &pipeline = member(pipelines, name);
    pipeline.kind = YamlNode::Kind::Mapping;
    member(pipeline, "path") = listNode(path);
  }
}

void Pruner::pruneBubbles() {
  std::set<std::string> used;
  std::vector<std::string> edges;
  for (const auto &[name, path] : choice.pipelines) {
    used.insert(path.begin(), path.end());
    if (path.size() > 1)
      edges.push_back(llvm::join(path, " -> "));
  }
  filter(member(root, "bubbles"),
         [&](const std::string &name) { return used.count(name) > 0; });
  member(root, "edges") = listNode(edges);
}

/// A target is named as the library does, or by its file.
void Pruner::pruneTargets() {
  if (!root.find("targets"))
    return;
  filter(member(root, "targets"), [&](const std::string &name) {
    StringRef ending = llvm::sys::path::extension(name);
    bool isFile = ending == ".yaml" || ending == ".yml" || ending == ".json";
    return (isFile ? llvm::sys::path::stem(name) : StringRef(name)) ==
           choice.target;
  });
}

void Pruner::bindParams() {
  if (!root.find("params"))
    return;
  YamlNode &params = member(root, "params");
  for (const auto &[name, value] : choice.params) {
    YamlNode *declared = const_cast<YamlNode *>(params.find(name));
    if (!declared || !declared->isMapping())
      continue;
    const YamlNode *type = declared->find("type");
    bool isText = type && (type->text == "string" || type->text == "path");
    member(*declared, "default") = textNode(value, isText);
  }
}

/// One that nothing refers to any more is an error. A default may refer to
/// another parameter, so it takes rounds.
void Pruner::pruneParams() {
  for (size_t before = 0; const YamlNode *params = root.find("params");) {
    if (params->items.size() == before || params->items.empty())
      return;
    before = params->items.size();
    std::string all = text();
    filter(member(root, "params"), [&](const std::string &name) {
      return StringRef(all).contains("${params." + name + "}");
    });
  }
}

std::string Pruner::text() const {
  return "# " + choice.comment + "\n" + yamlText(root);
}

std::string Pruner::run() {
  prunePipelines();
  pruneBubbles();
  pruneTargets();
  if (root.find("cases"))
    filter(member(root, "cases"), [&](const std::string &name) {
      return llvm::is_contained(choice.cases, name);
    });
  bindParams();
  pruneParams();
  return text();
}

FailureOr<std::string> lh::chooseFromManifest(StringRef text, StringRef file,
                                              const Choice &choice,
                                              DiagnosticSink &sink) {
  FailureOr<YamlNode> root = readYaml(text, file, sink);
  if (failed(root) || !root->isMapping())
    return failure();
  return Pruner(std::move(*root), choice).run();
}
