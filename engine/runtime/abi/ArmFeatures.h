// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Linux tells of an AArch64 CPU.
#ifndef LH_RUNTIME_ABI_ARMFEATURES_H
#define LH_RUNTIME_ABI_ARMFEATURES_H

#include <cstdint>
#include <string>
#include <vector>

namespace lh {

/// By LLVM's names, sorted. What is in neither list nobody can tell.
struct CpuFeatures {
  std::vector<std::string> present, absent;
};

/// The extensions that generated code may use, from the words AT_HWCAP and
/// AT_HWCAP2 of the auxiliary vector.
CpuFeatures armFeatures(uint64_t capabilities, uint64_t moreCapabilities);

} // namespace lh

#endif // LH_RUNTIME_ABI_ARMFEATURES_H
