// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways through the bubble library, found by contracts.
#include "core/graph/PathPlanner.h"

#include "llvm/ADT/STLExtras.h"

#include <set>
#include <tuple>

using namespace lh;

static constexpr size_t mostJoined = 5;

/// The first clause of `form` that the facts contradict, if any.
static std::optional<ClauseState> refusal(const FormFacts &facts,
                                          const std::optional<FormDecl> &form) {
  if (form)
    for (const ClauseState &clause : judge(facts, *form))
      if (clause.met == Known::No)
        return clause;
  return std::nullopt;
}

static bool certainlyMeets(const FormFacts &facts,
                           const std::optional<FormDecl> &form) {
  return !form || llvm::all_of(judge(facts, *form), [](const auto &clause) {
    return clause.met == Known::Yes;
  });
}

static void persist(const PresenceFacts &before, PresenceFacts &after) {
  for (const auto &[name, fact] : before.named)
    if (fact.present == Known::Yes &&
        after.find(name).present == Known::Unknown)
      after.named[name] = fact;
}

/// What is there is taken to stay until a contract says that it goes: else
/// every bubble might be the one that removes it.
static FormFacts assumedAfter(const FormFacts &before,
                              const ResolvedBubble &bubble) {
  FormFacts after = factsAfter(before, bubble);
  persist(before.dialects, after.dialects);
  persist(before.types, after.types);
  persist(before.boundary, after.boundary);
  if (before.staticShapes && !before.staticShapes->value && !after.staticShapes)
    after.staticShapes = before.staticShapes;
  return after;
}

static FormFacts assumedAfterNode(FormFacts facts, const PlanNode &node) {
  for (const ResolvedBubble &bubble : node.chain)
    facts = assumedAfter(facts, bubble);
  return facts;
}

/// Rounds products or convolves otherwise than the model says.
static bool movesNumbers(const PlanNode &node) {
  return llvm::any_of(node.chain, [](const ResolvedBubble &bubble) {
    return bubble.numerics.winograd || bubble.numerics.operands;
  });
}

namespace {

/// A form on the way, and the bubbles that led there.
struct State {
  FormFacts facts;
  std::vector<size_t> taken; ///< indices into the library
};

class Search {
public:
  Search(const FormDecl &goal, ArrayRef<PlanNode> library,
         ArrayRef<ProvenPath> proven)
      : goal(goal), library(library), proven(proven) {}

  PathSearch run(const FormFacts &from) {
    std::vector<State> states = {{from, {}}};
    for (size_t depth = 0; depth <= mostJoined; ++depth) {
      for (const State &state : states)
        finish(state);
      if (!candidates.empty())
        break;
      states = expanded(states);
    }
    llvm::sort(candidates, [](const Candidate &one, const Candidate &other) {
      return one.rank < other.rank;
    });
    for (Candidate &candidate : candidates)
      result.paths.push_back(std::move(candidate.path));
    return std::move(result);
  }

private:
  using Rank = std::tuple<size_t, size_t, size_t, size_t, size_t>;
  struct Candidate {
    Rank rank;
    PlannedPath path;
  };

  /// Every way on from `state` by bubbles that a manifest has in this order,
  /// or by none.
  void finish(const State &state) {
    if (certainlyMeets(state.facts, goal)) {
      addCandidate(state, nullptr, 0, 0, 0);
      return;
    }
    for (size_t i = 0; i < proven.size(); ++i)
      for (size_t first = 0; first < proven[i].nodes.size(); ++first)
        if (follow(state, i, first))
          break; // what comes later in it is a part of this
    note(state, {}, nullptr,
         refusal(state.facts, goal).value_or(ClauseState()));
  }

  /// Follows a pipeline from its node `first` until the goal is reached.
  bool follow(const State &state, size_t index, size_t first) {
    const ProvenPath &path = proven[index];
    FormFacts facts = state.facts;
    std::vector<std::string> names;
    for (size_t at = first; at < path.nodes.size(); ++at) {
      const PlanNode &node = path.nodes[at];
      for (const ResolvedBubble &bubble : node.chain) {
        if (auto clause = refusal(facts, requirementOf(bubble))) {
          note(state, names, &node, *clause);
          return false;
        }
        facts = assumedAfter(facts, bubble);
      }
      names.push_back(node.name);
      if (certainlyMeets(facts, goal)) {
        addCandidate(state, &path, index, first, at + 1);
        return true;
      }
    }
    return false;
  }

  void addCandidate(const State &state, const ProvenPath *path, size_t index,
                    size_t first, size_t end) {
    PlannedPath found;
    for (size_t taken : state.taken)
      found.nodes.push_back(library[taken]);
    found.joined = state.taken.size();
    found.proven = path;
    bool certain = true;
    if (path) {
      const PlanNode &join = path->nodes[first];
      certain = certainlyMeets(state.facts, requirementOf(join.chain.front()));
      found.nodes.insert(found.nodes.end(), path->nodes.begin() + first,
                         path->nodes.begin() + end);
    }
    size_t moved = llvm::count_if(found.nodes, movesNumbers);
    size_t length = found.nodes.size();
    candidates.push_back(
        {{path ? 0 : 1, certain ? 0 : 1, moved, ~length, index},
         std::move(found)});
  }

  /// What is one bubble further: each must be certain to fit, and bring
  /// something about.
  std::vector<State> expanded(ArrayRef<State> states) {
    std::vector<State> next;
    for (const State &state : states)
      for (size_t i = 0; i < library.size(); ++i) {
        const PlanNode &node = library[i];
        if (llvm::is_contained(state.taken, i) ||
            !certainlyMeets(state.facts, requirementOf(node.chain.front())) ||
            certainlyMeets(state.facts, node.chain.back().ensures))
          continue;
        State further{assumedAfterNode(state.facts, node), state.taken};
        further.taken.push_back(i);
        std::vector<size_t> set = further.taken;
        llvm::sort(set);
        if (visited.insert(set).second)
          next.push_back(std::move(further));
      }
    return next;
  }

  /// Remembers the furthest that a path came.
  void note(const State &state, ArrayRef<std::string> followed,
            const PlanNode *next, const ClauseState &clause) {
    PathObstacle obstacle;
    for (size_t taken : state.taken)
      obstacle.reached.push_back(library[taken].name);
    llvm::append_range(obstacle.reached, followed);
    obstacle.next = next ? next->name : "";
    obstacle.clause = clause;
    bool isFirst = result.obstacle.clause.wanted.empty();
    if (isFirst || obstacle.reached.size() > result.obstacle.reached.size())
      result.obstacle = std::move(obstacle);
  }

  const FormDecl &goal;
  ArrayRef<PlanNode> library;
  ArrayRef<ProvenPath> proven;
  std::vector<Candidate> candidates;
  std::set<std::vector<size_t>> visited;
  PathSearch result;
};

} // namespace

PathSearch lh::findPaths(const FormFacts &from, const FormDecl &goal,
                         ArrayRef<PlanNode> library,
                         ArrayRef<ProvenPath> proven) {
  return Search(goal, library, proven).run(from);
}
