// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's FileCheck, in this process, on a module's text.
#include "steps/FileChecker.h"

#include "compiler/session/ModuleText.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/FileCheck/FileCheck.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

static constexpr StringRef checkedText = "<module>";

namespace {

/// One check file, and what FileCheck says of it.
class Checker {
public:
  Checker(const CheckFile &check, DiagnosticSink &sink)
      : check(check), sink(sink), fileCheck(requestFor(check)) {
    manager.setDiagHandler(note, this);
  }

  LogicalResult read();
  LogicalResult match(StringRef text);

private:
  static llvm::FileCheckRequest requestFor(const CheckFile &check) {
    llvm::FileCheckRequest request;
    request.CheckPrefixes = {check.prefix};
    return request;
  }

  static void note(const llvm::SMDiagnostic &said, void *self) {
    static_cast<Checker *>(self)->note(said);
  }
  void note(const llvm::SMDiagnostic &said);
  StringRef addBuffer(StringRef text, StringRef name);
  bool hasDirective(StringRef text) const;
  void findFaultyPattern(ArrayRef<llvm::FileCheckDiag> details);
  void add(DiagKind kind, SourceSpan where, std::string message) {
    findings.push_back(
        {kind, Severity::Error, std::move(where), std::move(message), {}});
  }
  LogicalResult report(DiagKind kind);

  const CheckFile &check;
  DiagnosticSink &sink;
  llvm::SourceMgr manager;
  llvm::FileCheck fileCheck;
  std::vector<Diagnostic> findings;
};

} // namespace

/// Errors are about a directive; what follows them, about the module's lines.
void Checker::note(const llvm::SMDiagnostic &said) {
  SourceSpan where{said.getFilename().str(), unsigned(said.getLineNo()),
                   unsigned(said.getColumnNo() + 1), 0};
  std::string message = said.getMessage().str();
  if (said.getKind() == llvm::SourceMgr::DK_Error) {
    return add(DiagKind::IrUnexpectedText, where, message);
  }
  if (findings.empty())
    return;
  if (where.file == checkedText)
    message +=
        ": '" + said.getLineContents().trim().take_front(160).str() + "'";
  findings.back().notes.push_back({std::move(where), std::move(message)});
}

LogicalResult Checker::report(DiagKind kind) {
  for (Diagnostic &finding : findings) {
    finding.kind = kind;
    finding.notes.push_back({check.where, "expected here"});
    sink.emit(std::move(finding));
  }
  return failure();
}

/// A copy that FileCheck may canonicalize and point into.
StringRef Checker::addBuffer(StringRef text, StringRef name) {
  auto buffer = llvm::MemoryBuffer::getMemBuffer(text, name, false);
  llvm::SmallString<4096> canonical;
  StringRef result = fileCheck.CanonicalizeFile(*buffer, canonical);
  auto copy = llvm::MemoryBuffer::getMemBufferCopy(result, name);
  StringRef kept = copy->getBuffer();
  manager.AddNewSourceBuffer(std::move(copy), llvm::SMLoc());
  return kept;
}

/// FileCheck would say this of itself on standard error.
bool Checker::hasDirective(StringRef text) const {
  llvm::Regex directive("(^|[^-_A-Za-z0-9])" + check.prefix +
                        "(-[-A-Z0-9]+)?(\\{LITERAL\\})?:");
  return directive.match(text);
}

LogicalResult Checker::read() {
  auto buffer = llvm::MemoryBuffer::getFile(check.file, /*IsText=*/true);
  if (!buffer)
    return sink.error(DiagKind::SupportCannotRead, check.where,
                      "cannot read '" + check.file +
                          "': " + buffer.getError().message());
  if (!hasDirective((*buffer)->getBuffer()))
    return sink.error(DiagKind::IrBadCheckFile, check.where,
                      "'" + check.file + "' has no directive '" + check.prefix +
                          ":'");
  StringRef text = addBuffer((*buffer)->getBuffer(), check.file);
  if (!fileCheck.readCheckFile(manager, text))
    return success();
  // A few errors FileCheck writes to standard error instead.
  if (findings.empty())
    add(DiagKind::IrBadCheckFile, check.where,
        "'" + check.file + "' has a malformed directive");
  return report(DiagKind::IrBadCheckFile);
}

/// A use of a variable that no directive has defined, for one, FileCheck writes
/// to standard error and has in its details only.
void Checker::findFaultyPattern(ArrayRef<llvm::FileCheckDiag> details) {
  SourceSpan where = check.where;
  std::string message = "the module is not as expected";
  for (const llvm::FileCheckDiag &detail : details)
    if (!detail.Note.empty() && detail.CheckLoc.isValid()) {
      auto [line, column] = manager.getLineAndColumn(detail.CheckLoc);
      where = {check.file, line, column, 0};
      message = detail.Note;
    }
  add(DiagKind::IrUnexpectedText, where, message);
}

LogicalResult Checker::match(StringRef text) {
  StringRef input = addBuffer(text, checkedText);
  std::vector<llvm::FileCheckDiag> details;
  if (fileCheck.checkInput(manager, input, &details))
    return success();
  if (findings.empty())
    findFaultyPattern(details);
  return report(DiagKind::IrUnexpectedText);
}

LogicalResult lh::readCheckFile(const CheckFile &check, DiagnosticSink &sink) {
  return Checker(check, sink).read();
}

LogicalResult lh::checkText(mlir::ModuleOp module, const CheckFile &check,
                            DiagnosticSink &sink) {
  Checker checker(check, sink);
  if (failed(checker.read()))
    return failure();
  return checker.match(moduleText(module));
}

LogicalResult lh::checkExpectations(mlir::ModuleOp module,
                                    ArrayRef<CheckFile> checks,
                                    DiagnosticSink &sink) {
  LogicalResult result = success();
  for (const CheckFile &check : checks)
    if (failed(checkText(module, check, sink)))
      result = failure();
  return result;
}
