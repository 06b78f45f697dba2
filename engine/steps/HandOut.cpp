// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies what was built and judged.
#include "steps/HandOut.h"

#include "core/support/FileSystem.h"
#include "runtime/deploy/BuildLibrary.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

std::string lh::libraryFolderOf(StringRef scratchFolder, StepId step) {
  return (scratchFolder + "/" + Twine(step) + "-library").str();
}

/// Whether nothing that ran through this step's code is wrong, and something
/// did run.
static bool isRight(const RunRecord &record, StepId compiled) {
  bool ran = false;
  for (size_t i = 0; i < record.plan.results.size(); ++i) {
    const PlannedResult &planned = record.plan.results[i];
    if (!planned.skipped.empty() || !planned.notApplicable.empty() ||
        record.plan.steps[planned.leaf].parent != compiled)
      continue;
    ResultStatus status = record.results[i].status;
    if (status == ResultStatus::Passed || status == ResultStatus::Unverified)
      ran = true;
    else if (status != ResultStatus::NotApplicable)
      return false;
  }
  return ran;
}

static LogicalResult copy(StringRef from, const std::string &to,
                          const SourceSpan &where, DiagnosticSink &sink) {
  auto contents = llvm::MemoryBuffer::getFile(from);
  if (!contents)
    return sink.error(DiagKind::SupportCannotRead, where,
                      "cannot read '" + from +
                          "': " + contents.getError().message());
  if (failed(writeFileAtomically(to, (*contents)->getBuffer(), where, sink)))
    return failure();
  if (auto status = llvm::sys::fs::getPermissions(from))
    (void)llvm::sys::fs::setPermissions(to, *status);
  return success();
}

FailureOr<std::vector<std::string>>
lh::handOutLibraries(const RunRecord &record, StringRef scratchFolder,
                     DiagnosticSink &sink) {
  std::vector<std::string> paths;
  for (const Step &step : record.plan.steps) {
    const auto *compiled = std::get_if<CompileAction>(&step.action);
    if (!compiled || !compiled->library || !isRight(record, step.id))
      continue;
    const std::string &path = compiled->library->path;
    std::string folder = folderOf(path);
    for (const std::string &name : libraryFiles(*compiled->library))
      if (failed(copy(libraryFolderOf(scratchFolder, step.id) + "/" + name,
                      folder.empty() ? name : folder + "/" + name,
                      step.declaredAt, sink)))
        return failure();
    paths.push_back(path);
  }
  return paths;
}
