// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async: copies that one thread has begun and not yet waited for.
#ifndef LH_RUNTIME_SIM_ASYNCCOPIES_H
#define LH_RUNTIME_SIM_ASYNCCOPIES_H

#include "runtime/sim/Operation.h"

#include <deque>

namespace lh {

class SimAsyncCopies {
public:
  struct Copy {
    char *to = nullptr;
    const char *from = nullptr;
    uint32_t bytes = 0;
    uint32_t valid = 0; ///< of `from`; the rest is zeros
  };

  void begin() {
    open.clear();
    groups.clear();
  }
  void add(const Copy &copy) { open.push_back(copy); }
  void commit() {
    groups.push_back(std::move(open));
    open.clear();
  }
  /// The copies of the oldest group when more than `atMost` groups are left.
  std::optional<std::vector<Copy>> retire(size_t atMost) {
    if (groups.size() <= atMost)
      return std::nullopt;
    std::vector<Copy> oldest = std::move(groups.front());
    groups.pop_front();
    return oldest;
  }
  bool isIdle() const { return open.empty() && groups.empty(); }

private:
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
};

} // namespace lh

#endif // LH_RUNTIME_SIM_ASYNCCOPIES_H
