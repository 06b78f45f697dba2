// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The random generator: the same numbers on every platform.
#ifndef LH_CORE_NUMERICS_RANDOM_H
#define LH_CORE_NUMERICS_RANDOM_H

#include <bit>
#include <cstdint>

namespace lh {

inline uint64_t splitMix(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Blackman and Vigna's xoshiro256**, seeded by splitmix64.
class Random {
public:
  explicit Random(uint64_t seed) {
    for (uint64_t &word : state)
      word = splitMix(seed);
  }

  uint64_t next() {
    uint64_t result = std::rotl(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = std::rotl(state[3], 45);
    return result;
  }

  /// In [0, 1), in steps of 2^-53.
  double uniform() { return double(next() >> 11) * 0x1p-53; }

  /// Exact sums only: equal on machines whose libm differs.
  double normal() {
    uint64_t sum = 0;
    for (int i = 0; i < 6; ++i) {
      uint64_t bits = next();
      sum += (bits >> 32) + (bits & 0xffffffff);
    }
    return double(int64_t(sum) - (int64_t(6) << 32)) * 0x1p-32;
  }

  /// In [0, span); the bias is below span / 2^64.
  uint64_t below(uint64_t span) {
    return uint64_t((static_cast<unsigned __int128>(next()) * span) >> 64);
  }

private:
  uint64_t state[4];
};

} // namespace lh

#endif // LH_CORE_NUMERICS_RANDOM_H
