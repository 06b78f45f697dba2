// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix for GitHub Actions.
#include "insight/ci/Format.h"

#include "core/json/Json.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

/// Machines of one's own have all labels of the target; one of `--runner` is
/// asked for by name.
static std::vector<std::string> runsOn(const Job &job) {
  if (!job.runner.empty())
    return {job.runner};
  std::vector<std::string> labels = {"self-hosted"};
  labels.insert(labels.end(), job.labels.begin(), job.labels.end());
  return labels;
}

static std::string toolsOf(ArrayRef<Job> portion) {
  std::set<std::string> tools;
  for (const Job &job : portion)
    tools.insert(job.tools.begin(), job.tools.end());
  return llvm::join(tools, " ");
}

std::string lh::githubMatrix(Portions portions, const CommandOptions &options) {
  Json entries = Json::array();
  for (size_t i = 0; i < portions.size(); ++i) {
    const std::vector<Job> &portion = portions[i];
    entries.push_back({{"command", shellCommand(portion, options)},
                       {"name", portionTitle(portion, i)},
                       {"runs-on", runsOn(portion.front())},
                       {"tools", toolsOf(portion)}});
  }
  if (entries.empty())
    entries.push_back({{"command", shellCommand({}, options)},
                       {"name", portionTitle({}, 0)},
                       {"runs-on", Json::array({"ubuntu-latest"})},
                       {"tools", ""}});
  Json matrix = {{"include", std::move(entries)}};
  return printJson(matrix, std::nullopt) + "\n";
}
