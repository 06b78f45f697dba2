// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child pipeline for GitLab.
#include "core/manifest/YamlText.h"
#include "insight/ci/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

/// "[a, b]".
static std::string yamlList(ArrayRef<std::string> texts) {
  return "[" + llvm::join(llvm::map_range(texts, quotedYaml), ", ") + "]";
}

/// A name with a leading dot would hide the job.
static std::string jobName(ArrayRef<Job> portion, size_t index) {
  std::string title = portionTitle(portion, index);
  return StringRef(title).starts_with(".") ? "job " + title : title;
}

std::string lh::gitlabPipeline(Portions portions,
                               const CommandOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  std::string results = options.resultsDir + "/";
  stream << "# Made by lh-run ci; '.lighthouse' is where these jobs get "
            "lh-run from.\n"
         << "\".lighthouse-job\":\n"
         << "  allow_failure: {exit_codes: [77]}\n"
         << "  artifacts:\n"
         << "    when: always\n"
         << "    paths: " << yamlList({results}) << '\n'
         << "    reports: {junit: " << quotedYaml(results + "*/junit.xml")
         << "}\n";
  for (size_t i = 0; i < portions.size(); ++i) {
    const Job &first = portions[i].front();
    std::vector<std::string> tags = first.labels;
    if (!first.runner.empty())
      tags = {first.runner};
    stream << quotedYaml(jobName(portions[i], i)) << ":\n"
           << "  extends: [.lighthouse, .lighthouse-job]\n"
           << "  tags: " << yamlList(tags) << '\n'
           << "  script: " << yamlList({shellCommand(portions[i], options)})
           << '\n';
  }
  if (portions.empty())
    stream << "\"no jobs\":\n"
           << "  extends: [.lighthouse]\n"
           << "  script: " << yamlList({shellCommand({}, options)}) << '\n';
  return text;
}
