// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors that a comparison is judged by, from the files of its leaves.
#include "core/plan/Exhibits.h"

#include "core/numerics/TensorFile.h"
#include "core/plan/Judge.h"
#include "core/plan/OraclePipeline.h"
#include "core/support/FileNames.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

FailureOr<Tensor> lh::loadTensor(const std::string &path, std::string &reason) {
  CollectingSink sink;
  FailureOr<Tensor> tensor = readTensorFile(path, sink);
  if (failed(tensor))
    reason = sink.diagnostics().empty() ? "cannot read '" + path + "'"
                                        : sink.diagnostics()[0].message;
  return tensor;
}

NamedFiles lh::filesOf(const StepOutcome &outcome) {
  NamedFiles files;
  for (const OutputFile &output : outcome.outputs)
    files.emplace_back(output.name, output.path);
  return files;
}

/// What the files of these would be called: golden files have no other names.
static std::vector<std::string> namesOf(const NamedFiles &files) {
  std::vector<std::string> names;
  for (const auto &[name, path] : files)
    names.push_back(name);
  return fileNames(names);
}

std::vector<std::pair<size_t, size_t>>
lh::pairOutputs(const NamedFiles &actual, const NamedFiles &expected,
                std::string &mismatch) {
  std::vector<std::pair<size_t, size_t>> pairs;
  if (actual.size() != expected.size())
    mismatch = std::to_string(actual.size()) + " outputs came out, " +
               std::to_string(expected.size()) + " were expected";
  bool nameless = llvm::any_of(
      expected, [](const auto &file) { return file.first.empty(); });
  std::vector<std::string> names = namesOf(actual), wanted = namesOf(expected);
  for (size_t i = 0; i < expected.size(); ++i) {
    auto found = llvm::find(names, wanted[i]);
    size_t position = nameless ? i : static_cast<size_t>(found - names.begin());
    if (position < actual.size())
      pairs.emplace_back(position, i);
    else if (mismatch.empty())
      mismatch = "no output is named '" + expected[i].first + "'";
  }
  return pairs;
}

/// The tensor that a leaf wrote under this name, if it did.
static std::optional<Tensor> outputOf(const StepOutcome &outcome,
                                      const std::string &name) {
  for (const OutputFile &output : outcome.outputs) {
    if (output.name != name)
      continue;
    std::string ignored;
    FailureOr<Tensor> tensor = loadTensor(output.path, ignored);
    if (succeeded(tensor))
      return std::move(*tensor);
  }
  return std::nullopt;
}

/// The scores that a leaf gives for this output, and along which axis.
static std::optional<std::pair<Tensor, int64_t>>
scoresOf(const StepOutcome &outcome, const std::string &name) {
  for (const OutputFile &output : outcome.outputs) {
    StringRef rest = output.name;
    int64_t axis = 0;
    if (!rest.consume_front(name) || !rest.consume_front(scoresSuffix) ||
        rest.getAsInteger(10, axis))
      continue;
    if (std::optional<Tensor> scores = outputOf(outcome, output.name))
      return std::pair(std::move(*scores), axis);
  }
  return std::nullopt;
}

static void gatherSelection(Exhibits &found, const StepOutcome &oracle,
                            const StepOutcome &plain, const std::string &name) {
  std::string prefix = name + selectsSuffix.str();
  found.rules = outputOf(oracle, prefix + "rules");
  if (!found.rules)
    return;
  found.boxes = outputOf(oracle, prefix + "boxes");
  found.boxScores = outputOf(oracle, prefix + "scores");
  found.plainBoxes = outputOf(plain, prefix + "boxes");
  found.plainBoxScores = outputOf(plain, prefix + "scores");
}

std::optional<SelectionSource> lh::selectionOf(const Exhibits &exhibits) {
  if (!exhibits.rules || !exhibits.boxes || !exhibits.boxScores ||
      !exhibits.plainBoxes || !exhibits.plainBoxScores)
    return std::nullopt;
  auto rules = SelectionRules::from(*exhibits.rules);
  if (!rules)
    return std::nullopt;
  return SelectionSource{
      *exhibits.boxes, *exhibits.boxScores, *rules,
      slackByRatio(*exhibits.plainBoxes, *exhibits.boxes),
      slackByRatio(*exhibits.plainBoxScores, *exhibits.boxScores)};
}

Exhibits lh::gatherExhibits(const PlannedComparison &comparison,
                            ArrayRef<StepOutcome> outcomes,
                            const std::string &name) {
  Exhibits found;
  if (comparison.mode == OracleMode::Tolerance || !comparison.referenceLeaf)
    return found;
  const StepOutcome &oracle = outcomes[*comparison.referenceLeaf];
  found.bounds = outputOf(oracle, name + boundSuffix.str());
  found.scores = scoresOf(oracle, name);
  if (found.scores)
    found.scoreBounds = outputOf(
        oracle, name + scoresSuffix.str() +
                    std::to_string(found.scores->second) + boundSuffix.str());
  if (!comparison.plainLeaf)
    return found;
  const StepOutcome &plain = outcomes[*comparison.plainLeaf];
  found.plain = outputOf(plain, name);
  found.plainScores = scoresOf(plain, name);
  gatherSelection(found, oracle, plain, name);
  return found;
}
