// Reads what bubbles name, and flattens `use:` to elementary bubbles.
#ifndef LH_GRAPH_BUBBLEEXPANDER_H
#define LH_GRAPH_BUBBLEEXPANDER_H

#include "graph/Parameters.h"
#include "graph/ResolvedGraph.h"
#include "graph/TargetFacts.h"
#include "support/SourceStore.h"

namespace lh {

/// Expands the bubbles of one manifest. Everything handed in is borrowed.
class BubbleExpander {
public:
  BubbleExpander(ArrayRef<TargetSpec> targets,
                 ArrayRef<std::string> libraryDirs, SourceStore &sources,
                 DiagnosticSink &sink);

  /// The elementary bubbles of `bubble`, in chain order, with the parameters
  /// of `environment` replaced. A bubble that fails is reported.
  FailureOr<std::vector<ResolvedBubble>> expand(const BubbleDecl &bubble,
                                                Environment &environment);

  /// The elementary bubbles of the bubble file `path` (absolute, or `lib:`) by
  /// itself, its parameters set from texts.
  FailureOr<std::vector<ResolvedBubble>>
  expandFile(StringRef path, const std::map<std::string, std::string> &set,
             StringRef workingDirectory);

  /// The bubble files read so far.
  std::vector<std::string> files() const;

private:
  /// What surrounds a bubble on its way down through `use:`.
  struct Context {
    std::string prefix;    ///< "outer/"
    SourceSpan declaredAt; ///< of the outermost bubble
    std::vector<FactCondition> when;
    std::vector<size_t> targets; ///< those on which `when` holds
    std::vector<UseDecl> uses;   ///< the chain of `use:`, paths absolute
  };

  LogicalResult expandInto(const BubbleDecl &bubble, Environment &environment,
                           const Context &context,
                           std::vector<ResolvedBubble> &out);
  LogicalResult expandUse(const BubbleDecl &bubble, const UseDecl &use,
                          Environment &environment, const Context &context,
                          std::vector<ResolvedBubble> &out);
  LogicalResult expandChain(const BubbleFile &file, Environment &environment,
                            const Context &context,
                            std::vector<ResolvedBubble> &out);
  const BubbleFile *readFile(const UseDecl &use, const Context &context);
  FailureOr<Environment> bind(const BubbleDecl &bubble, const BubbleFile &file,
                              Environment &outer, const Context &context);
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
  FailureOr<ScheduleDecl> resolveSchedule(const ScheduleDecl &schedule);
  FailureOr<std::string> findFile(const Located<std::string> &name,
                                  StringRef ending, StringRef what);
  LogicalResult findCheckFiles(ResolvedBubble &bubble);
  bool narrow(const BubbleDecl &bubble, Context &context);
  LogicalResult checkReference(const Reference &reference,
                               const Context &context);

  TargetFacts targets;
  ArrayRef<std::string> libraryDirs;
  SourceStore &sources;
  DiagnosticSink &sink;
  /// By absolute path; none: it has errors, which were reported.
  std::map<std::string, std::optional<BubbleFile>> bubbleFiles;
  std::set<std::string> missingFacts; ///< reported places
};

} // namespace lh

#endif // LH_GRAPH_BUBBLEEXPANDER_H
