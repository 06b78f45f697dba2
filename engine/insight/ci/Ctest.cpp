// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests for CTest.
#include "insight/ci/Format.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

/// A bracket argument, in which CMake reads nothing but its end.
static std::string bracket(StringRef text) {
  std::string level;
  while (text.contains("]" + level + "]") || text.ends_with("]" + level))
    level += '=';
  // CMake takes away a newline that comes first.
  return "[" + level + "[" + (text.starts_with("\n") ? "\n" : "") + text.str() +
         "]" + level + "]";
}

/// An element of a list, which CMake parts at semicolons.
static std::string element(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == ';' ? std::string("\\;") : std::string(1, c);
  return escaped;
}

static void printTest(const Job &job, const CommandOptions &options,
                      llvm::raw_ostream &stream) {
  std::string name = bracket(job.title());
  stream << "add_test(" << name;
  for (const std::string &word : commandOf(job, options))
    stream << ' ' << bracket(word);
  stream << ")\nset_tests_properties(" << name
         << " PROPERTIES SKIP_RETURN_CODE 77 COST "
         << llvm::format("%.3f", job.seconds) << " WORKING_DIRECTORY "
         << bracket(options.workingDirectory);
  std::string labels;
  for (const std::string &label : job.labels)
    labels += (labels.empty() ? "" : ";") + element(oneLine(label));
  stream << " LABELS " << bracket(labels);
  if (!job.whyNot.empty())
    stream << " DISABLED TRUE";
  stream << ")\n";
}

std::string lh::ctestFile(ArrayRef<Job> jobs, const CommandOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "# Made by lh-run ci: run `ctest` in this folder.\n";
  for (const Job &job : jobs)
    printTest(job, options, stream);
  return text;
}
