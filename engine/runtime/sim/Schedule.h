// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order threads run: any is allowed, the worst is wanted.
#ifndef LH_RUNTIME_SIM_SCHEDULE_H
#define LH_RUNTIME_SIM_SCHEDULE_H

#include "core/support/Diagnostic.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace lh {

/// Seed 0: each warp in turn as far as it can, lanes in order. Seed 1: the
/// same, backwards. Others: drawn, the same for the same seed and block.
class SimSchedule {
public:
  void begin(uint64_t newSeed, uint64_t block) {
    seed = newSeed;
    state =
        (newSeed + 1) * 0x9E3779B97F4A7C15u ^ (block + 1) * 0xD1B54A32D192ED03u;
  }
  bool isRandom() const { return seed > 1; }

  /// 0 .. count-1 in the order to try.
  std::vector<unsigned> order(unsigned count) {
    std::vector<unsigned> result(count);
    std::iota(result.begin(), result.end(), 0u);
    if (seed == 1)
      std::reverse(result.begin(), result.end());
    for (unsigned i = count; isRandom() && i > 1; --i)
      std::swap(result[i - 1], result[below(i)]);
    return result;
  }
  /// True once in `times`, with seeds that draw.
  bool chance(unsigned times) { return isRandom() && below(times) == 0; }
  /// Whether what ends when it likes ends now.
  bool isEarly() { return seed == 1 || chance(4); }
  unsigned below(unsigned bound) {
    // splitmix64
    uint64_t x = state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return static_cast<unsigned>((x ^ (x >> 31)) % bound);
  }

private:
  uint64_t seed = 0, state = 0;
};

} // namespace lh

#endif // LH_RUNTIME_SIM_SCHEDULE_H
