// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix for GitHub Actions.
#include "insight/ci/Format.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

/// Machines of one's own have all labels of the target; one of `--runner` is
/// asked for by name.
static llvm::json::Array runsOn(const Job &job) {
  if (!job.runner.empty())
    return llvm::json::Array{llvm::json::fixUTF8(job.runner)};
  llvm::json::Array labels{"self-hosted"};
  for (const std::string &label : job.labels)
    labels.push_back(llvm::json::fixUTF8(label));
  return labels;
}

static std::string toolsOf(ArrayRef<Job> portion) {
  std::set<std::string> tools;
  for (const Job &job : portion)
    tools.insert(job.tools.begin(), job.tools.end());
  std::string text;
  for (const std::string &tool : tools)
    text += (text.empty() ? "" : " ") + llvm::json::fixUTF8(tool);
  return text;
}

std::string lh::githubMatrix(Portions portions, const CommandOptions &options) {
  llvm::json::Array entries;
  for (size_t i = 0; i < portions.size(); ++i) {
    const std::vector<Job> &portion = portions[i];
    entries.push_back(llvm::json::Object{
        {"name", portionTitle(portion, i)},
        {"runs-on", runsOn(portion.front())},
        {"tools", toolsOf(portion)},
        {"command", llvm::json::fixUTF8(shellCommand(portion, options))}});
  }
  if (entries.empty())
    entries.push_back(
        llvm::json::Object{{"name", portionTitle({}, 0)},
                           {"runs-on", llvm::json::Array{"ubuntu-latest"}},
                           {"tools", ""},
                           {"command", shellCommand({}, options)}});
  llvm::json::Value matrix =
      llvm::json::Object{{"include", std::move(entries)}};
  std::string text;
  llvm::raw_string_ostream(text) << matrix << '\n';
  return text;
}
