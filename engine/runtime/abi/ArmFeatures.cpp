// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits of Linux's asm/hwcap.h for arm64, which other machines' headers
// lack.
#include "runtime/abi/ArmFeatures.h"

#include <algorithm>

using namespace lh;

namespace {
struct Capability {
  const char *feature;
  unsigned word, bit;
};
} // namespace

static constexpr Capability capabilities[] = {
    {"neon", 0, 1},     {"lse", 0, 8},     {"fullfp16", 0, 10},
    {"rdm", 0, 12},     {"jsconv", 0, 13}, {"complxnum", 0, 14},
    {"dotprod", 0, 20}, {"sve", 0, 22},    {"fp16fml", 0, 23},
    {"sve2", 1, 1},     {"i8mm", 1, 13},   {"bf16", 1, 14},
    {"sme", 1, 23},     {"sme2", 1, 37},
};

CpuFeatures lh::armFeatures(uint64_t first, uint64_t second) {
  CpuFeatures features;
  for (const Capability &each : capabilities) {
    uint64_t word = each.word == 0 ? first : second;
    bool has = (word >> each.bit & 1) != 0;
    (has ? features.present : features.absent).push_back(each.feature);
  }
  std::sort(features.present.begin(), features.present.end());
  std::sort(features.absent.begin(), features.absent.end());
  return features;
}
