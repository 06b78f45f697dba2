// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts MLIR's diagnostics and locations.
#include "compiler/session/MlirDiagnostics.h"

#include "compiler/session/MatchedOps.h"
#include "compiler/session/PassClock.h"
#include "compiler/session/ScheduleMatches.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

using namespace lh;

/// More of the same error helps nobody: one bad op in a loop says it all.
static constexpr size_t maxCaught = 50;

std::string lh::namesIn(mlir::Location location) {
  std::string names;
  location->walk([&](mlir::Location inner) {
    if (auto name = llvm::dyn_cast<mlir::NameLoc>(inner))
      names += (names.empty() ? "'" : ", '") + name.getName().str() + "'";
    return mlir::WalkResult::advance();
  });
  return names;
}

MlirDiagnostics::MlirDiagnostics(mlir::MLIRContext &context, DiagKind errorKind,
                                 SourceSpan fallback)
    : errorKind(errorKind), fallback(std::move(fallback)),
      handler(&context, [this](mlir::Diagnostic &diagnostic) {
        receive(diagnostic);
        return mlir::success();
      }) {}

/// MLIR's messages may span lines and name the place by itself.
static std::string messageOf(const mlir::Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  StringRef unknown = message;
  if (unknown.consume_front("custom op '") &&
      unknown.consume_back("' is unknown"))
    message +=
        didYouMeanOperation(unknown, *diagnostic.getLocation().getContext());
  std::string names = namesIn(diagnostic.getLocation());
  if (!names.empty())
    message += " (at " + names + ")";
  return message;
}

bool MlirDiagnostics::takeMatch(mlir::Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Remark)
    return false;
  std::string text = diagnostic.str();
  if (clock && clock->take(text))
    return true;
  std::optional<MatchRemark> remark = parseMatchRemark(text);
  if (!remark)
    return false;
  SourceSpan where = spanOf(diagnostic.getLocation());
  MatchTally &tally = matched[{where.file, where.line, where.column}];
  tally.op = remark->op;
  tally.isOptional |= remark->isOptional;
  (remark->what == MatchRemark::What::Given ? tally.given : tally.found) +=
      remark->operations;
  return true;
}

void MlirDiagnostics::receive(mlir::Diagnostic &diagnostic) {
  if (takeMatch(diagnostic))
    return;
  bool isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
  errors += isError;
  if (caught.size() >= maxCaught)
    return;
  Diagnostic converted;
  converted.kind = isError ? errorKind : DiagKind::IrMessage;
  if (!isError)
    converted.severity =
        diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning
            ? Severity::Warning
            : Severity::Remark;
  converted.where = spanOf(diagnostic.getLocation());
  if (!converted.where.isKnown())
    converted.where = fallback;
  converted.message = messageOf(diagnostic);
  for (mlir::Diagnostic &further : diagnostic.getNotes())
    converted.notes.push_back(
        {spanOf(further.getLocation()), messageOf(further)});
  caught.push_back(std::move(converted));
}

void MlirDiagnostics::flushTo(DiagnosticSink &sink) {
  for (Diagnostic &diagnostic : caught)
    sink.emit(std::move(diagnostic));
  caught.clear();
}
