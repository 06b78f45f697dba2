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

/// With `more` before the manifest.
static std::vector<std::string> wordsOf(const Job &job,
                                        const CommandOptions &options,
                                        std::vector<std::string> more) {
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
  llvm::append_range(words, more);
  words.push_back("--");
  words.push_back(job.manifest);
  return words;
}

std::vector<std::string> lh::runCommand(const Job &job,
                                        const CommandOptions &options) {
  return wordsOf(job, options, {});
}

std::vector<std::string> lh::commandOf(const Job &job,
                                       const CommandOptions &options) {
  std::string folder = options.resultsDir + "/" + job.fileName();
  return wordsOf(job, options,
                 {"--json", folder + "/report.json", "--junit",
                  folder + "/junit.xml", "--markdown", folder + "/summary.md",
                  "--annotations", folder + "/annotations.txt"});
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

namespace {
/// Files by number: a thousand jobs depend on the same.
class FileTable {
public:
  size_t numberOf(const std::string &file) {
    auto [known, isNew] = numbers.try_emplace(file, files.size());
    if (isNew)
      files.push_back(file);
    return known->second;
  }
  const std::vector<std::string> &all() const { return files; }

private:
  std::map<std::string, size_t> numbers;
  std::vector<std::string> files;
};
} // namespace

static Json jobJson(const Job &job, const CommandOptions &options,
                    FileTable &files) {
  Json inputs = Json::array();
  for (const std::string &file : job.inputs)
    inputs.push_back(files.numberOf(file));
  Json json = {{"case", job.caseName},
               {"command", commandOf(job, options)},
               {"edges", job.edges.size()},
               {"inputs", std::move(inputs)},
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
  if (!job.tools.empty())
    json["tools"] = job.tools;
  return json;
}

std::string lh::jobsJson(ArrayRef<Job> jobs, const CommandOptions &options) {
  FileTable files;
  std::string lines;
  for (const Job &job : jobs)
    lines += (lines.empty() ? "" : ",\n") +
             printJson(jobJson(job, options, files), std::nullopt);
  return "{\"jobs\": [\n" + lines +
         "\n],\n\"files\": " + printJson(files.all(), std::nullopt) +
         ",\n\"schema\": 1}\n";
}
