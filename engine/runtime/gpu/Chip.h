// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a GPU target's file says of its chip, and whether LLVM agrees.
#ifndef LH_RUNTIME_GPU_CHIP_H
#define LH_RUNTIME_GPU_CHIP_H

#include "core/manifest/Manifest.h"

namespace lh {

enum class Vendor { Nvidia, Amd };

/// LLVM's words for a GPU.
struct Chip {
  Vendor vendor = Vendor::Nvidia;
  std::string name;     ///< "sm_90", "gfx942"
  std::string features; ///< "+ptx80"
};

/// Reads a target of backend `cuda` or `rocm`. Fails with a diagnostic in its
/// file on a chip or a feature that LLVM doesn't know, and on a PTX version
/// that is too old for the chip: LLVM would end the process.
FailureOr<Chip> readChip(const TargetSpec &target, DiagnosticSink &sink);

/// The compute capability of "sm_90" or "sm_90a", times ten; 0 for others.
unsigned computeCapability(StringRef chip);

} // namespace lh

#endif // LH_RUNTIME_GPU_CHIP_H
