// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine's probes on several threads.
#include "Probe.h"

#include "runtime/cpu/Probes.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <numeric>
#include <thread>

using namespace peers;

Peak peers::peakNamed(const std::string &name) {
  if (name == "fma")
    return Peak::Fma;
  if (name == "vnni")
    return Peak::Vnni;
  if (name == "copy")
    return Peak::Copy;
  if (name == "none")
    return Peak::None;
  throw Unusable("no peak is called " + name);
}

static lh::ArithmeticProbe arithmetic(Peak peak) {
  auto probes = lh::arithmeticProbes(peak == Peak::Vnni ? "int8" : "float32",
                                     lh::detectHost());
  if (probes.empty())
    throw Unusable("this CPU has no instruction to compare with");
  return probes.front();
}

Probe::Probe(Peak peak, const Work &work) : callsAtOnce(1) {
  if (peak == Peak::None)
    return;
  size_t largest = 0;
  for (const Operand &input : work.inputs)
    largest = std::max(largest, input.size());
  auto threads = static_cast<size_t>(work.threads);
  for (size_t i = 0; i < threads; ++i) {
    if (peak == Peak::Copy) {
      sitters.push_back(lh::makeCopySitter(2 * largest / threads));
      perCall = double(sitters.back()->bytes());
    } else {
      sitters.push_back(lh::makeArithmeticSitter(arithmetic(peak)));
      perCall = arithmetic(peak).operations;
      // A call takes some microseconds, and asking for the time nearly one.
      callsAtOnce = 256;
    }
  }
}

Probe::~Probe() = default;

double Probe::measureOn(size_t thread) const {
  clockid_t clock =
      sitters.size() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  auto now = [clock] {
    timespec time;
    clock_gettime(clock, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  };
  sitters[thread]->call(callsAtOnce);
  double start = now();
  sitters[thread]->call(callsAtOnce);
  return perCall * double(callsAtOnce) / (now() - start);
}

double Probe::measure() const {
  if (sitters.empty())
    return 0;
  std::atomic<size_t> waiting{sitters.size()};
  std::vector<double> reached(sitters.size());
  auto measureTogether = [&](size_t thread) {
    --waiting;
    while (waiting > 0)
      ;
    reached[thread] = measureOn(thread);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < sitters.size(); ++i)
    others.emplace_back(measureTogether, i);
  measureTogether(0);
  for (std::thread &other : others)
    other.join();
  return std::accumulate(reached.begin(), reached.end(), 0.0);
}
