// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of calls went, by the nodes of a model.
#include "insight/report/Profile.h"

#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"
#include "insight/report/TextTable.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace lh;

namespace {
/// What the machine can do at most, per second.
struct Roofs {
  std::map<std::string, double> operations; ///< by type
  double bytes = 0;                         ///< of what the whole call moves
  std::map<uint64_t, double> copies;        ///< of so many bytes

  double forBytes(double moved) const {
    auto copy = copies.lower_bound(static_cast<uint64_t>(moved));
    return copy == copies.end() ? bytes : copy->second;
  }
};

/// What the path of a result says of the model's nodes.
struct NodeFacts {
  std::map<std::string, NodeWork> work;
  std::map<std::string, std::string> strategies;
  const CallProfile *profile = nullptr;
};
} // namespace

static Roofs roofsOf(const BenchGroup &group, const BenchRecord &measured) {
  Roofs roofs;
  roofs.copies = measured.copies;
  for (const ProbeFigure &figure : group.probes) {
    double &roof = figure.probe.dtype.empty()
                       ? roofs.bytes
                       : roofs.operations[figure.probe.dtype];
    roof = std::max(roof, figure.rate.median);
  }
  return roofs;
}

/// Choices have their nodes' names in quotes, and places where there are none.
static void addChoice(const OpChoice &choice, NodeFacts &facts) {
  StringRef names = choice.name;
  while (names.consume_front("'")) {
    auto [name, rest] = names.split('\'');
    facts.strategies[name.str()] = choice.strategy;
    names = rest.ltrim(", ");
  }
}

static NodeFacts factsOf(const RunRecord &run, size_t result) {
  NodeFacts facts;
  for (StepId step : pathOf(run, result)) {
    const StepOutcome &outcome = run.outcomes[step];
    for (const NodeWork &work : outcome.nodes)
      facts.work[work.node] = work;
    for (const OpChoice &choice : outcome.choices)
      addChoice(choice, facts);
    if (outcome.profile)
      facts.profile = &*outcome.profile;
  }
  return facts;
}

/// Of the nodes that a piece comes from that which has most to do; where none
/// has, that with most of the code.
static std::string ownerOf(const ProfiledPiece &piece, const NodeFacts &facts) {
  std::string owner = piece.nodes.empty() ? "" : piece.nodes.front();
  double most = 0;
  for (const std::string &node : piece.nodes) {
    auto found = facts.work.find(node);
    double operations =
        found == facts.work.end() ? 0 : found->second.operations;
    if (operations > most) {
      most = operations;
      owner = node;
    }
  }
  return owner;
}

/// Gathers pieces by their owners; what has no origin counts as unknown.
static std::vector<ProfiledNode> gather(const NodeFacts &facts, double seconds,
                                        double &unknown) {
  llvm::MapVector<std::string, ProfiledNode, std::map<std::string, unsigned>>
      nodes;
  for (const ProfiledPiece &piece : facts.profile->pieces) {
    std::string owner = ownerOf(piece, facts);
    if (owner.empty()) {
      unknown += piece.share * seconds;
      continue;
    }
    ProfiledNode &node = nodes[owner];
    node.node = owner;
    node.seconds += piece.share * seconds;
    if (!piece.isNest)
      continue;
    ++node.nests;
    for (const std::string &other : piece.nodes)
      if (other != owner && facts.work.count(other) &&
          !llvm::is_contained(node.with, other))
        node.with.push_back(other);
  }
  std::vector<ProfiledNode> all;
  for (auto &[name, node] : nodes)
    all.push_back(std::move(node));
  return all;
}

/// A node's own work, and that of others which are nowhere else.
static void addWork(ProfiledNode &node, const NodeFacts &facts,
                    std::set<std::string> &counted) {
  auto add = [&](const std::string &name) {
    auto found = facts.work.find(name);
    if (found != facts.work.end() && counted.insert(name).second)
      node.operations += found->second.operations;
  };
  add(node.node);
  for (const std::string &other : node.with)
    add(other);
  auto own = facts.work.find(node.node);
  if (own != facts.work.end()) {
    node.kind = own->second.kind;
    node.bytes = own->second.bytes;
  }
  auto strategy = facts.strategies.find(node.node);
  if (strategy != facts.strategies.end())
    node.strategy = strategy->second;
}

