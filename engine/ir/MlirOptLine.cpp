// --dry-run's mlir-opt lines.
#include "ir/ModuleRunner.h"
#include "ir/PassPipeline.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

/// One word of a POSIX shell.
static std::string quoted(StringRef word) {
  std::string out = "'";
  for (char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

static std::string lineFor(const PassesAction &action, MlirSession &session) {
  CollectingSink ignored; // prepare() reports
  auto pipeline = PassPipeline::parse(action.pipeline, action.where,
                                      session.context(), ignored);
  if (failed(pipeline))
    return "";
  std::string line = "mlir-opt --pass-pipeline=" + quoted(pipeline->text());
  std::vector<std::string> gaps = pipeline->gapPasses();
  if (!gaps.empty())
    line += " # only lh-run has " + llvm::join(gaps, ", ");
  return line;
}

static std::string lineFor(const ScheduleAction &action) {
  std::vector<std::string> files{action.file};
  files.insert(files.end(), action.libraries.begin(), action.libraries.end());
  std::string line =
      "mlir-opt --pass-pipeline=" +
      quoted("builtin.module(transform-preload-library{"
             "transform-library-paths=" +
             llvm::join(files, ",") +
             "},transform-interpreter{entry-point=" + action.entry + "})");
  std::vector<std::string> names;
  for (const BoundParameter &parameter : action.parameters)
    names.push_back(parameter.name.value);
  if (!names.empty())
    line += " # mlir-opt binds no parameters (" + llvm::join(names, ", ") +
            "): it uses lh.bind's literals and refuses entries with arguments";
  return line;
}

std::string lh::mlirOptLine(const Step &step, MlirSession &session) {
  if (const auto *passes = std::get_if<PassesAction>(&step.action))
    return lineFor(*passes, session);
  if (const auto *schedule = std::get_if<ScheduleAction>(&step.action))
    return lineFor(*schedule);
  return "";
}
