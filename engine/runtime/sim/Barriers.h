// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a block: bar.sync, bar.arrive, bar.red, s_barrier.
#ifndef LH_RUNTIME_SIM_BARRIERS_H
#define LH_RUNTIME_SIM_BARRIERS_H

#include "runtime/sim/Clocks.h"
#include "runtime/sim/Operation.h"

namespace lh {

class SimBarriers {
public:
  static constexpr unsigned count = 16;
  enum class Reduction { None, And, Or, Count };

  void begin();
  /// `thread` arrives at barrier `id` of `expected` threads (0: all of the
  /// block that haven't ended), and waits for the others if `waits`.
  void arrive(SimThread &thread, const SimCall &call, unsigned id,
              unsigned expected, bool waits);
  void reduce(SimThread &thread, const SimCall &call, unsigned id,
              Reduction reduction, bool value);
  /// Lets those go on whose barrier is complete. True: there were some.
  bool complete(SimBlock &block, unsigned live);
  /// What `thread`, which waits at one, waits for.
  std::string describeWait(const SimThread &thread, unsigned live) const;

private:
  struct Barrier {
    std::vector<unsigned> waiting; ///< threads, by index
    std::vector<unsigned> arrived; ///< threads that went on
    unsigned expected = 0;
    unsigned holding = 0; ///< of a reduction: threads with a true value
    SimClocks::Knowledge released;
  };
  bool isComplete(const Barrier &barrier, unsigned live) const;
  void open(SimBlock &block, Barrier &barrier, unsigned live);

  std::array<Barrier, count> barriers;
  uint32_t active = 0; ///< bit per barrier with someone at it
};

} // namespace lh

#endif // LH_RUNTIME_SIM_BARRIERS_H
