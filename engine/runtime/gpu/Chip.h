// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a GPU target's file says of its chip, and whether LLVM agrees.
#ifndef LH_RUNTIME_GPU_CHIP_H
#define LH_RUNTIME_GPU_CHIP_H

#include "core/manifest/Manifest.h"

namespace lh {

enum class Vendor { Nvidia, Amd, Intel };
inline constexpr Vendor allVendors[] = {Vendor::Nvidia, Vendor::Amd,
                                        Vendor::Intel};

/// The word in a target's `backend:` for a vendor's GPUs.
StringRef backendName(Vendor vendor);
/// "NVIDIA".
StringRef vendorName(Vendor vendor);

/// LLVM's words for a GPU; of Intel's, those of its compiler.
struct Chip {
  Vendor vendor = Vendor::Nvidia;
  std::string name;     ///< "sm_90", "gfx942", "pvc"
  std::string features; ///< "+ptx80"
};

/// Reads a target of a GPU's backend. Fails with a diagnostic in its file on a
/// chip or a feature that isn't known, and on a PTX version that is too old for
/// the chip: LLVM would end the process.
FailureOr<Chip> readChip(const TargetSpec &target, DiagnosticSink &sink);

/// The compute capability of "sm_90" or "sm_90a", times ten; 0 for others.
unsigned computeCapability(StringRef chip);

} // namespace lh

#endif // LH_RUNTIME_GPU_CHIP_H