static void addShares(ProfiledNode &node, const NodeFacts &facts,
                      const Roofs &roofs) {
  auto own = facts.work.find(node.node);
  // Without a nest, others' nests compute it.
  if (own == facts.work.end() || node.nests == 0 || node.seconds <= 0)
    return;
  auto peak = roofs.operations.find(own->second.dtype);
  if (peak != roofs.operations.end() && peak->second > 0)
    node.ofPeak = node.operations / peak->second / node.seconds;
  if (double roof = roofs.forBytes(node.bytes); roof > 0)
    node.ofBandwidth = node.bytes / roof / node.seconds;
  if (node.ofPeak || node.ofBandwidth)
    node.ofRoofline =
        std::max(node.ofPeak.value_or(0), node.ofBandwidth.value_or(0));
}

static ProfiledResult profiled(const RunRecord &run, size_t result,
                               const BenchRow &row, const Roofs &roofs) {
  NodeFacts facts = factsOf(run, result);
  ProfiledResult made;
  made.key = row.key;
  made.seconds = row.seconds.median;
  if (!facts.profile)
    return made;
  made.clockedSeconds = facts.profile->seconds;
  made.nodes = gather(facts, made.seconds, made.unknownSeconds);
  // Those with code of their own count there.
  std::set<std::string> owners;
  for (const ProfiledNode &node : made.nodes)
    owners.insert(node.node);
  for (ProfiledNode &node : made.nodes) {
    std::set<std::string> counted = owners;
    counted.erase(node.node);
    addWork(node, facts, counted);
    owners.insert(node.with.begin(), node.with.end());
    addShares(node, facts, roofs);
  }
  llvm::stable_sort(made.nodes, [](const auto &one, const auto &other) {
    return one.seconds > other.seconds;
  });
  return made;
}

/// Of the same case on the same target, what `base` takes for each node.
static void compareWith(StringRef base, std::vector<ProfiledResult> &results) {
  for (ProfiledResult &own : results)
    for (const ProfiledResult &other : results) {
      bool isBase = other.key.pipeline == base &&
                    other.key.caseName == own.key.caseName &&
                    other.key.target == own.key.target &&
                    other.key.sweep == own.key.sweep;
      if (!isBase || own.key.pipeline == base)
        continue;
      for (ProfiledNode &node : own.nodes)
        for (const ProfiledNode &same : other.nodes)
          if (same.node == node.node)
            node.otherSeconds = same.seconds;
    }
}

std::vector<ProfiledResult> lh::profiledResults(const RunRecord &run,
                                                const BenchRecord &measured) {
  std::vector<ProfiledResult> all;
  for (const BenchGroup &group : measured.groups) {
    Roofs roofs = roofsOf(group, measured);
    for (const BenchRow &row : group.rows)
      for (size_t i = 0; i < run.results.size(); ++i)
        if (row.whyNot.empty() &&
            resultName(run.results[i].key) == resultName(row.key))
          all.push_back(profiled(run, i, row, roofs));
  }
  llvm::erase_if(all, [](const ProfiledResult &result) {
    return result.clockedSeconds <= 0;
  });
  if (!measured.base.empty())
    compareWith(measured.base, all);
  return all;
}

