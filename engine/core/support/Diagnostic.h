// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where something stands in a user's file, and what is wrong with it.
#ifndef LH_CORE_SUPPORT_DIAGNOSTIC_H
#define LH_CORE_SUPPORT_DIAGNOSTIC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"

#include <string>
#include <vector>

namespace lh {
using llvm::ArrayRef;
using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::MutableArrayRef;
using llvm::StringRef;
using llvm::succeeded;
using llvm::success;
using llvm::Twine;

/// A place in a text file. Lines and columns count from 1; 0 means unknown.
/// `length` is in characters on that line (0: the column alone).
struct SourceSpan {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned length = 0;

  bool isKnown() const { return !file.empty(); }
};

/// A value together with the place where the user wrote it.
template <typename T> struct Located {
  T value{};
  SourceSpan where;
};

enum class Severity { Error, Warning, Remark };

/// Every diagnostic the engine can give; Diagnostics.def is the only list.
enum class DiagKind {
#define LH_DIAG(Name, ...) Name,
#include "core/support/Diagnostics.def"
};

/// The stable name shown in brackets, e.g. 'manifest-unknown-key'.
StringRef kindName(DiagKind kind);

/// All kinds, in the order of Diagnostics.def.
ArrayRef<DiagKind> allDiagKinds();

/// Further information at another place: "declared here", "while ...".
struct DiagnosticNote {
  SourceSpan where;
  std::string message;
};

/// One finding. `message` is lower case without a full stop: what was seen,
/// then the rule, then the hint.
struct Diagnostic {
  DiagKind kind;
  Severity severity = Severity::Error;
  SourceSpan where;
  std::string message;
  std::vector<DiagnosticNote> notes;
};

/// Receives diagnostics from every stage.
class DiagnosticSink {
public:
  virtual ~DiagnosticSink() = default;

  void emit(Diagnostic diagnostic);

  /// Shorthands for the usual case; `error` returns failure() so that a stage
  /// can say `return sink.error(...)`.
  LogicalResult error(DiagKind kind, const SourceSpan &where,
                      const Twine &message,
                      std::vector<DiagnosticNote> notes = {});
  void warning(DiagKind kind, const SourceSpan &where, const Twine &message,
               std::vector<DiagnosticNote> notes = {});

  unsigned errorCount() const { return errors; }
  unsigned warningCount() const { return warnings; }

protected:
  virtual void handle(const Diagnostic &diagnostic) = 0;

private:
  unsigned errors = 0;
  unsigned warnings = 0;
};

/// Keeps what it receives; for tests, and for workers that send it on.
class CollectingSink : public DiagnosticSink {
public:
  ArrayRef<Diagnostic> diagnostics() const { return collected; }
  std::vector<Diagnostic> take() { return std::move(collected); }

private:
  void handle(const Diagnostic &diagnostic) override {
    collected.push_back(diagnostic);
  }
  std::vector<Diagnostic> collected;
};

/// `; did you mean 'x'?` for the nearest of `candidates`, or nothing when none
/// is near enough (edit distance at most a third of the length, at least 1).
std::string didYouMean(StringRef seen, ArrayRef<StringRef> candidates);

} // namespace lh

#endif // LH_CORE_SUPPORT_DIAGNOSTIC_H
