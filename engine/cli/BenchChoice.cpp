// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What won a race, as manifests.
#include "cli/BenchChoice.h"

#include "core/manifest/Choice.h"
#include "core/support/FileSystem.h"
#include "steps/GraphLoader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lh;

/// Pipeline and target, and the cases that they won.
using Winners =
    std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

static std::string realPath(const std::string &path) {
  llvm::SmallString<128> real;
  return llvm::sys::fs::real_path(path, real) ? path : real.str().str();
}

std::string lh::whyNoChoiceAt(StringRef path, const ResolvedGraph &graph) {
  std::string absolute = absolutePath(path, workingDirectory());
  if (realPath(absolute) == realPath(graph.file))
    return "--choice: '" + path.str() + "' is the manifest itself";
  std::string folder = folderOf(graph.file);
  if (realPath(folderOf(absolute)) == realPath(folder))
    return "";
  return "--choice: a choice names files as its manifest does, so it has to "
         "be written to the same folder, '" +
         displayPath(folder, workingDirectory()) + "'";
}

static Winners winnersOf(const BenchRecord &record) {
  Winners winners;
  for (const BenchGroup &group : record.groups) {
    if (!group.fastest)
      continue;
    const ResultKey &key = group.rows[*group.fastest].key;
    std::vector<std::string> &cases = winners[{key.pipeline, key.target}];
    if (!llvm::is_contained(cases, group.caseName))
      cases.push_back(group.caseName);
  }
  return winners;
}

/// Names in the manifest: what a used bubble consists of has its name before
/// the slash.
static std::vector<std::string> pathOf(const ResolvedGraph &graph,
                                       const ResolvedPipeline &pipeline) {
  std::vector<std::string> path;
  for (size_t bubble : pipeline.path) {
    std::string name =
        StringRef(graph.bubbles[bubble].name).split('/').first.str();
    if (path.empty() || path.back() != name)
      path.push_back(name);
  }
  return path;
}

static Choice choiceOf(const Winners::value_type &winner,
                       const ResolvedGraph &graph,
                       const std::map<std::string, std::string> &params) {
  const auto &[who, cases] = winner;
  std::vector<std::string> kept = {who.first};
  if (graph.verify) // a pipeline that others are compared with
    for (const Located<std::string> &against : graph.verify->against)
      kept.push_back(against.value);
  Choice choice;
  for (const ResolvedPipeline &pipeline : graph.pipelines)
    if (llvm::is_contained(kept, pipeline.name))
      choice.pipelines[pipeline.name] = pathOf(graph, pipeline);
  choice.target = who.second;
  choice.cases = cases;
  choice.params = params;
  choice.comment = "The fastest of '" + graph.name + "' on " +
                   llvm::join(cases, ", ") + ", by lh-run bench --race.";
  return choice;
}

/// "fast.yaml" becomes "fast-tiled-x86-avx2.yaml".
static std::string nameFor(const Winners::value_type &winner,
                           const std::string &file, bool isAlone) {
  if (isAlone)
    return file;
  StringRef ending = llvm::sys::path::extension(file);
  return StringRef(file).drop_back(ending.size()).str() + "-" +
         winner.first.first + "-" + winner.first.second + ending.str();
}

LogicalResult lh::writeChoices(const BenchRecord &record,
                               const ResolvedGraph &graph,
                               const std::map<std::string, std::string> &params,
                               const std::string &file, SourceStore &sources,
                               llvm::raw_ostream &out, DiagnosticSink &sink) {
  Winners winners = winnersOf(record);
  if (winners.empty()) {
    out << "no choice is written: nothing was measured\n";
    return failure();
  }
  FailureOr<StringRef> text = sources.load(graph.file, {}, sink);
  if (failed(text))
    return failure();
  for (const Winners::value_type &winner : winners) {
    FailureOr<std::string> chosen = chooseFromManifest(
        *text, graph.file, choiceOf(winner, graph, params), sink);
    std::string name = nameFor(winner, file, winners.size() == 1);
    if (failed(chosen) || failed(writeFileAtomically(name, *chosen, {}, sink)))
      return failure();
    out << "wrote " << name << ": " << winner.first.first << " on "
        << winner.first.second << " for " << llvm::join(winner.second, ", ")
        << '\n';
  }
  return success();
}
