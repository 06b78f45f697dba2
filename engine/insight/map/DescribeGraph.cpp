// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the map shows of a resolved manifest, in words.
#include "insight/map/DescribeGraph.h"

#include "core/manifest/ManifestText.h"
#include "core/manifest/ValueText.h"
#include "core/manifest/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

static std::string textOf(ArrayRef<Expression> words) {
  std::vector<std::string> texts;
  for (const Expression &word : words)
    texts.push_back(expressionText(word));
  return llvm::join(texts, " ");
}

static std::string textOf(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

static std::string textOf(ArrayRef<Value> values) {
  std::vector<std::string> texts;
  for (const Value &value : values)
    texts.push_back(valueText(value));
  return llvm::join(texts, ", ");
}

static std::string textOf(const FactCondition &condition) {
  std::vector<std::string> parts;
  const std::string &fact = condition.name.value;
  if (condition.equals)
    parts.push_back(fact + " = " + valueText(*condition.equals));
  if (condition.minimum)
    parts.push_back(fact + " \u2265 " + textOf(*condition.minimum));
  if (condition.maximum)
    parts.push_back(fact + " \u2264 " + textOf(*condition.maximum));
  if (!condition.any.empty())
    parts.push_back(fact + " any of " + textOf(condition.any));
  if (!condition.all.empty())
    parts.push_back(fact + " all of " + textOf(condition.all));
  for (const FactCondition &inner : condition.negated)
    parts.push_back("not " + textOf(inner));
  return llvm::join(parts, " and ");
}

static std::string whenText(ArrayRef<FactCondition> conditions) {
  std::vector<std::string> parts;
  for (const FactCondition &condition : conditions)
    parts.push_back(textOf(condition));
  return llvm::join(parts, " and ");
}

/// The passes of a pipeline's text, without anchors and options.
static std::vector<std::string> passNames(StringRef text) {
  std::vector<std::string> names;
  std::string name;
  unsigned braces = 0;
  auto finish = [&] {
    StringRef word = StringRef(name).trim();
    if (!word.empty())
      names.push_back(word.str());
    name.clear();
  };
  for (char c : text) {
    if (c == '}' && braces > 0)
      --braces;
    else if (c == '{')
      ++braces;
    else if (braces > 0)
      continue;
    else if (c == '(') // what stands before it is an anchor
      name.clear();
    else if (c == ',' || c == ')')
      finish();
    else
      name += c;
  }
  finish();
  return names;
}

namespace {

/// Fills in what depends on a bubble's action.
struct ActionWords {
  const std::string &manifestFile;
  MapBubble &bubble;

  void operator()(const IngressDecl &ingress) {
    bubble.kind = "ingress";
    bubble.summary = wordOf(ingress.kind).str();
    bubble.identity = "ingress " + bubble.summary;
    if (!ingress.command.empty())
      bubble.identity += " " + expressionText(ingress.command.front());
    bubble.details.push_back("model: " + expressionText(ingress.model));
    if (!ingress.command.empty())
      bubble.details.push_back("command: " + textOf(ingress.command));
  }

  void operator()(const PassesDecl &passes) {
    std::string text = expressionText(passes.pipeline);
    std::vector<std::string> names = passNames(text);
    bubble.kind = "passes";
    bubble.summary = names.size() == 1
                         ? names.front()
                         : std::to_string(names.size()) + " passes";
    const SourceSpan &where = passes.pipeline.where;
    // What a bubble file says is one bubble, whatever its parameters are.
    bubble.identity =
        where.isKnown() && where.file != manifestFile
            ? "passes of " + where.file + ":" + std::to_string(where.line)
            : "passes " + text;
    bubble.details.push_back("passes: " + text);
  }

  void operator()(const ScheduleDecl &schedule) {
    bubble.kind = "schedule";
    bubble.summary = llvm::sys::path::filename(schedule.file.value).str();
    bubble.identity =
        "schedule " + schedule.file.value + " " + schedule.entry.value;
    bubble.details.push_back("schedule: " + bubble.summary +
                             ", entry: " + schedule.entry.value);
    if (!schedule.kernel)
      return;
    bubble.identity += " " + schedule.kernel->file;
    bubble.details.push_back("kernel: " + schedule.kernel->name);
  }

  void operator()(const PatternsDecl &patterns) {
    bubble.kind = "patterns";
    bubble.summary = llvm::sys::path::filename(patterns.file.value).str();
    bubble.identity = "patterns " + patterns.file.value;
    bubble.details.push_back("patterns: " + bubble.summary);
  }

  void operator()(const CommandDecl &command) {
    bubble.kind = "command";
    bubble.summary = textOf(command.words);
    bubble.identity = "command " + bubble.summary;
    bubble.details.push_back("command: " + bubble.summary);
  }

  void operator()(const ExecuteDecl &execute) {
    if (!execute.library.pieces.empty())
      return (*this)(EmitDecl{EmitFormat::SharedLibrary, execute.library,
                              execute.weightsBeside});
    if (execute.tool)
      return (*this)(*execute.tool);
    bubble.kind = "execute";
    bubble.summary = "execute " + execute.entry.value;
    bubble.identity = bubble.summary;
    if (execute.repeat > 0)
      bubble.settings = std::to_string(execute.repeat) + " times";
    bubble.details.push_back(bubble.summary);
  }

  void operator()(const ToolSpec &tool) {
    bubble.kind = "external";
    bubble.summary = tool.name;
    bubble.identity = "external " + tool.file;
    bubble.details.push_back("another compiler: " + tool.name +
                             (tool.doc.empty() ? "" : ", " + tool.doc));
  }

  void operator()(const EmitDecl &emit) {
    bubble.kind = "emit";
    bubble.summary = "emit " + wordOf(emit.format).str();
    bubble.identity = bubble.summary;
    bubble.details.push_back(bubble.summary + ": " + expressionText(emit.path));
  }
};

} // namespace

static MapBubble describe(const ResolvedBubble &resolved,
                          const std::string &manifestFile) {
  MapBubble bubble;
  bubble.name = resolved.name;
  std::visit(ActionWords{manifestFile, bubble}, resolved.action);
  bubble.when = whenText(resolved.when);
  for (const auto &[name, value] : resolved.parameters) {
    std::string setting = name.value + " = " + expressionText(value);
    bubble.settings += setting + "\n";
    bubble.details.push_back("with " + setting);
  }
  BubbleFile contract;
  contract.requires_ = resolved.requires_;
  contract.ensures = resolved.ensures;
  YamlNode document = documentOf(contract);
  for (const char *key : {"requires", "ensures"})
    if (const YamlNode *form = document.find(key); form && !form->items.empty())
      bubble.details.push_back(std::string(key) + ": " + flowText(*form));
  return bubble;
}

MapSource lh::describeGraph(const ResolvedGraph &graph) {
  MapSource source;
  source.manifest = graph.name;
  source.summary = graph.summary;
  for (const ResolvedBubble &bubble : graph.bubbles)
    source.bubbles.push_back(describe(bubble, graph.file));
  for (const ResolvedPipeline &pipeline : graph.pipelines)
    source.pipelines.push_back({pipeline.name, pipeline.color, pipeline.path});
  for (const TargetSpec &target : graph.targets) {
    size_t runs = 1;
    for (const auto &[name, values] : target.run.sweep)
      runs *= std::max<size_t>(values.size(), 1);
    source.targets.push_back({target.name, runs});
  }
  for (const CaseDecl &one : graph.cases)
    source.cases.push_back(one.name.value);
  return source;
}

FailureOr<std::vector<MapSource>>
lh::loadMapSources(ArrayRef<std::string> manifests,
                   const ResolveOptions &options, SourceStore &sources,
                   DiagnosticSink &sink) {
  std::vector<MapSource> result;
  for (const std::string &manifest : manifests)
    if (auto graph = loadGraph(manifest, options, sources, sink);
        succeeded(graph))
      result.push_back(describeGraph(*graph));
  if (result.size() != manifests.size())
    return failure();
  return result;
}
