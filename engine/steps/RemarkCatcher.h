// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What MLIR's remark engine says during a step.
#ifndef LH_STEPS_REMARKCATCHER_H
#define LH_STEPS_REMARKCATCHER_H

#include "core/support/Diagnostic.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace lh {

/// Catches the optimization remarks of passes while it lives, each once; one
/// at a time for a context. They are `ir-remark`s at the place of the code.
class RemarkCatcher {
public:
  /// `fallback` is the place of remarks on code that has none.
  RemarkCatcher(mlir::MLIRContext &context, SourceSpan fallback);
  ~RemarkCatcher();
  RemarkCatcher(const RemarkCatcher &) = delete;
  RemarkCatcher &operator=(const RemarkCatcher &) = delete;

  /// Moves what was caught so far to `sink`.
  void flushTo(DiagnosticSink &sink);

private:
  mlir::MLIRContext &context;
  std::vector<Diagnostic> caught;
};

} // namespace lh

#endif // LH_STEPS_REMARKCATCHER_H
