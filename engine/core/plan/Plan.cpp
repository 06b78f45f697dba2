// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding one's way in a plan.
#include "core/plan/Plan.h"

#include <algorithm>

using namespace lh;

std::string lh::labelOf(const ToolUse &use) {
  return use.tool->name + (use.version.empty() ? "" : " ") + use.version;
}

std::vector<StepId> PlannedComparison::referenceLeaves() const {
  std::vector<StepId> leaves;
  for (std::optional<StepId> leaf : {referenceLeaf, plainLeaf})
    if (leaf)
      leaves.push_back(*leaf);
  return leaves;
}

std::vector<CheckFile> Step::checkFiles() const {
  std::vector<CheckFile> files = expect;
  for (const auto *form : {&requires_, &ensures})
    if (*form && (*form)->checkFile)
      files.push_back(*(*form)->checkFile);
  return files;
}

bool lh::isReference(const Step &step) {
  return StringRef(step.bubble).starts_with("oracle/");
}

std::vector<StepId> Plan::pathTo(StepId leaf) const {
  std::vector<StepId> path;
  for (std::optional<StepId> step = leaf; step; step = steps[*step].parent)
    path.push_back(*step);
  std::reverse(path.begin(), path.end());
  return path;
}