void lh::warnOfClocks(ArrayRef<ProfiledResult> results, DiagnosticSink &sink) {
  for (const ProfiledResult &result : results)
    if (double cost = result.clockedSeconds / result.seconds - 1; cost > 0.1)
      sink.warning(DiagKind::ReportCostlyClocks, {},
                   resultName(result.key) +
                       ": with clocks in the code a call " + "takes " +
                       percentText(cost) +
                       " longer; shares of small nodes may be wrong");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string percentOr(const std::optional<double> &share) {
  return share ? percentText(*share) : "-";
}

/// "'relu1', 'add2' and 3 more".
static std::string namesText(ArrayRef<std::string> names) {
  constexpr size_t most = 2;
  std::string text = llvm::join(names.take_front(most), ", ");
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

static std::string madeText(const ProfiledNode &node) {
  std::string text = node.strategy.empty() ? node.kind : node.strategy;
  if (node.nests > 1)
    text += (text.empty() ? "" : ", ") + std::to_string(node.nests) + " nests";
  return text;
}

static Cells nodeCells(const ProfiledNode &node, double seconds, bool hasBase) {
  Cells cells = {node.node, madeText(node), namesText(node.with),
                 durationText(node.seconds),
                 percentText(node.seconds / seconds)};
  bool computes = node.operations > 0 && node.seconds > 0;
  cells.push_back(computes ? threeDigits(node.operations / node.seconds * 1e-9)
                           : "-");
  cells.push_back(percentOr(node.ofPeak));
  cells.push_back(node.bytes > 0 ? threeDigits(node.bytes / node.seconds * 1e-9)
                                 : "-");
  cells.push_back(percentOr(node.ofBandwidth));
  cells.push_back(percentOr(node.ofRoofline));
  if (hasBase)
    cells.push_back(node.otherSeconds
                        ? threeDigits(*node.otherSeconds / node.seconds) + "x"
                        : "-");
  return cells;
}

static void printResult(const ProfiledResult &result, StringRef base,
                        size_t most, llvm::raw_ostream &stream) {
  constexpr size_t nameColumns = 3;
  stream << '\n'
         << resultName(result.key) << ": " << durationText(result.seconds)
         << " a call\n";
  bool hasBase = !base.empty() && result.key.pipeline != base;
  Cells header = {"node",    "made as",    "together with", "time",
                  "of call", "GFLOP/s",    "of peak",       "GB/s",
                  "of copy", "of roofline"};
  if (hasBase)
    header.push_back("to " + base.str());
  std::vector<Cells> lines = {header};
  size_t shown =
      most == 0 ? result.nodes.size() : std::min(most, result.nodes.size());
  for (const ProfiledNode &node : ArrayRef(result.nodes).take_front(shown))
    lines.push_back(nodeCells(node, result.seconds, hasBase));
  double rest = 0;
  for (const ProfiledNode &node : ArrayRef(result.nodes).drop_front(shown))
    rest += node.seconds;
  auto addLine = [&](const std::string &what, double seconds) {
    lines.push_back({what, "", "", durationText(seconds),
                     percentText(seconds / result.seconds)});
  };
  size_t more = result.nodes.size() - shown;
  if (more > 0)
    addLine("(" + std::to_string(more) +
                (more == 1 ? " more node)" : " more nodes)"),
            rest);
  if (result.unknownSeconds > 0)
    addLine("(code of no node)", result.unknownSeconds);
  printTable(lines, nameColumns, stream);
  double cost = result.clockedSeconds / result.seconds - 1;
  stream << "with clocks in the code a call takes "
         << durationText(result.clockedSeconds) << " ("
         << (cost < 0 ? "-" : "+") << percentText(std::abs(cost))
         << "); times are shares of the call without them\n";
}

void lh::printProfile(ArrayRef<ProfiledResult> results,
                      const BenchRecord &measured, size_t most,
                      llvm::raw_ostream &stream) {
  bool wasMeasured = llvm::any_of(measured.groups, [](const auto &group) {
    return llvm::any_of(group.rows,
                        [](const BenchRow &row) { return row.whyNot.empty(); });
  });
  if (results.empty() && wasMeasured)
    stream << "nothing was profiled: only code for CPUs that runs here has "
              "clocks\n";
  for (const ProfiledResult &result : results)
    printResult(result, measured.base, most, stream);
}
