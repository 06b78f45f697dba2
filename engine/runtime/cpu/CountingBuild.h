// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code with a counter in each block.
#ifndef LH_RUNTIME_CPU_COUNTINGBUILD_H
#define LH_RUNTIME_CPU_COUNTINGBUILD_H

#include "core/plan/ArithmeticCount.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lh {

/// The counters, uint64_t each.
inline constexpr const char *countersName = "lh_counters";
/// What a run of each counter's block computes, as text for
/// countedArithmetic().
inline constexpr const char *countedName = "lh_counted";

/// Adds counters to optimized code, whose blocks weighBlocks() weighs. A call's
/// counters are in its frame, and are added to `lh_counters` when it returns:
/// threads don't wait for each other. What fails at an assertion isn't counted.
void addCounters(llvm::Module &module, const llvm::TargetMachine &machine);

/// What has run, after code that was built so.
ArithmeticCount countedArithmetic(const uint64_t *counters, const char *text);

} // namespace lh

#endif // LH_RUNTIME_CPU_COUNTINGBUILD_H
