// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine can do at best, measured next to a candidate by the loops of
// `lh-run bench`.
#ifndef LH_TESTS_BENCH_PEERS_PROBE_H
#define LH_TESTS_BENCH_PEERS_PROBE_H

#include "Worker.h"

namespace lh {
class Sitter;
} // namespace lh

namespace peers {

/// Fma: f32 multiply-adds in registers; Vnni: dot products of bytes, in
/// registers; Copy: the work's largest input onto memory of its size; None:
/// what is measured doesn't run on this machine's cores.
enum class Peak { Fma, Vnni, Copy, None };

Peak peakNamed(const std::string &name);

/// Measures on as many threads as the candidate has.
class Probe {
public:
  /// Throws Unusable when this machine has no such instruction.
  Probe(Peak peak, const Work &work);
  ~Probe();

  /// Operations per second, of Copy bytes read and written per second; of
  /// some milliseconds or one copy, after as much to warm up. One thread's is
  /// by its CPU time. 0 without a peak.
  double measure() const;

private:
  double measureOn(size_t thread) const;

  std::vector<std::unique_ptr<lh::Sitter>> sitters; ///< one for each thread
  double perCall = 0;
  uint64_t callsAtOnce;
};

} // namespace peers

#endif // LH_TESTS_BENCH_PEERS_PROBE_H
