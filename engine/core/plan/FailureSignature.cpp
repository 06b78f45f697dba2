// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When two failures of steps are the same failure.
#include "core/plan/FailureSignature.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

bool lh::isFailure(StepStatus status) {
  return status == StepStatus::Failed || status == StepStatus::Crashed ||
         status == StepStatus::TimedOut || status == StepStatus::OutOfMemory;
}

static bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

std::string lh::withoutNumbers(StringRef text) {
  std::string out;
  while (!text.empty()) {
    bool inWord = !out.empty() && isWordCharacter(out.back());
    if (text.front() == '%') {
      out += "%#";
      text = text.drop_front().drop_while(
          [](char c) { return isWordCharacter(c) || c == '$' || c == '.'; });
    } else if (!inWord && text.consume_front("0x")) {
      out += '#';
      text = text.drop_while(llvm::isHexDigit);
    } else if (llvm::isDigit(text.front())) {
      // Also in words: 'tensor<4x8xf32>' has sizes, '@main_2' a number.
      out += '#';
      text = text.drop_while(llvm::isDigit);
    } else {
      out += text.front();
      text = text.drop_front();
    }
  }
  return out;
}

FailureSignature lh::signatureOf(const StepOutcome &outcome) {
  FailureSignature signature;
  signature.status = outcome.status;
  // How much was asked for last, or how long it took, says nothing.
  if (outcome.status == StepStatus::TimedOut ||
      outcome.status == StepStatus::OutOfMemory)
    return signature;
  if (outcome.status == StepStatus::Crashed) {
    // The signal or exit status, then what was said.
    auto [how, said] = StringRef(outcome.reason).split(": ");
    signature.message = how.str();
    if (!said.empty())
      signature.message += ": " + withoutNumbers(said);
    return signature;
  }
  signature.message = withoutNumbers(outcome.reason);
  for (const Diagnostic &diagnostic : outcome.diagnostics) {
    if (diagnostic.severity != Severity::Error)
      continue;
    signature.kind = kindName(diagnostic.kind).str();
    signature.message = withoutNumbers(diagnostic.message);
    break;
  }
  return signature;
}

std::string FailureSignature::text() const {
  std::string words = status == StepStatus::TimedOut      ? "timed out"
                      : status == StepStatus::OutOfMemory ? "out of memory"
                      : isFailure(status)                 ? message
                                                          : "no failure";
  return kind.empty() ? words : words + " [" + kind + "]";
}
