// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals as something to poll for.
#ifndef LH_CORE_EXEC_SIGNALS_H
#define LH_CORE_EXEC_SIGNALS_H

#include <csignal>
#include <initializer_list>

namespace lh {

/// Blocks some signals while it lives and collects them instead, but for those
/// that this process was told to ignore. A child made
/// meanwhile calls restoreMask() before it does anything else.
class SignalCollector {
public:
  explicit SignalCollector(std::initializer_list<int> signals);
  ~SignalCollector();
  SignalCollector(const SignalCollector &) = delete;
  SignalCollector &operator=(const SignalCollector &) = delete;

  /// The number of a signal that has come, without waiting; 0: none.
  int next();
  void restoreMask() const;

  int descriptor() const { return file; }

private:
  sigset_t previous;
  int file = -1;
};

} // namespace lh

#endif // LH_CORE_EXEC_SIGNALS_H
