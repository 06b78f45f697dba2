// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals that simulated code causes become findings.
#ifndef LH_RUNTIME_SIM_FAULTS_H
#define LH_RUNTIME_SIM_FAULTS_H

#include <array>
#include <csignal>
#include <vector>

namespace lh {

/// While it exists, a fault of a simulated thread ends that thread's block.
/// Other faults go where they went before. One at a time per process.
class SimFaultGuard {
public:
  SimFaultGuard();
  ~SimFaultGuard();
  SimFaultGuard(const SimFaultGuard &) = delete;

private:
  static constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                         SIGTRAP};
};

/// A stack for signal handlers of this host thread: that of the simulated
/// thread may be what is used up.
class SimSignalStack {
public:
  SimSignalStack();
  ~SimSignalStack();
  SimSignalStack(const SimSignalStack &) = delete;

private:
  std::vector<char> bytes;
  stack_t before = {};
};

} // namespace lh

#endif // LH_RUNTIME_SIM_FAULTS_H
