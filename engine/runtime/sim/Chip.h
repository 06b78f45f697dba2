// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a simulated chip can hold.
#ifndef LH_RUNTIME_SIM_CHIP_H
#define LH_RUNTIME_SIM_CHIP_H

#include "core/support/Diagnostic.h"

#include <optional>
#include <string>
#include <vector>

namespace lh {

struct SimChip {
  enum class Vendor { Nvidia, Amd, Intel };

  std::string name;
  Vendor vendor = Vendor::Nvidia;
  unsigned version = 0;    ///< 90 of sm_90a; 0x942 of gfx942
  bool specific = false;   ///< sm_90a: with what only this chip has
  unsigned wave = 32;      ///< threads of a warp, unless a kernel says another
  uint64_t shared = 0;     ///< bytes of shared memory a block can have
  unsigned threads = 1024; ///< of a block

  bool isNvidia() const { return vendor == Vendor::Nvidia; }
};

/// None for a name that is neither "sm_<number>" nor "gfx<number>" of a chip
/// that is made, nor one of intelChips().
std::optional<SimChip> findChip(StringRef name);

/// Names of Intel's GPUs, as ocloc has them.
std::vector<StringRef> intelChips();

} // namespace lh

#endif // LH_RUNTIME_SIM_CHIP_H
