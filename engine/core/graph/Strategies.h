// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a schedule may choose between for an op, and what numbers a choice may
// have.
#ifndef LH_CORE_GRAPH_STRATEGIES_H
#define LH_CORE_GRAPH_STRATEGIES_H

#include "core/graph/Parameters.h"
#include "core/manifest/Combinations.h"

namespace lh {

struct StrategySpace {
  std::vector<StrategyDecl> strategies;
  /// What their formulas use; it may still depend on target facts.
  Environment environment;
};

/// By name; a choice's, without its strategy.
using ChoiceNumbers = Combination;
using TargetFactValues = std::map<std::string, Value>;

/// Null where the space has no strategy of this name.
const StrategyDecl *findStrategy(const StrategySpace &space, StringRef name);

/// Why a target with these facts has no such strategy; "" where it has.
std::string whyNoStrategy(const StrategySpace &space,
                          const StrategyDecl &strategy,
                          const TargetFactValues &facts);

/// Why a choice can't have these numbers: what is unknown, or the constraint
/// that they break. "" where it can. Numbers that aren't there are the
/// strategy's own to choose.
std::string whyNoChoice(const StrategySpace &space,
                        const StrategyDecl &strategy,
                        const TargetFactValues &facts,
                        const ChoiceNumbers &numbers);

/// All choices of a strategy that a target has: each number one of its values,
/// in their order, without those that break a constraint. One without numbers
/// for a strategy that has none.
std::vector<ChoiceNumbers> choicesOf(const StrategySpace &space,
                                     const StrategyDecl &strategy,
                                     const TargetFactValues &facts);

} // namespace lh

#endif // LH_CORE_GRAPH_STRATEGIES_H
