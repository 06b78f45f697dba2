// Instructions without memory, and memory without arithmetic.
#include "Probe.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <thread>

using namespace peers;

namespace {
constexpr long rounds = 20'000;
} // namespace

// The loop is one piece of assembly: a compiler would keep the sums in memory.
// Twelve of them hide an instruction's latency, and fit the 16 registers that
// all of these CPUs have.
#define LH_TWELVE(op, r)                                                       \
  op " %%" r "15, %%" r "15, %%" r "0\n" op " %%" r "15, %%" r "15, %%" r      \
     "1\n" op " %%" r "15, %%" r "15, %%" r "2\n" op " %%" r "15, %%" r        \
     "15, %%" r "3\n" op " %%" r "15, %%" r "15, %%" r "4\n" op " %%" r        \
     "15, %%" r "15, %%" r "5\n" op " %%" r "15, %%" r "15, %%" r "6\n" op     \
     " %%" r "15, %%" r "15, %%" r "7\n" op " %%" r "15, %%" r "15, %%" r      \
     "8\n" op " %%" r "15, %%" r "15, %%" r "9\n" op " %%" r "15, %%" r        \
     "15, %%" r "10\n" op " %%" r "15, %%" r "15, %%" r "11\n"

/// `rounds` times twelve instructions on zeros.
#define LH_LOOP(op, r)                                                         \
  long left = rounds;                                                          \
  asm volatile("vzeroall\n0:\n" LH_TWELVE(op, r) "dec %0\njnz 0b"              \
               : "+r"(left)                                                    \
               :                                                               \
               : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", \
                 "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",   \
                 "xmm14", "xmm15")

static double fmaOf512Bits() {
  LH_LOOP("vfmadd231ps", "zmm");
  return 2.0 * 16 * 12 * rounds;
}

static double fmaOf256Bits() {
  LH_LOOP("vfmadd231ps", "ymm");
  return 2.0 * 8 * 12 * rounds;
}

static double vnniOf512Bits() {
  LH_LOOP("vpdpbusd", "zmm");
  return 2.0 * 64 * 12 * rounds;
}

static double operationsOf(Peak peak) {
  if (peak == Peak::Vnni) {
    if (!__builtin_cpu_supports("avx512vnni"))
      throw Unusable("this CPU has no AVX-512 VNNI to compare with");
    return vnniOf512Bits();
  }
  if (__builtin_cpu_supports("avx512f"))
    return fmaOf512Bits();
  if (__builtin_cpu_supports("fma"))
    return fmaOf256Bits();
  throw Unusable("this CPU has no FMA instruction to compare with");
}

Peak peers::peakNamed(const std::string &name) {
  if (name == "fma")
    return Peak::Fma;
  if (name == "vnni")
    return Peak::Vnni;
  if (name == "copy")
    return Peak::Copy;
  throw Unusable("no peak is called " + name);
}

Probe::Probe(Peak peak, int threads, const Work &work)
    : peak(peak), threads(threads) {
  if (peak == Peak::Copy)
    for (const Operand &input : work.inputs)
      copied = std::max(copied, input.size());
}

static double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// From and to memory that is touched once and kept.
static double copyOnce(size_t bytes, int threadIndex, clockid_t clock) {
  static std::vector<Bytes> from(64), to(64);
  auto slot = static_cast<size_t>(threadIndex);
  if (!from.at(slot)) {
    from[slot] = allocate(bytes);
    to[slot] = allocate(bytes);
  }
  double start = now(clock);
  std::memcpy(to[slot].get(), from[slot].get(), bytes);
  asm volatile("" : : "r"(to[slot].get()) : "memory");
  return 2.0 * double(bytes) / (now(clock) - start);
}

double Probe::measureOn(int threadIndex) const {
  clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  if (peak == Peak::Copy)
    return copyOnce(copied / size_t(threads), threadIndex, clock);
  double done = 0, start = now(clock), taken = 0;
  while ((taken = now(clock) - start) < 2e-3)
    done += operationsOf(peak);
  return done / taken;
}

double Probe::measure() const {
  std::atomic<int> waiting{threads};
  std::vector<double> reached(static_cast<size_t>(threads));
  auto measureTogether = [&](int index) {
    --waiting;
    while (waiting > 0)
      ;
    reached[static_cast<size_t>(index)] = measureOn(index);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back(measureTogether, i);
  measureTogether(0);
  for (std::thread &other : others)
    other.join();
  double sum = 0;
  for (double each : reached)
    sum += each;
  return sum;
}
