// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prunes a manifest and writes it.
#include "core/manifest/Choice.h"

#include "core/manifest/ManifestParser.h"
#include "core/manifest/ManifestText.h"
#include "core/manifest/NodeValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace lh;

/// Paths that nobody had written down get a name here.
static void choosePipelines(Manifest &manifest, const Choice &choice) {
  std::set<std::string> used;
  std::vector<PipelineDecl> pipelines;
  manifest.edges.clear();
  for (const auto &[name, path] : choice.pipelines) {
    PipelineDecl &pipeline = pipelines.emplace_back();
    for (const PipelineDecl &declared : manifest.pipelines)
      if (declared.name.value == name)
        pipeline.color = declared.color;
    pipeline.name.value = name;
    pipeline.path = unlocated(path);
    addEdges(manifest, path);
    used.insert(path.begin(), path.end());
  }
  manifest.pipelines = std::move(pipelines);
  llvm::erase_if(manifest.bubbles, [&](const BubbleDecl &bubble) {
    return used.count(bubble.name.value) == 0;
  });
}

/// A target is named as the library does, or by its file.
static bool isTarget(StringRef name, StringRef target) {
  StringRef ending = llvm::sys::path::extension(name);
  bool isFile = ending == ".yaml" || ending == ".yml" || ending == ".json";
  return (isFile ? llvm::sys::path::stem(name) : name) == target;
}

static void bindParameters(Manifest &manifest, const Choice &choice) {
  for (ParameterDecl &parameter : manifest.params) {
    auto given = choice.params.find(parameter.name.value);
    if (given == choice.params.end())
      continue;
    bool isText = parameter.type == ParameterType::String ||
                  parameter.type == ParameterType::Path;
    parameter.defaultValue = literal(
        isText ? Value(given->second) : valueOf(plainNode(given->second)));
  }
}

/// One that nothing refers to any more is an error. A default may refer to
/// another parameter, so it takes rounds.
static void dropUnusedParameters(Manifest &manifest) {
  for (size_t before = 0; before != manifest.params.size();) {
    before = manifest.params.size();
    std::string all = flowText(documentOf(manifest));
    llvm::erase_if(manifest.params, [&](const ParameterDecl &parameter) {
      return !StringRef(all).contains("${params." + parameter.name.value + "}");
    });
  }
}

FailureOr<std::string> lh::chooseFromManifest(StringRef text, StringRef file,
                                              const Choice &choice,
                                              DiagnosticSink &sink) {
  FailureOr<Manifest> manifest = parseManifest(text, file, sink);
  if (failed(manifest))
    return failure();
  choosePipelines(*manifest, choice);
  llvm::erase_if(manifest->targets, [&](const Located<std::string> &target) {
    return !isTarget(target.value, choice.target);
  });
  llvm::erase_if(manifest->cases, [&](const CaseDecl &decl) {
    return !llvm::is_contained(choice.cases, decl.name.value);
  });
  bindParameters(*manifest, choice);
  dropUnusedParameters(*manifest);
  YamlNode document = documentOf(*manifest);
  document.comment = choice.comment;
  return yamlText(document);
}
