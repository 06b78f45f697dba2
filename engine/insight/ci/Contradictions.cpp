// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expectations that can't all be met.
#include "insight/ci/Contradictions.h"

#include "core/manifest/ValueText.h"
#include "core/plan/Expectation.h"
#include "core/support/Hash.h"
#include "insight/map/DescribeGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lh;

namespace {

/// A bubble at the end of what goes before it, in one pipeline.
struct Use {
  const ResolvedGraph *graph;
  std::string pipeline, bubble;
  SourceSpan where;             ///< of the announcement, else of the bubble
  bool fails = false;           ///< it is announced to
  bool anythingMayFail = false; ///< the case is
};

/// Finds equal steps of all graphs; a step is known by a hash of what it does,
/// of all before it, of the target and of the case.
class Finder {
public:
  Finder(const Present &present) : present(present) {}

  void add(const ResolvedGraph &graph);
  std::vector<Contradiction> find() const;

private:
  void addPath(const ResolvedGraph &graph, const MapSource &space,
               const ResolvedPipeline &pipeline, const CaseDecl *testCase,
               const TargetSpec &target);
  bool holds(const FailDecl &fail, StringRef target, StringRef pipeline) const;

  const Present &present;
  std::map<std::string, std::vector<Use>> uses;
};

} // namespace

bool Finder::holds(const FailDecl &fail, StringRef target,
                   StringRef pipeline) const {
  return concerns(fail, target, pipeline) &&
         whyOver(fail.until.value, present).empty();
}

/// The model, as far as the manifest tells it.
static std::string modelOf(const CaseDecl *testCase) {
  if (!testCase)
    return "";
  const Expression *model = nullptr;
  if (const auto *golden = std::get_if<GoldenCase>(&testCase->source))
    model = &golden->directory;
  else if (const auto *tests = std::get_if<OnnxTestCase>(&testCase->source))
    model = &tests->pattern;
  else if (const auto *programs =
               std::get_if<StablehloTestCase>(&testCase->source))
    model = &programs->pattern;
  else
    model = &std::get<GenerateCase>(testCase->source).model;
  std::string text;
  for (const auto &piece : model->pieces)
    if (const auto *value = std::get_if<Value>(&piece))
      text += valueText(*value);
  return text;
}

void Finder::addPath(const ResolvedGraph &graph, const MapSource &space,
                     const ResolvedPipeline &pipeline, const CaseDecl *testCase,
                     const TargetSpec &target) {
  std::string step = keyHex({target.file, modelOf(testCase)});
  bool anything = testCase && testCase->fails &&
                  holds(*testCase->fails, target.name, pipeline.name);
  for (size_t index : pipeline.path) {
    const ResolvedBubble &bubble = graph.bubbles[index];
    const MapBubble &described = space.bubbles[index];
    std::string details;
    for (const std::string &line : described.details)
      details += line + "\n";
    step = keyHex({step, described.identity, described.settings, details});
    Use use{&graph, pipeline.name, bubble.name, bubble.declaredAt,
            false,  anything};
    for (const FailDecl &fail : bubble.fails)
      if (holds(fail, target.name, pipeline.name)) {
        use.fails = true;
        use.where = fail.reason.where;
      }
    uses[step].push_back(use);
    // What comes after a failure is never reached.
    if (use.fails)
      return;
  }
}

void Finder::add(const ResolvedGraph &graph) {
  MapSource space = describeGraph(graph);
  std::vector<const CaseDecl *> cases;
  for (const CaseDecl &testCase : graph.cases)
    cases.push_back(&testCase);
  if (cases.empty())
    cases.push_back(nullptr);
  for (const TargetSpec &target : graph.targets)
    for (const ResolvedPipeline &pipeline : graph.pipelines)
      for (const CaseDecl *testCase : cases)
        addPath(graph, space, pipeline, testCase, target);
}

std::vector<Contradiction> Finder::find() const {
  std::vector<Contradiction> found;
  std::set<std::string> known;
  for (const auto &[step, all] : uses)
    for (const Use &fails : all)
      for (const Use &passes : all) {
        if (!fails.fails || passes.fails || passes.anythingMayFail)
          continue;
        Contradiction one{
            {fails.graph->name, fails.pipeline},
            {passes.graph->name, passes.pipeline},
            "manifest '" + fails.graph->name + "' expects bubble '" +
                fails.bubble + "' to fail in pipeline '" + fails.pipeline +
                "', and manifest '" + passes.graph->name +
                "' needs the same step to pass in pipeline '" +
                passes.pipeline + "': if one is right, the other breaks",
            fails.where,
            passes.where};
        if (known.insert(one.message).second)
          found.push_back(std::move(one));
      }
  return found;
}

std::vector<Contradiction> lh::contradictionsOf(ArrayRef<ResolvedGraph> graphs,
                                                const Present &present) {
  bool announces = llvm::any_of(graphs, [](const ResolvedGraph &graph) {
    return llvm::any_of(graph.bubbles, [](const ResolvedBubble &bubble) {
      return !bubble.fails.empty();
    });
  });
  if (!announces)
    return {};
  Finder finder(present);
  for (const ResolvedGraph &graph : graphs)
    finder.add(graph);
  return finder.find();
}

LogicalResult lh::checkContradictions(ArrayRef<ResolvedGraph> graphs,
                                      const Present &present,
                                      DiagnosticSink &sink) {
  std::vector<Contradiction> found = contradictionsOf(graphs, present);
  for (const Contradiction &one : found)
    (void)sink.error(DiagKind::PlanContradiction, one.announced, one.message,
                     {{one.needed, "needed here"}});
  return success(found.empty());
}
