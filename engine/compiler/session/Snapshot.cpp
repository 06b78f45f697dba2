// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module between steps: as text for reports, as bytecode to begin from.
#include "compiler/session/Snapshot.h"

#include "compiler/ingress/mlir/MlirImporter.h"
#include "compiler/session/LargeConstants.h"
#include "compiler/session/ModuleFile.h"
#include "compiler/session/ModuleText.h"
#include "core/plan/CanonicalText.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using namespace lh;

constexpr StringRef historyName = "lh.snapshot";

/// A bubble's name in a file name.
static std::string fileName(StringRef bubble) {
  std::string name = bubble.str();
  std::replace(name.begin(), name.end(), '/', '-');
  return fileSafe(name);
}

std::string lh::stepFile(const Step &step, StringRef folder, StringRef ending) {
  return (folder + "/" + Twine(step.id) + "-" + fileName(step.bubble) + ending)
      .str();
}

/// What a snapshot lacks must not fail the run that it is of.
static void warn(CollectingSink &trouble, DiagnosticSink &sink) {
  for (Diagnostic &diagnostic : trouble.take()) {
    diagnostic.severity = Severity::Warning;
    sink.emit(std::move(diagnostic));
  }
}

std::string lh::writeSnapshot(mlir::ModuleOp module, const Step &step,
                              StringRef folder, DiagnosticSink &sink) {
  std::string path = stepFile(step, folder, ".mlir");
  CollectingSink trouble;
  if (succeeded(writeFileAtomically(path, textWithoutData(module),
                                    step.declaredAt, trouble)))
    return path;
  warn(trouble, sink);
  return "";
}

static std::string contentsOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Models may be large; their time tells as much.
static std::string stampOf(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (path.empty() || llvm::sys::fs::status(path, status))
    return "";
  return std::to_string(status.getSize()) + " " +
         std::to_string(
             status.getLastModificationTime().time_since_epoch().count());
}

std::string lh::historyOf(const Step &step) {
  std::string files;
  if (const auto *import = std::get_if<ImportAction>(&step.action)) {
    files = stampOf(import->path);
  } else if (const auto *schedule = std::get_if<ScheduleAction>(&step.action)) {
    files = keyHex({contentsOf(schedule->file)});
    for (const std::string &library : schedule->libraries)
      files += keyHex({contentsOf(library)});
  } else if (const auto *patterns = std::get_if<PatternsAction>(&step.action)) {
    files = keyHex({contentsOf(patterns->file)});
  } else if (!std::holds_alternative<PassesAction>(step.action) &&
             !std::holds_alternative<CommandAction>(step.action)) {
    return "";
  }
  return step.bubble + " " + keyHex({canonicalText(step), files});
}

void lh::writeResumable(mlir::ModuleOp module, const Step &step,
                        const ModuleHistory &history, StringRef folder,
                        DiagnosticSink &sink) {
  CollectingSink trouble;
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  LogicalResult stored = success();
  if (hasLargeConstants(module)) {
    copy = module.clone();
    stored = storeLargeConstants(*copy, (folder + "/constants").str(),
                                 step.declaredAt, trouble);
  }
  mlir::ModuleOp written = copy ? *copy : module;
  std::vector<mlir::Attribute> lines;
  for (const std::string &line : history)
    lines.push_back(mlir::StringAttr::get(module.getContext(), line));
  written->setAttr(historyName,
                   mlir::ArrayAttr::get(module.getContext(), lines));
  if (succeeded(stored))
    stored =
        writeFileAtomically(stepFile(step, folder, ".mlirbc"),
                            moduleBytecode(written), step.declaredAt, trouble);
  written->removeAttr(historyName);
  if (failed(stored))
    warn(trouble, sink);
}

FailureOr<ModuleHistory> lh::openSnapshot(mlir::ModuleOp module,
                                          const std::string &path,
                                          DiagnosticSink &sink) {
  ModuleHistory history;
  auto lines = module->getAttrOfType<mlir::ArrayAttr>(historyName);
  if (!lines)
    return history;
  for (mlir::Attribute line : lines)
    if (auto text = llvm::dyn_cast<mlir::StringAttr>(line))
      history.push_back(text.str());
  module->removeAttr(historyName);
  if (failed(restoreLargeConstants(module, folderOf(path) + "/constants",
                                   {path, 0, 0, 0}, sink)))
    return failure();
  return history;
}

static StringRef bubbleOf(StringRef line) { return line.rsplit(' ').first; }

/// Why a snapshot with the history `seen` isn't the one that is looked for.
static std::string difference(const ModuleHistory &seen,
                              const ModuleHistory &wanted) {
  for (size_t i = 0; i < std::min(seen.size(), wanted.size()); ++i) {
    if (seen[i] == wanted[i])
      continue;
    std::string then = bubbleOf(seen[i]).str(), now = bubbleOf(wanted[i]).str();
    if (then != now)
      return "there '" + then + "' is done where '" + now + "' is done here";
    return "bubble '" + now + "' was another then: " +
           (i == 0 ? "it read another model, or the model has changed"
                   : "its passes, schedule or parameters were others, or its "
                     "target");
  }
  return "it is of a path of " + std::to_string(seen.size()) +
         " bubbles, not of " + std::to_string(wanted.size());
}

static size_t commonLength(const ModuleHistory &one, const ModuleHistory &two) {
  size_t length = std::min(one.size(), two.size());
  return static_cast<size_t>(
      std::mismatch(one.begin(), one.begin() + static_cast<long>(length),
                    two.begin())
          .first -
      one.begin());
}

FailureOr<std::string> lh::findSnapshot(StringRef folder, const Step &step,
                                        const ModuleHistory &history,
                                        MlirSession &session,
                                        DiagnosticSink &sink) {
  std::string nearest, why;
  size_t nearestLength = 0;
  std::string ending = "-" + fileName(step.bubble) + ".mlirbc";
  auto files = llvm::vfs::getRealFileSystem();
  for (const std::string &name : listFolder(*files, folder)) {
    if (!StringRef(name).ends_with(ending))
      continue;
    std::string path = (folder + "/" + name).str();
    CollectingSink trouble;
    auto module = importMlir(path, session.context(), trouble);
    FailureOr<ModuleHistory> seen = failure();
    if (succeeded(module))
      seen = openSnapshot(**module, path, trouble);
    if (succeeded(seen) && *seen == history)
      return path;
    size_t length = succeeded(seen) ? commonLength(*seen, history) : 0;
    if (!nearest.empty() && length <= nearestLength)
      continue;
    nearest = path;
    nearestLength = length;
    why = succeeded(seen) ? difference(*seen, history)
                          : trouble.diagnostics().front().message;
  }
  if (nearest.empty())
    return sink.error(DiagKind::IrBadSnapshot, step.declaredAt,
                      "there is no snapshot of the module after bubble '" +
                          step.bubble + "' in '" + folder +
                          "'; a run with --snapshots writes them there");
  return sink.error(DiagKind::IrBadSnapshot, step.declaredAt,
                    "no snapshot in '" + folder + "' is of this path up to '" +
                        step.bubble + "': of '" + nearest + "', " + why +
                        "; run with --snapshots, without --from, again");
}
