// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signal handlers, installed for the length of a launch.
#include "runtime/sim/Faults.h"

#include "runtime/sim/Block.h"

using namespace lh;

/// What to do with signals that aren't a simulated thread's. A handler can't be
/// given anything.
static std::array<struct sigaction, NSIG> previous;

static void passOn(int number, siginfo_t *info, void *context) {
  const struct sigaction &action = previous[static_cast<size_t>(number)];
  if (action.sa_flags & SA_SIGINFO)
    return action.sa_sigaction(number, info, context);
  if (action.sa_handler == SIG_IGN)
    return;
  if (action.sa_handler != SIG_DFL)
    return action.sa_handler(number);
  // The faulting instruction runs again, now without a handler.
  signal(number, SIG_DFL);
}

static void handle(int number, siginfo_t *info, void *context) {
  SimBlock *block = SimBlock::current();
  if (!block || !block->takeSignal(number, info->si_addr, context))
    passOn(number, info, context);
}

SimFaultGuard::SimFaultGuard() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int number : signals)
    sigaction(number, &action, &previous[static_cast<size_t>(number)]);
}

SimFaultGuard::~SimFaultGuard() {
  for (int number : signals)
    sigaction(number, &previous[static_cast<size_t>(number)], nullptr);
}

SimSignalStack::SimSignalStack() : bytes(64 << 10) {
  stack_t stack = {};
  stack.ss_sp = bytes.data();
  stack.ss_size = bytes.size();
  sigaltstack(&stack, &before);
}

SimSignalStack::~SimSignalStack() { sigaltstack(&before, nullptr); }
