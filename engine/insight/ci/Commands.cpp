// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands that jobs run, and all jobs for programs.
#include "insight/ci/Format.h"

#include "core/json/Json.h"
#include "core/support/Shell.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

/// A name as a pattern that matches it alone.
static std::string literalGlob(StringRef name) {
  std::string pattern;
  for (char c : name) {
    if (StringRef("*?[]{}\\").contains(c))
      pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::vector<std::string> lh::commandOf(const Job &job,
                                       const CommandOptions &options) {
  std::vector<std::string> words = {options.program, "run"};
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  auto add = [&](StringRef flag, const std::string &value) {
    words.push_back(flag.str());
    words.push_back(value);
  };
  add("--target", literalGlob(job.target));
  add("--pipeline", literalGlob(job.pipeline));
  if (!job.caseName.empty())
    add("--case", literalGlob(job.caseName));
  if (job.place == JobPlace::Device)
    add("--device", "real");
  if (job.place == JobPlace::Simulated)
    add("--device", "sim");
  words.push_back("--keep-going");
  words.push_back("--strict");
  std::string folder = options.resultsDir + "/" + job.fileName();
  add("--json", folder + "/report.json");
  add("--junit", folder + "/junit.xml");
  add("--markdown", folder + "/summary.md");
  add("--annotations", folder + "/annotations.txt");
  words.push_back("--");
  words.push_back(job.manifest);
  return words;
}

std::string lh::shellCommand(ArrayRef<Job> portion,
                             const CommandOptions &options) {
  if (portion.empty())
    return "echo 'no jobs: nothing to run'";
  if (portion.size() == 1)
    return shellLine(commandOf(portion.front(), options));
  // 77 only if all say so; a failure outweighs what passed.
  std::string text = "s=77; r() { \"$@\"; c=$?; case $c in 77) ;; 0) "
                     "[ $s != 77 ] || s=0 ;; *) s=$c ;; esac; }; ";
  for (const Job &job : portion)
    text += "r " + shellLine(commandOf(job, options)) + "; ";
  return text + "exit $s";
}

std::string lh::portionTitle(ArrayRef<Job> portion, size_t index) {
  if (portion.size() == 1)
    return portion.front().title();
  if (portion.empty())
    return "no jobs";
  return "part " + std::to_string(index + 1) + ": " +
         std::to_string(portion.size()) + " jobs from " +
         portion.front().title().substr(0, 150);
}

static Json jobJson(const Job &job, const CommandOptions &options) {
  Json json = {{"case", job.caseName},
               {"command", commandOf(job, options)},
               {"edges", job.edges.size()},
               {"inputs", job.inputs},
               {"labels", job.labels},
               {"manifest", job.manifest},
               {"manifest_name", job.manifestName},
               {"name", job.title()},
               {"pipeline", job.pipeline},
               {"place", placeName(job.place).str()},
               {"recorded", job.wasRecorded},
               {"results", options.resultsDir + "/" + job.fileName()}};
  if (!job.runner.empty())
    json["runner"] = job.runner;
  json["seconds"] = jsonNumber(job.seconds);
  if (!job.whyNot.empty())
    json["skipped"] = job.whyNot;
  json["target"] = job.target;
  json["tools"] = job.tools;
  return json;
}

std::string lh::jobsJson(ArrayRef<Job> jobs, const CommandOptions &options) {
  Json array = Json::array();
  for (const Job &job : jobs)
    array.push_back(jobJson(job, options));
  return printJson({{"jobs", std::move(array)}, {"schema", 1}});
}
