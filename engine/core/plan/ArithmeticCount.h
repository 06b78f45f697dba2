// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much arithmetic a call of compiled code does, and how much in vectors.
#ifndef LH_CORE_PLAN_ARITHMETICCOUNT_H
#define LH_CORE_PLAN_ARITHMETICCOUNT_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lh {

/// Operations on data in one call of an entry, counted where the code ran
/// (docs/benchmarks.md says what is an operation, and what an instruction). A
/// multiply-add is two.
struct ArithmeticCount {
  double operations = 0;
  /// Those in vectors: n of the N lanes that a register has count n/N.
  double vectorised = 0;
  /// Of any kind, and those on vectors.
  double instructions = 0, vectorInstructions = 0;
  /// Calls of code that isn't the engine's, by name: what they compute is in
  /// neither number.
  std::map<std::string, uint64_t> unknownCalls = {};

  /// From 0 to 1; nothing when nothing was counted.
  std::optional<double> vectorisedShare() const {
    return operations > 0 ? std::optional(vectorised / operations)
                          : std::nullopt;
  }
  std::optional<double> instructionShare() const {
    return instructions > 0 ? std::optional(vectorInstructions / instructions)
                            : std::nullopt;
  }
};

} // namespace lh

#endif // LH_CORE_PLAN_ARITHMETICCOUNT_H
