// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor memory accelerator: copies of boxes that end when they like.
#ifndef LH_RUNTIME_SIM_TENSORCOPIES_H
#define LH_RUNTIME_SIM_TENSORCOPIES_H

#include "runtime/sim/Clocks.h"
#include "runtime/sim/Operation.h"
#include "runtime/sim/TensorMaps.h"

namespace lh {

/// Copies to shared memory that have begun.
class SimTensorCopies {
public:
  struct Copy {
    SimTensorMap map;
    char *shared = nullptr;
    std::array<int64_t, 5> at = {}; ///< where the box begins, innermost first
    const void *barrier = nullptr;  ///< counts the bytes that have come
    SimStamp stamp;                 ///< when it began
  };

  void begin() {
    copies.clear();
    next = 0;
  }
  void start(SimThread &thread, const SimCall &call, Copy copy);
  bool isIdle() const { return copies.empty(); }
  /// Ends the one that `chosen` (below the number of them) counts to.
  void finishOne(SimBlock &block, size_t chosen);
  size_t count() const { return copies.size(); }

private:
  std::vector<Copy> copies;
  unsigned next = 0; ///< engine
};

} // namespace lh

#endif // LH_RUNTIME_SIM_TENSORCOPIES_H
