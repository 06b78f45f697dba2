// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `numerics:`: what several bubbles together may do to the numbers.
#include "core/manifest/Numerics.h"

#include "llvm/ADT/StringSwitch.h"

using namespace lh;

/// The one for which `weakness` is larger.
template <typename T, typename Weakness>
static std::optional<Located<T>> weaker(const std::optional<Located<T>> &first,
                                        const std::optional<Located<T>> &second,
                                        Weakness weakness) {
  if (!first || !second)
    return first ? first : second;
  return weakness(second->value) > weakness(first->value) ? second : first;
}

static int weaknessOfOperands(const std::string &type) {
  return llvm::StringSwitch<int>(type)
      .Case("bfloat16", 4)       // 8 bits of mantissa
      .Case("tf32-truncated", 3) // 11, the last one uncertain
      .Case("float16", 2)        // 11, and a small exponent
      .Case("tf32", 1)           // 11
      .Default(0);
}

NumericsDecl lh::mergeNumerics(const NumericsDecl &first,
                               const NumericsDecl &second) {
  NumericsDecl merged;
  merged.winograd =
      weaker(first.winograd, second.winograd, [](const WinogradDecl &one) {
        return std::pair(one.tile + one.filter, one.tile);
      });
  merged.ulp = weaker(first.ulp, second.ulp, [](int64_t ulp) { return ulp; });
  merged.reassociate = weaker(first.reassociate, second.reassociate,
                              [](bool allowed) { return allowed; });
  merged.flushesFactors = weaker(first.flushesFactors, second.flushesFactors,
                                 [](bool flushes) { return flushes; });
  merged.operands = weaker(first.operands, second.operands, weaknessOfOperands);
  return merged;
}
