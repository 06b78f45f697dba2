// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarrier objects: phases that end when enough threads have arrived and
// enough bytes have come.
#ifndef LH_RUNTIME_SIM_PHASEBARRIERS_H
#define LH_RUNTIME_SIM_PHASEBARRIERS_H

#include "runtime/sim/Clocks.h"
#include "runtime/sim/Operation.h"

#include <map>

namespace lh {

class SimPhaseBarriers {
public:
  void begin() { barriers.clear(); }

  void initialize(SimThread &thread, const SimCall &call, const void *at,
                  uint32_t count);
  void invalidate(SimThread &thread, const SimCall &call, const void *at);
  /// `count` arrivals, after `expectedBytes` more bytes are expected. The phase
  /// that they count for.
  uint64_t arrive(SimThread &thread, const SimCall &call, const void *at,
                  uint32_t count, int64_t expectedBytes, bool drops = false);
  void expect(SimThread &thread, const SimCall &call, const void *at,
              int64_t bytes);
  /// A copy engine's bytes have come.
  void complete(SimBlock &block, unsigned actor, const void *at, int64_t bytes);
  /// Whether the phase with this parity is over; what came before its end then
  /// happened before what `thread` does next.
  bool test(SimThread &thread, const SimCall &call, const void *at,
            uint64_t parity);
  /// Waits until it is.
  void wait(SimThread &thread, const SimCall &call, const void *at,
            uint64_t parity);

  bool isInitialized(const void *at) const { return barriers.count(at) != 0; }
  std::string describeWait(const SimThread &thread) const;

private:
  struct Barrier {
    uint32_t count = 0;  ///< arrivals of a phase
    int64_t pending = 0; ///< arrivals to come
    int64_t bytes = 0;   ///< to come
    uint64_t phase = 0;
    SimClocks::Knowledge collecting, completed;
  };
  Barrier *find(SimThread &thread, const SimCall &call, const void *at);
  void advance(SimBlock &block, const void *at, Barrier &barrier);

  std::map<const void *, Barrier> barriers;
};

} // namespace lh

#endif // LH_RUNTIME_SIM_PHASEBARRIERS_H
