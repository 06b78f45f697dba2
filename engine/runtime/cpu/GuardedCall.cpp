// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaves compiled code by longjmp: its frames have nothing to clean up.
#include "runtime/cpu/GuardedCall.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

using namespace lh;

/// Where the innermost guarded call on this thread goes on, and why.
static thread_local std::jmp_buf *active = nullptr;
static thread_local std::string reason;

static int noteReason(const char *text) {
  if (!active)
    return std::puts(text);
  reason = text;
  return 0;
}

void lh::leaveGuardedCall() {
  if (!active)
    std::abort();
  std::longjmp(*active, 1);
}

std::optional<std::string> lh::callGuarded(llvm::function_ref<void()> call) {
  std::jmp_buf place;
  std::jmp_buf *const outer = active;
  active = &place;
  reason.clear();
  if (setjmp(place) == 0) {
    call();
    active = outer;
    return std::nullopt;
  }
  active = outer;
  return reason;
}

std::vector<RuntimeSymbol> lh::assertionSymbols() {
  return {{"puts", reinterpret_cast<void *>(noteReason)},
          {"abort", reinterpret_cast<void *>(leaveGuardedCall)}};
}
