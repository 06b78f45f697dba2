// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code executed, and what cores would take for it by LLVM's models of
// them. Nothing here is a measurement.
#ifndef LH_CORE_BENCH_CYCLEMODEL_H
#define LH_CORE_BENCH_CYCLEMODEL_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lh {

/// Stands beside every number of cycles.
constexpr const char *cycleModelLabel = "modelled (llvm-mca, L1-resident)";

/// Cycles of some code on a core: all operands in the first-level cache,
/// branches foreseen, one block after the other.
struct ModelledCycles {
  double cycles = 0;
  /// The cycles in which the core could start the code's multiply-adds alone:
  /// by `cycles`, the share of the core's peak.
  double peakCycles = 0;

  double shareOfPeak() const { return cycles > 0 ? peakCycles / cycles : 0; }
};

struct ModelledCore {
  std::string core; ///< LLVM's name
  ModelledCycles all;
  ModelledCycles loop; ///< once through the block with most multiply-adds
};

/// One call of an entry: what it executed itself, without what it called in
/// the C library.
struct ModelledCode {
  std::string whyNot;     ///< why nothing was counted; "" when it was
  int64_t vectorBits = 0; ///< of the machine's scalable vectors; 0: none
  uint64_t instructions = 0;
  /// By kind: "sve", "neon", ..., "scalar"; and, across them, "fma", "load",
  /// "store", "branch".
  std::map<std::string, uint64_t> kinds;
  /// In the block with most multiply-adds; 0: there are none.
  uint64_t loopInstructions = 0;
  std::vector<ModelledCore> cores;
};

} // namespace lh

#endif // LH_CORE_BENCH_CYCLEMODEL_H
