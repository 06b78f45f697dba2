// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A manifest that does one bubble of a plan, and nothing else.
#include "core/plan/ReproducerManifest.h"

#include "core/manifest/ManifestText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace lh;

std::string lh::plainBubbleName(StringRef bubble) {
  std::string name = bubble.str();
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

/// Whether the next step belongs to the same bubble.
static bool isCompiledForNext(ArrayRef<Step> steps, size_t i) {
  return i + 1 < steps.size() &&
         std::holds_alternative<CompileAction>(steps[i].action) &&
         std::holds_alternative<RunAction>(steps[i + 1].action);
}

namespace {

/// An action as a manifest declares it, with its parameters in `bubble`.
struct Declared {
  BubbleDecl &bubble;

  ActionDecl operator()(const ImportAction &action) {
    IngressDecl ingress{action.kind,
                        {},
                        action.bindShapes.has_value(),
                        literals(action.command)};
    if (!action.path.empty())
      ingress.model = literal(action.path);
    return ingress;
  }
  ActionDecl operator()(const PassesAction &action) {
    return PassesDecl{literal(action.pipeline)};
  }
  ActionDecl operator()(const ScheduleAction &action) {
    for (const BoundParameter &parameter : action.parameters)
      bubble.with.emplace_back(parameter.name, literal(parameter.value));
    ScheduleDecl schedule{
        {action.file, {}}, {action.entry, {}}, unlocated(action.libraries)};
    if (action.kernel)
      schedule.kernelName = literal(action.kernel->file);
    return schedule;
  }
  ActionDecl operator()(const PatternsAction &action) {
    return PatternsDecl{{action.file, {}}};
  }
  ActionDecl operator()(const CommandAction &action) {
    return CommandDecl{literals(action.words)};
  }
  ActionDecl operator()(const CompileAction &action) {
    if (action.tool)
      return ExternalDecl{{action.tool->tool->file, {}}};
    if (action.library)
      return EmitDecl{
          EmitFormat::SharedLibrary,
          literal(llvm::sys::path::filename(action.library->path).str()),
          action.library->weightsBeside};
    return ExecuteDecl{{action.entry, {}}};
  }
  ActionDecl operator()(const RunAction &action) {
    return ExecuteDecl{{action.entry, {}}, action.repeat};
  }
  ActionDecl operator()(const EmitAction &action) {
    return EmitDecl{action.format, literal(action.path), false};
  }
};

} // namespace

BubbleDecl lh::bubbleDoing(const StepAction &action, const std::string &name) {
  BubbleDecl bubble;
  bubble.name.value = name;
  bubble.action = std::visit(Declared{bubble}, action);
  return bubble;
}

/// The bubble of a step, or of two from `first` on. It has one `expect:`; of
/// several files the first is kept.
static BubbleDecl bubbleFor(const Step &first, const Step &last) {
  BubbleDecl bubble = bubbleDoing(last.action, plainBubbleName(last.bubble));
  if (first.requires_)
    bubble.requires_ = *first.requires_;
  if (last.ensures)
    bubble.ensures = *last.ensures;
  ExpectDecl expect;
  if (!last.expect.empty()) {
    expect.file = literal(last.expect.front().file);
    expect.prefix = last.expect.front().prefix;
  }
  if (!last.expectMatched.empty())
    expect.matched = last.expectMatched.front();
  if (expect.file || expect.matched)
    bubble.expect = expect;
  return bubble;
}

static std::string targetOfSteps(ArrayRef<Step> steps) {
  std::string name = "host"; // where no step generates code
  for (const Step &step : steps) {
    if (const auto *compile = std::get_if<CompileAction>(&step.action))
      name = compile->target->name;
    const auto *emit = std::get_if<EmitAction>(&step.action);
    if (emit && emit->target)
      name = emit->target->name;
    const auto *schedule = std::get_if<ScheduleAction>(&step.action);
    if (schedule && schedule->kernelTarget)
      name = schedule->kernelTarget->name;
  }
  return name;
}

/// The inputs that a run generated, or that give a model its shapes.
static std::optional<GenerateCase> generatedFor(const Step &step,
                                                const std::string &input) {
  GenerateCase generate;
  const auto *run = std::get_if<RunAction>(&step.action);
  if (run && run->data.generate) {
    generate = *run->data.generate;
    generate.model = literal(input);
    generate.sets = {run->data.set};
    generate.draws = 1;
    return generate;
  }
  const auto *import = std::get_if<ImportAction>(&step.action);
  if (!import || !import->bindShapes)
    return std::nullopt;
  // Nothing declares a list.
  if (llvm::any_of(*import->bindShapes,
                   [](const InputShape &shape) { return shape.list; }))
    return std::nullopt;
  generate.model = literal(import->path);
  for (const InputShape &shape : *import->bindShapes)
    generate.inputs.push_back({{shape.name, {}}, shape.shape, shape.dtype});
  return generate;
}

static void addCase(Manifest &manifest, const ReproducerParts &parts,
                    ArrayRef<Step> steps) {
  CaseDecl failing;
  failing.name.value = "failing";
  failing.source = GoldenCase{literal(parts.golden)};
  std::optional<GenerateCase> generated;
  for (const Step &step : steps)
    if (parts.golden.empty() && !generated)
      generated = generatedFor(step, parts.input);
  if (generated)
    failing.source = *generated;
  if (generated || !parts.golden.empty())
    manifest.cases.push_back(std::move(failing));
}

std::string lh::reproducerManifest(const ReproducerParts &parts,
                                   ArrayRef<Step> steps) {
  Manifest manifest;
  manifest.name.value = parts.name;
  manifest.summary = parts.summary;
  manifest.targets = unlocated(targetOfSteps(steps));
  manifest.dialects = unlocated(parts.dialects);
  if (!parts.input.empty()) {
    ImportAction import;
    import.kind = IngressKind::Mlir;
    import.path = parts.input;
    manifest.bubbles.push_back(bubbleDoing(import, "input"));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (isCompiledForNext(steps, i))
      continue; // said with the run
    bool isRun = i > 0 && isCompiledForNext(steps, i - 1);
    BubbleDecl bubble = bubbleFor(steps[isRun ? i - 1 : i], steps[i]);
    if (bubble.name.value == "input" && !parts.input.empty())
      bubble.name.value += "-2";
    // What it shows is that a step fails, whatever the numbers.
    if (std::holds_alternative<RunAction>(steps[i].action))
      manifest.verify.emplace();
    manifest.bubbles.push_back(std::move(bubble));
  }
  std::vector<std::string> names;
  for (const BubbleDecl &bubble : manifest.bubbles)
    names.push_back(bubble.name.value);
  addEdges(manifest, names);
  manifest.pipelines.push_back({{"failing", {}}, unlocated(names), ""});
  addCase(manifest, parts, steps);
  return yamlText(documentOf(manifest));
}
