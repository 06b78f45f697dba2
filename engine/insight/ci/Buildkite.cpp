// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps for Buildkite.
#include "core/manifest/YamlText.h"
#include "insight/ci/Format.h"

#include "llvm/Support/raw_ostream.h"

using namespace lh;

/// The upload puts variables in place of `$NAME`, everywhere.
static std::string literal(StringRef text) {
  std::string doubled;
  for (char c : text)
    doubled += c == '$' ? std::string("$$") : std::string(1, c);
  return quotedYaml(doubled);
}

/// Tags of agents are pairs: a label is one with the value "true".
static void printAgents(const Job &job, llvm::raw_ostream &stream) {
  stream << "    agents:\n";
  if (!job.runner.empty()) {
    stream << "      queue: " << literal(job.runner) << '\n';
    return;
  }
  for (const std::string &label : job.labels)
    stream << "      " << literal(label) << ": \"true\"\n";
}

std::string lh::buildkitePipeline(Portions portions,
                                  const CommandOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "# Made by lh-run ci.\nsteps:\n";
  for (size_t i = 0; i < portions.size(); ++i) {
    stream << "  - label: " << literal(portionTitle(portions[i], i)) << '\n'
           << "    command: " << literal(shellCommand(portions[i], options))
           << '\n'
           << "    soft_fail: [{exit_status: 77}]\n"
           << "    artifact_paths: " << literal(options.resultsDir + "/**/*")
           << '\n';
    printAgents(portions[i].front(), stream);
  }
  if (portions.empty())
    stream << "  - label: \"no jobs\"\n"
           << "    command: " << literal(shellCommand({}, options)) << '\n';
  return text;
}
