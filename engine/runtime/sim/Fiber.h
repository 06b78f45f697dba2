// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a kernel as stacks that one host thread switches between.
#ifndef LH_RUNTIME_SIM_FIBER_H
#define LH_RUNTIME_SIM_FIBER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lh {

/// Where a stopped fiber goes on: its stack pointer.
using FiberState = void *;

/// Stacks of one size, each above a page that can't be touched.
class FiberStacks {
public:
  explicit FiberStacks(size_t bytes);
  ~FiberStacks();
  FiberStacks(const FiberStacks &) = delete;

  /// The upper end of a stack; the one used last comes first.
  char *acquire();
  void release(char *top) { idle.push_back(top); }
  /// Whether `address` is in a page below a stack.
  bool isGuard(const void *address) const;
  size_t size() const { return bytes; }

private:
  size_t bytes;
  std::vector<char *> all, idle;
};

/// A fiber that will call `run(argument)`, which must not return.
FiberState makeFiber(char *stackTop, void (*run)(void *), void *argument);

/// Stops here, its state to `here`, and goes on at `there`.
extern "C" void lh_fiber_switch(FiberState *here, FiberState there);

/// Makes a signal's handler return to where `there` was stopped instead.
void redirectSignal(void *context, FiberState there);

} // namespace lh

#endif // LH_RUNTIME_SIM_FIBER_H
