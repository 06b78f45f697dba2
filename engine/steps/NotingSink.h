// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says for whom something was done, on every diagnostic that comes of it.
#ifndef LH_STEPS_NOTINGSINK_H
#define LH_STEPS_NOTINGSINK_H

#include "core/support/Diagnostic.h"

namespace lh {

/// Adds `note` to each diagnostic and passes it on to `next`.
class NotingSink : public DiagnosticSink {
public:
  NotingSink(DiagnosticNote note, DiagnosticSink &next)
      : note(std::move(note)), next(next) {}

private:
  void handle(const Diagnostic &diagnostic) override {
    Diagnostic noted = diagnostic;
    noted.notes.push_back(note);
    next.emit(std::move(noted));
  }

  DiagnosticNote note;
  DiagnosticSink &next;
};

} // namespace lh

#endif // LH_STEPS_NOTINGSINK_H
