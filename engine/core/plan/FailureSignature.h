// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When two failures of steps are the same failure.
#ifndef LH_CORE_PLAN_FAILURESIGNATURE_H
#define LH_CORE_PLAN_FAILURESIGNATURE_H

#include "core/plan/RunRecord.h"

namespace lh {

/// What stays of a failure when the module around it gets smaller.
struct FailureSignature {
  StepStatus status = StepStatus::NotRun;
  /// Of the first error that it reported; empty: none.
  std::string kind;
  /// Its message, or how the process ended, with `#` for every number, `%#`
  /// for every SSA value.
  std::string message;

  bool operator==(const FailureSignature &) const = default;

  /// "crashed: crashed with SIGSEGV", "failed: '#' ... [ir-pass-failed]".
  std::string text() const;
};

bool isFailure(StepStatus status);

FailureSignature signatureOf(const StepOutcome &outcome);

/// `text` with `#` for every number and address, `%#` for every SSA value.
std::string withoutNumbers(StringRef text);

} // namespace lh

#endif // LH_CORE_PLAN_FAILURESIGNATURE_H
