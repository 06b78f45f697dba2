// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this machine can do at most: arithmetic in registers, copies in memory.
#ifndef LH_RUNTIME_CPU_PROBES_H
#define LH_RUNTIME_CPU_PROBES_H

#include "core/bench/Seat.h"
#include "runtime/abi/HostFacts.h"

#include <memory>

namespace lh {

/// A loop of multiply-adds (or dot products) that touches no memory, with more
/// independent sums than the units have in flight.
struct ArithmeticProbe {
  std::string unit;      ///< "float32 FMA, AVX-512"
  double operations = 0; ///< per call; a multiply-add is two
  void (*call)() = nullptr;
};

/// The ways of this machine to multiply and add operands of `dtype` (as
/// dtypeName() says); the fastest is its peak. Floats of 16 bits are also
/// computed with as float32, and integers of 8 bits by dot products alone.
/// None for any other type.
std::vector<ArithmeticProbe> arithmeticProbes(StringRef dtype,
                                              const HostFacts &host);

std::unique_ptr<Sitter> makeArithmeticSitter(const ArithmeticProbe &probe);

/// Copies half of `footprint` bytes onto the other half in each call, in the
/// way that is the fastest for that size: plain stores, streaming stores or
/// memcpy. Its bytes() are what it reads and writes.
std::unique_ptr<Sitter> makeCopySitter(uint64_t footprint);

} // namespace lh

#endif // LH_RUNTIME_CPU_PROBES_H
