// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what bubbles name, and flattens `use:` to elementary bubbles.
#ifndef LH_CORE_GRAPH_BUBBLEEXPANDER_H
#define LH_CORE_GRAPH_BUBBLEEXPANDER_H

#include "core/graph/Parameters.h"
#include "core/graph/ResolvedGraph.h"
#include "core/graph/TargetFacts.h"
#include "core/manifest/ManifestParser.h"
#include "core/support/SourceStore.h"

namespace lh {

/// Expands the bubbles of one manifest. Everything handed in is borrowed.
class BubbleExpander {
public:
  /// `lacksTargets`: there are further targets, which have errors.
  BubbleExpander(ArrayRef<TargetSpec> targets,
                 ArrayRef<std::string> libraryDirs, SourceStore &sources,
                 DiagnosticSink &sink, bool lacksTargets = false);

  /// Elementary bubbles, in chain order.
  struct Expansion {
    std::vector<ResolvedBubble> chain;
    bool isSound = true; ///< else the chain lacks what has errors
  };

  /// The elementary bubbles of `bubble` with the parameters of `environment`
  /// replaced. What fails is reported.
  Expansion expand(const BubbleDecl &bubble, Environment &environment);

  /// The elementary bubbles of the bubble file `path` (absolute, or `lib:`) by
  /// itself, its parameters set from texts.
  FailureOr<std::vector<ResolvedBubble>>
  expandFile(StringRef path, const std::map<std::string, std::string> &set,
             StringRef workingDirectory);

  /// The parameters of the file that the bubble uses, which was expanded, that
  /// declare what a search may try and that the bubble gives no value.
  std::vector<ParameterDecl> tunedParameters(const BubbleDecl &bubble);

  /// The files of bubbles and kernels read so far.
  std::vector<std::string> files() const;

private:
  /// A file on the way down through `use:`, and the one that uses it.
  struct Used {
    const UseDecl &decl; ///< its path absolute
    const Used *outer = nullptr;
    size_t depth = 1;
  };
  /// Outermost first.
  static std::vector<const UseDecl *> chainOf(const Used *used);

  /// What surrounds a bubble on its way down through `use:`.
  struct Context {
    std::string prefix;    ///< "outer/"
    SourceSpan declaredAt; ///< of the outermost bubble
    std::vector<FactCondition> when;
    std::vector<size_t> targets; ///< those on which `when` holds
    const Used *used = nullptr;  ///< the file that the bubble is in
  };

  LogicalResult countBubble(const BubbleDecl &bubble, const Context &context);
  LogicalResult expandInto(const BubbleDecl &bubble, Environment &environment,
                           const Context &context,
                           std::vector<ResolvedBubble> &out);
  LogicalResult expandUse(const BubbleDecl &bubble, const UseDecl &use,
                          Environment &environment, const Context &context,
                          std::vector<ResolvedBubble> &out);
  LogicalResult expandAction(const BubbleDecl &bubble, const BubbleFile &file,
                             Environment &environment, const Context &context,
                             std::vector<ResolvedBubble> &out);
  LogicalResult expandChain(const BubbleFileParts &parts,
                            Environment &environment, const Context &context,
                            std::vector<ResolvedBubble> &out);
  const BubbleFileParts *readFile(const UseDecl &use, const Context &context);
  using Given = std::map<StringRef, const Expression *>;
  FailureOr<Expression> givenValue(const BubbleDecl &bubble,
                                   const ParameterDecl &parameter,
                                   const Given &bindings, Environment &outer,
                                   const Context &context);
  FailureOr<Environment> bind(const BubbleDecl &bubble,
                              const BubbleFileParts &parts, Environment &outer,
                              const Context &context);
  FailureOr<Expression> computeLet(const LetDecl &let, const Context &context,
                                   Environment &inner);
  LogicalResult bindLets(const BubbleFileParts &parts, const Context &context,
                         Environment &inner);
  LogicalResult checkConstraints(const BubbleFileParts &parts,
                                 const Context &context, Environment &inner);
  LogicalResult checkConstraint(const ConstraintDecl &constraint,
                                const BubbleFile &file, const Context &context,
                                Environment &inner);
  std::vector<DiagnosticNote> usedBy(const Context &context) const;
  FailureOr<Expression> checkedGiven(const ParameterDecl &parameter,
                                     Expression given, const Context &context,
                                     DiagnosticSink &sink) const;
  LogicalResult bindOne(const ParameterDecl &parameter, Expression given,
                        const Context &context, Environment &inner);

  FailureOr<ResolvedAction> resolveAction(const ActionDecl &action,
                                          Environment &environment,
                                          const Context &context);
  FailureOr<Expression> resolveExpression(const Expression &expression,
                                          Environment &environment,
                                          const Context &context);
  FailureOr<std::vector<Expression>> resolveWords(ArrayRef<Expression> words,
                                                  Environment &environment,
                                                  const Context &context);
  LogicalResult addExpectation(const BubbleDecl &bubble,
                               Environment &environment, const Context &context,
                               ResolvedBubble &result);
  LogicalResult resolveKernel(ScheduleDecl &schedule, Environment &environment,
                              const Context &context);
  FailureOr<ScheduleDecl> resolveSchedule(const ScheduleDecl &schedule,
                                          Environment &environment,
                                          const Context &context);
  FailureOr<ResolvedAction> resolveTool(const ExternalDecl &external);
  FailureOr<std::string> findFile(const Located<std::string> &name,
                                  StringRef ending, StringRef what);
  LogicalResult findCheckFiles(ResolvedBubble &bubble);
  bool narrow(const BubbleDecl &bubble, Context &context);
  LogicalResult checkReference(const Reference &reference,
                               const Context &context);

  TargetFacts targets;
  bool lacksTargets;
  ArrayRef<std::string> libraryDirs;
  SourceStore &sources;
  DiagnosticSink &sink;
  /// By absolute path; none: it is of no use, which was reported.
  std::map<std::string, const BubbleFileParts *> bubbleFiles;
  std::set<std::string> namedFiles;
  std::set<std::string> missingFacts; ///< reported places
  size_t visited = 0;                 ///< bubbles of all levels
  bool isFull = false;                ///< a limit was reached
};

} // namespace lh

#endif // LH_CORE_GRAPH_BUBBLEEXPANDER_H
