// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contracts along the paths of a graph, before anything runs.
#include "core/graph/ContractFlow.h"

#include "core/graph/Evaluate.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lh;

static std::vector<std::string> wordsOf(ArrayRef<Located<std::string>> words) {
  std::vector<std::string> result;
  for (const Located<std::string> &word : words)
    result.push_back(word.value);
  return result;
}

/// What importers of models make, whatever the model.
static FormDecl importedForm(const SourceSpan &where) {
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
    if (ingress->kind == IngressKind::Onnx ||
        ingress->kind == IngressKind::Stablehlo)
      facts.add(importedForm(bubble.declaredAt), name + " gives");
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
  const auto *execute = std::get_if<ExecuteDecl>(&bubble.action);
  bool compiles =
      (execute && !execute->tool) || (emit && emit->format != EmitFormat::Mlir);
  if (!compiles || (form && form->boundary))
    return form;
  if (!form)
    form.emplace().where = bubble.declaredAt;
  form->boundary = "pointers";
  return form;
}

namespace {

/// What is known on the way along a path: a contract that names kernels is
/// judged with what gpu.modules hold, another one without.
struct PathFacts {
  FormFacts plain, withKernels;

  const FormFacts &of(const FormDecl &wanted) const {
    return namesKernels(wanted) ? withKernels : plain;
  }
  void pass(const ResolvedBubble &bubble) {
    plain = factsAfter(plain, bubble);
    withKernels = factsAfter(withKernels, bubble);
  }
};

/// Walks the paths; what they share is reported once.
class ContractCheck {
public:
  ContractCheck(const ResolvedGraph &graph, DiagnosticSink &sink)
      : graph(graph), sink(sink) {}

  LogicalResult run() {
    for (const ResolvedPipeline &pipeline : graph.pipelines)
      if (runsSomewhere(pipeline)) {
        PathFacts facts;
        facts.pass(graph.bubbles[pipeline.path.front()]);
        checkPath(pipeline, std::move(facts));
      }
    return failure(failedAny);
  }

  LogicalResult run(ArrayRef<PayloadUse> payloads) {
    for (const PayloadUse &payload : payloads) {
      const ResolvedPipeline &pipeline = graph.pipelines[payload.pipeline];
      PathFacts facts{FormFacts::of(*payload.form, /*withKernels=*/false),
                      FormFacts::of(*payload.form, /*withKernels=*/true)};
      const auto &ensured = graph.bubbles[pipeline.path.front()].ensures;
      if (!ensured || fits(facts, pipeline, 0, *ensured))
        checkPath(pipeline, std::move(facts));
    }
    return failure(failedAny);
  }

private:
  bool runsOn(const ResolvedPipeline &pipeline, const TargetSpec &target) {
    CollectingSink reportedBefore;
    auto facts = factValues(target);
    return llvm::all_of(pipeline.path, [&](size_t bubble) {
      return conditionHolds(graph.bubbles[bubble].when, facts, reportedBefore);
    });
  }

  bool runsSomewhere(const ResolvedPipeline &pipeline) {
    return llvm::any_of(graph.targets, [&](const TargetSpec &target) {
      return runsOn(pipeline, target);
    });
  }

  /// Whether programs of targets alone compile it: they are given whatever
  /// their user thinks fit.
  bool isExternal(const ResolvedPipeline &pipeline) {
    return runsSomewhere(pipeline) &&
           llvm::all_of(graph.targets, [&](const TargetSpec &target) {
             return !target.compile.empty() || !runsOn(pipeline, target);
           });
  }

  /// `facts` are those behind the first bubble.
  void checkPath(const ResolvedPipeline &pipeline, PathFacts facts) {
    bool external = isExternal(pipeline);
    for (size_t i = 1; i < pipeline.path.size(); ++i) {
      const ResolvedBubble &bubble = graph.bubbles[pipeline.path[i]];
      std::optional<FormDecl> wanted =
          external ? bubble.requires_ : requirementOf(bubble);
      // What follows a misfit rests on a contract that doesn't hold.
      if (wanted && !fits(facts, pipeline, i, *wanted))
        return;
      facts.pass(bubble);
    }
  }

  bool fits(const PathFacts &facts, const ResolvedPipeline &pipeline,
            size_t position, const FormDecl &wanted) {
    bool fitting = true;
    for (const ClauseState &clause : judge(facts.of(wanted), wanted)) {
      if (clause.met != Known::No)
        continue;
      fitting = false;
      failedAny = true;
      report(clause, wanted, pipeline, position);
    }
    return fitting;
  }

  /// At the start of a path `wanted` is what the ingress ensures.
  void report(const ClauseState &clause, const FormDecl &wanted,
              const ResolvedPipeline &pipeline, size_t position) {
    size_t to = pipeline.path[position];
    size_t from = position == 0 ? to : pipeline.path[position - 1];
    const ResolvedBubble &bubble = graph.bubbles[to];
    if (!reported.insert({from, to, clause.wanted + clause.source.by}).second)
      return;
    const FactSource &source = clause.source;
    std::vector<DiagnosticNote> notes;
    if (wanted.where.isKnown() && (bubble.requires_ || position == 0))
      notes.push_back({wanted.where, "required here"});
    if (source.where.isKnown())
      notes.push_back({source.where, (source.by.empty() ? "the first is here: "
                                                        : "said here: ") +
                                         clause.seen});
    std::string name = "'" + bubble.name + "'";
    std::string edge = "on the edge '" + graph.bubbles[from].name + " -> " +
                       bubble.name + "', " + name + " requires ";
    (void)sink.error(
        DiagKind::GraphContractMisfit, bubble.declaredAt,
        (position == 0 ? name + " ensures " : edge) + clause.wanted + ", but " +
            (source.by.empty() ? "the payload has" : source.by) + " " +
            clause.seen +
            (position == 0 ? "" : ", and no bubble between them changes that"),
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

LogicalResult lh::checkPayloads(const ResolvedGraph &graph,
                                ArrayRef<PayloadUse> payloads,
                                DiagnosticSink &sink) {
  return ContractCheck(graph, sink).run(payloads);
}
