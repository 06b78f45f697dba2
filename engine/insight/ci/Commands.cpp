// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands that jobs run, and all jobs for programs.
#include "insight/ci/Format.h"

#include "core/support/Shell.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

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

static llvm::json::Array texts(ArrayRef<std::string> values) {
  llvm::json::Array array;
  for (const std::string &value : values)
    array.push_back(llvm::json::fixUTF8(value));
  return array;
}

static llvm::json::Object jobJson(const Job &job,
                                  const CommandOptions &options) {
  auto safe = [](StringRef text) { return llvm::json::fixUTF8(text); };
  llvm::json::Object json{
      {"name", job.title()},
      {"manifest", safe(job.manifest)},
      {"manifest_name", safe(job.manifestName)},
      {"target", safe(job.target)},
      {"pipeline", safe(job.pipeline)},
      {"case", safe(job.caseName)},
      {"place", placeName(job.place)},
      {"labels", texts(job.labels)},
      {"tools", texts(job.tools)},
      {"seconds", job.seconds},
      {"recorded", job.wasRecorded},
      {"edges", int64_t(job.edges.size())},
      {"command", texts(commandOf(job, options))},
      {"results", safe(options.resultsDir + "/" + job.fileName())}};
  std::vector<std::string> inputs(job.inputs.begin(), job.inputs.end());
  json["inputs"] = texts(inputs);
  if (!job.runner.empty())
    json["runner"] = safe(job.runner);
  if (!job.whyNot.empty())
    json["skipped"] = safe(job.whyNot);
  return json;
}

std::string lh::jobsJson(ArrayRef<Job> jobs, const CommandOptions &options) {
  llvm::json::Array array;
  for (const Job &job : jobs)
    array.push_back(jobJson(job, options));
  llvm::json::Value json =
      llvm::json::Object{{"schema", 1}, {"jobs", std::move(array)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", json) << '\n';
  return text;
}
