// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planned path as the text of a manifest.
#include "cli/PlannedManifest.h"

#include "core/manifest/ManifestText.h"
#include "core/manifest/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace lh;

/// What every open size is, for there to be something to run on.
static constexpr int64_t openSize = 13;

/// The path's bubbles, all called differently.
static std::vector<std::string> namesOf(const PlannedPath &path) {
  std::set<std::string> used = {"import", "run", "emit"};
  std::vector<std::string> names;
  for (const PlanNode &node : path.nodes) {
    std::string name = node.name;
    for (int i = 2; !used.insert(name).second; ++i)
      name = node.name + "-" + std::to_string(i);
    names.push_back(name);
  }
  return names;
}

/// What is new about the path.
static std::string commentOf(const PlannedManifest &plan,
                             ArrayRef<std::string> names) {
  const PlannedPath &path = plan.path;
  std::string text =
      "From " + plan.from + " to " + plan.to + ", planned by lh-run.\n";
  if (path.proven)
    text += "From '" + names[path.joined] + "' on as pipeline '" +
            path.proven->pipeline + "' of " + path.proven->manifest + ".\n";
  size_t shown = std::min(names.size(), path.joined + (path.proven ? 1 : 0));
  if (path.joined != 0)
    text += "Joined by contracts alone: " +
            llvm::join(names.take_front(shown), " -> ") + ".\n";
  return text;
}

static void addBubble(Manifest &manifest, StringRef name, ActionDecl action) {
  BubbleDecl &bubble = manifest.bubbles.emplace_back();
  bubble.name.value = name.str();
  bubble.action = std::move(action);
}

static StringRef endingFor(StringRef format) {
  return llvm::StringSwitch<StringRef>(format)
      .Case("llvm-ir", "ll")
      .Case("assembly", "s")
      .Case("object", "o")
      .Case("shared-library", "so")
      .Default(format);
}

static void addBubbles(Manifest &manifest, const PlannedManifest &plan,
                       ArrayRef<std::string> names) {
  Expression model{{Reference{Reference::Scope::Case, "model", {}}}, {}};
  addBubble(
      manifest, "import",
      IngressDecl{plan.ingress, model, plan.ingress == IngressKind::Onnx, {}});
  for (size_t i = 0; i < names.size(); ++i) {
    const PlanNode &node = plan.path.nodes[i];
    if (node.use.empty())
      addBubble(manifest, names[i], PassesDecl{literal(node.passes)});
    else
      addBubble(manifest, names[i], UseDecl{{node.use, {}}});
  }
  if (plan.emit.empty())
    addBubble(
        manifest, "run",
        ExecuteDecl{{plan.entry.name.empty() ? "main" : plan.entry.name, {}}});
  else
    addBubble(manifest, "emit",
              EmitDecl{parseWord<EmitFormat>(plan.emit).value(),
                       literal(manifest.name.value + "." +
                               endingFor(plan.emit).str())});
  std::vector<std::string> all;
  for (const BubbleDecl &bubble : manifest.bubbles)
    all.push_back(bubble.name.value);
  addEdges(manifest, all);
}

/// Whether there are sizes that the file leaves open.
static bool addCase(Manifest &manifest, const PlannedManifest &plan) {
  GenerateCase generate;
  generate.seed = 1;
  generate.model = literal(plan.model);
  if (plan.model.empty())
    generate.model = {{Reference{Reference::Scope::Params, "model", {}}}, {}};
  bool isOpen = llvm::any_of(plan.entry.inputs, [](const EntryInput &input) {
    return llvm::is_contained(input.shape, -1);
  });
  for (const EntryInput &input : plan.entry.inputs) {
    if (!isOpen)
      break;
    std::vector<int64_t> shape(input.shape.begin(), input.shape.end());
    std::replace(shape.begin(), shape.end(), int64_t(-1), openSize);
    generate.inputs.push_back({{input.name, {}}, shape, ""});
  }
  CaseDecl &generated = manifest.cases.emplace_back();
  generated.name.value = "generated";
  generated.source = std::move(generate);
  return isOpen;
}

std::string lh::manifestText(const PlannedManifest &plan) {
  std::vector<std::string> names = namesOf(plan.path);
  Manifest manifest;
  // What is emitted must not take the model's own place.
  manifest.name.value =
      nameFrom(llvm::sys::path::stem(plan.from)) + "-to-" + nameFrom(plan.to);
  if (plan.model.empty()) {
    ParameterDecl &model = manifest.params.emplace_back();
    model.name.value = "model";
    model.type = ParameterType::Path;
    model.doc = "the file to compile, " + plan.from;
  }
  manifest.targets = unlocated(plan.target);
  addBubbles(manifest, plan, names);
  bool isOpen = addCase(manifest, plan);
  if (plan.emit.empty())
    manifest.verify.emplace();
  if (manifest.verify && plan.isOnTensors)
    manifest.verify->against = {{"oracle", {}}};
  YamlNode document = documentOf(manifest);
  document.comment = commentOf(plan, names);
  if (isOpen)
    document.find("cases")->comment = "Sizes that the file leaves open are " +
                                      std::to_string(openSize) + " here.";
  if (manifest.verify && !plan.isOnTensors)
    document.find("verify")->comment =
        "The oracle computes what is on tensors: nothing here to compare with.";
  return yamlText(document);
}
