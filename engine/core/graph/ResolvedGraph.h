// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A manifest with every file it names read and every name resolved: bubbles
// flattened, paths spelled out, parameters typed. Still plain data; values that
// depend on a target, a case or a sweep point stay expressions until planning.
#ifndef LH_CORE_GRAPH_RESOLVEDGRAPH_H
#define LH_CORE_GRAPH_RESOLVEDGRAPH_H

#include "core/manifest/Manifest.h"

namespace lh {

/// An action without `use:`; paths in it are absolute.
using ResolvedAction =
    std::variant<IngressDecl, PassesDecl, ScheduleDecl, PatternsDecl,
                 CommandDecl, ExecuteDecl, EmitDecl>;

/// One elementary bubble. A `use:` of a nested file becomes several of these,
/// named `outer/inner`, in chain order.
struct ResolvedBubble {
  std::string name;
  SourceSpan declaredAt;
  ResolvedAction action;
  /// Values for the schedule's arguments and `lh.bind`s, in terms of manifest
  /// parameters (already substituted), target facts, case and sweep.
  std::vector<std::pair<Located<std::string>, Expression>> parameters;
  std::vector<FactCondition> when;
  std::optional<FormDecl> requires_, ensures;
  std::vector<Located<std::string>> preserves;
  /// Of the bubble itself and of each that uses it and ends here.
  std::vector<ExpectDecl> expect;
  std::vector<FailDecl> fails; ///< of the same bubbles
  std::string optional;        ///< why it may change nothing; empty: it must
  /// The bubble files that `use:` led through, outermost first.
  std::vector<std::string> files;
  NumericsDecl numerics; ///< its own and those of all that use it, merged
};

/// A source-to-sink path; indices into `ResolvedGraph::bubbles`.
struct ResolvedPipeline {
  std::string name;
  SourceSpan declaredAt;
  std::string color;
  std::vector<size_t> path;
};

/// A pipeline's path for one target and case, as measurement has changed it.
struct TunedPipeline {
  std::string target, pipeline, caseName; ///< no case: all
  std::vector<size_t> path;
};

/// A parameter of a bubble that a search may set.
struct TunableParameter {
  std::string bubble, name; ///< of the manifest's bubble; the parameter's
  std::vector<Value> values;
};

struct ResolvedGraph {
  std::string name;
  std::string file;
  std::string summary;
  std::vector<ResolvedBubble> bubbles;
  std::vector<ResolvedPipeline> pipelines;
  std::vector<TargetSpec> targets; ///< in the manifest's order
  std::vector<Located<std::string>> dialects; ///< files of IRDL
  std::vector<CaseDecl> cases;     ///< parameters substituted
  std::optional<VerifyDecl> verify;
  /// The user's before the manifest's: of two about the same, the first holds.
  std::vector<TunedSpec> tuned;
  std::vector<TunedPipeline> tunedPipelines; ///< the same order
  /// Those that their bubbles give no value.
  std::vector<TunableParameter> tunable;
  std::map<std::string, Value> params; ///< after --set
  /// Every file read on the way (manifest, bubbles, targets), for reports.
  std::vector<std::string> files;
};

} // namespace lh

#endif // LH_CORE_GRAPH_RESOLVEDGRAPH_H
