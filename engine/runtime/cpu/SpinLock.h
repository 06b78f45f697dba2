// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that is held for less time than it takes to put a thread to sleep.
#ifndef LH_RUNTIME_CPU_SPINLOCK_H
#define LH_RUNTIME_CPU_SPINLOCK_H

#include <atomic>
#include <thread>

namespace lh {

/// For std::lock_guard. Threads that share a loop ask for memory at the same
/// moment; to wake one that a std::mutex has put to sleep takes tens of
/// microseconds on a virtual machine, as long as many a loop.
class SpinLock {
public:
  void lock() {
    while (held.exchange(true, std::memory_order_acquire))
      for (unsigned looks = 1; held.load(std::memory_order_relaxed); ++looks)
        // Its holder may have lost its core.
        if (looks % looksAtOnce == 0)
          std::this_thread::yield();
  }
  void unlock() { held.store(false, std::memory_order_release); }

private:
  static constexpr unsigned looksAtOnce = 256;
  std::atomic<bool> held = false;
};

} // namespace lh

#endif // LH_RUNTIME_CPU_SPINLOCK_H
