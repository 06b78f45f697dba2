// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two failures are the same whatever the numbers in them.
#include "core/plan/FailureSignature.h"

#include <catch2/catch.hpp>

using namespace lh;

static StepOutcome failing(const std::string &message) {
  StepOutcome outcome;
  outcome.status = StepStatus::Failed;
  outcome.reason = message;
  outcome.diagnostics = {
      {DiagKind::IrMatchedNothing, Severity::Remark, {}, "found nothing", {}},
      {DiagKind::IrPassFailed, Severity::Error, {}, message, {}}};
  return outcome;
}

static StepOutcome crashing(const std::string &reason) {
  StepOutcome outcome;
  outcome.status = StepStatus::Crashed;
  outcome.reason = reason;
  return outcome;
}

TEST_CASE("numbers, values and addresses tell no failures apart", "[plan]") {
  CHECK(withoutNumbers("%12 at 0x7ffd is tensor<4x8xf32>") ==
        "%# at # is tensor<#x#xf#>");
  CHECK(signatureOf(failing("'%3' has 4 uses")) ==
        signatureOf(failing("'%arg0' has 17 uses")));
  CHECK_FALSE(signatureOf(failing("too many uses")) ==
              signatureOf(failing("too few uses")));
}

TEST_CASE("the first error is what counts, with its kind", "[plan]") {
  FailureSignature signature = signatureOf(failing("no"));
  CHECK(signature.kind == "ir-pass-failed");
  CHECK(signature.text() == "no [ir-pass-failed]");
}

TEST_CASE("how a process ended is kept to the number", "[plan]") {
  CHECK_FALSE(signatureOf(crashing("ended its process with exit status 3")) ==
              signatureOf(crashing("ended its process with exit status 1")));
  CHECK(
      signatureOf(crashing("crashed with SIGABRT (aborted): LLVM ERROR: 7")) ==
      signatureOf(crashing("crashed with SIGABRT (aborted): LLVM ERROR: 9")));
  CHECK_FALSE(
      signatureOf(crashing("crashed with SIGABRT (aborted)")) ==
      signatureOf(crashing("crashed with SIGSEGV (segmentation fault)")));
}

TEST_CASE("what ran out of time or memory is like any other", "[plan]") {
  StepOutcome one = crashing("took longer than 1 s"), two = one;
  one.status = two.status = StepStatus::TimedOut;
  two.reason = "took longer than 2 s";
  CHECK(signatureOf(one) == signatureOf(two));
  two.status = StepStatus::OutOfMemory;
  CHECK_FALSE(signatureOf(one) == signatureOf(two));
}
