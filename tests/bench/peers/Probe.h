// What the machine can do at best, measured next to a candidate.
#ifndef LH_TESTS_BENCH_PEERS_PROBE_H
#define LH_TESTS_BENCH_PEERS_PROBE_H

#include "Worker.h"

namespace peers {

/// Fma: f32 multiply-adds in registers; Vnni: products of bytes summed into
/// 32 bits, in registers; Copy: a memcpy of the work's largest tensor.
enum class Peak { Fma, Vnni, Copy };

Peak peakNamed(const std::string &name);

/// Measures for about two milliseconds (a copy: once), on as many threads as
/// the candidate has.
class Probe {
public:
  Probe(Peak peak, int threads, const Work &work);

  /// Operations per second, of Copy bytes read and written per second. One
  /// thread's is by its CPU time.
  double measure() const;

private:
  double measureOn(int threadIndex) const;

  Peak peak;
  int threads;
  size_t copied = 0; ///< bytes, of all threads together
};

} // namespace peers

#endif // LH_TESTS_BENCH_PEERS_PROBE_H
