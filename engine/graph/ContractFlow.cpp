// Contracts along the paths of a graph, before anything runs.
#include "graph/ContractFlow.h"

#include "graph/Evaluate.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lh;

static std::vector<std::string> wordsOf(ArrayRef<Located<std::string>> words) {
  std::vector<std::string> result;
  for (const Located<std::string> &word : words)
    result.push_back(word.value);
  return result;
}

/// What the ONNX importer makes, whatever the model.
static FormDecl onnxForm(const SourceSpan &where) {
  FormDecl form;
  form.where = where;
  form.dialectsOnly = {"func", "linalg", "tensor", "arith",
                       "math", "scf",    "cf"};
  form.typesNone = {"memref", "vector", "scalable-vector"};
  form.typesSome = {"tensor"};
  form.allocas = "outside-loops";
  form.boundary = "tensors";
  return form;
}

FormFacts lh::factsAfter(const FormFacts &before,
                         const ResolvedBubble &bubble) {
  FormFacts facts = before;
  std::string name = "'" + bubble.name + "'";
  if (const auto *ingress = std::get_if<IngressDecl>(&bubble.action)) {
    facts = {};
    if (ingress->kind == IngressKind::Onnx)
      facts.add(onnxForm(bubble.declaredAt), name + " gives");
  } else if (!std::holds_alternative<EmitDecl>(bubble.action)) {
    // An emit passes the module on as it is; the others keep what they say.
    if (bubble.requires_)
      facts.add(*bubble.requires_, name + " requires");
    facts = facts.kept(wordsOf(bubble.preserves));
  }
  if (bubble.ensures)
    facts.add(*bubble.ensures, name + " ensures");
  return facts;
}

std::optional<FormDecl> lh::requirementOf(const ResolvedBubble &bubble) {
  std::optional<FormDecl> form = bubble.requires_;
  const auto *emit = std::get_if<EmitDecl>(&bubble.action);
  bool compiles = std::holds_alternative<ExecuteDecl>(bubble.action) ||
                  (emit && emit->format != EmitFormat::Mlir);
  if (!compiles || (form && form->boundary))
    return form;
  if (!form)
    form.emplace().where = bubble.declaredAt;
  form->boundary = "pointers";
  return form;
}

namespace {

/// Walks the paths; what they share is reported once.
class ContractCheck {
public:
  ContractCheck(const ResolvedGraph &graph, DiagnosticSink &sink)
      : graph(graph), sink(sink) {}

  LogicalResult run() {
    for (const ResolvedPipeline &pipeline : graph.pipelines)
      if (runsSomewhere(pipeline))
        checkPath(pipeline);
    return failure(failedAny);
  }

private:
  bool runsSomewhere(const ResolvedPipeline &pipeline) {
    CollectingSink reportedBefore;
    return llvm::any_of(graph.targets, [&](const TargetSpec &target) {
      auto facts = factValues(target);
      return llvm::all_of(pipeline.path, [&](size_t bubble) {
        return conditionHolds(graph.bubbles[bubble].when, facts,
                              reportedBefore);
      });
    });
  }

  void checkPath(const ResolvedPipeline &pipeline) {
    FormFacts facts;
    for (size_t i = 0; i < pipeline.path.size(); ++i) {
      const ResolvedBubble &bubble = graph.bubbles[pipeline.path[i]];
      // What follows a misfit rests on a contract that doesn't hold.
      if (i > 0 && !fits(facts, pipeline, i))
        return;
      facts = factsAfter(facts, bubble);
    }
  }

  bool fits(const FormFacts &facts, const ResolvedPipeline &pipeline,
            size_t position) {
    const ResolvedBubble &bubble = graph.bubbles[pipeline.path[position]];
    std::optional<FormDecl> wanted = requirementOf(bubble);
    if (!wanted)
      return true;
    bool fitting = true;
    for (const ClauseState &clause : judge(facts, *wanted)) {
      if (clause.met != Known::No)
        continue;
      fitting = false;
      failedAny = true;
      report(clause, *wanted, pipeline, position);
    }
    return fitting;
  }

  void report(const ClauseState &clause, const FormDecl &wanted,
              const ResolvedPipeline &pipeline, size_t position) {
    size_t from = pipeline.path[position - 1], to = pipeline.path[position];
    const ResolvedBubble &bubble = graph.bubbles[to];
    if (!reported.insert({from, to, clause.wanted + clause.source.by}).second)
      return;
    std::vector<DiagnosticNote> notes;
    if (wanted.where.isKnown() && bubble.requires_)
      notes.push_back({wanted.where, "required here"});
    if (clause.source.where.isKnown())
      notes.push_back({clause.source.where, "said here: " + clause.seen});
    (void)sink.error(DiagKind::GraphContractMisfit, bubble.declaredAt,
                     "on the edge '" + graph.bubbles[from].name + " -> " +
                         bubble.name + "', '" + bubble.name + "' requires " +
                         clause.wanted + ", but " + clause.source.by + " " +
                         clause.seen +
                         ", and no bubble between them changes that",
                     std::move(notes));
  }

  const ResolvedGraph &graph;
  DiagnosticSink &sink;
  bool failedAny = false;
  std::set<std::tuple<size_t, size_t, std::string>> reported;
};

} // namespace

LogicalResult lh::checkContracts(const ResolvedGraph &graph,
                                 DiagnosticSink &sink) {
  return ContractCheck(graph, sink).run();
}
