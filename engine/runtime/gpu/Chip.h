// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a GPU target's file says of its chip, and whether LLVM agrees.
#ifndef LH_RUNTIME_GPU_CHIP_H
#define LH_RUNTIME_GPU_CHIP_H

#include "core/manifest/Manifest.h"

namespace lh {

/// Whose code a GPU runs. Vulkan's runs on everyone's.
enum class Vendor { Nvidia, Amd, Intel, Vulkan };
inline constexpr Vendor allVendors[] = {Vendor::Nvidia, Vendor::Amd,
                                        Vendor::Intel, Vendor::Vulkan};

/// The word in a target's `backend:` for a vendor's GPUs.
StringRef backendName(Vendor vendor);
/// "NVIDIA".
StringRef vendorName(Vendor vendor);

/// LLVM's words for a GPU; of Intel's, those of its compiler; of Vulkan's, the
/// version that a device must have.
struct Chip {
  Vendor vendor = Vendor::Nvidia;
  std::string name;     ///< "sm_90", "gfx942", "pvc"
  std::string features; ///< "+ptx80"
  /// Of Vulkan's: lanes of the subgroups that the code is for; 1: it has none.
  uint32_t lanes = 1;
  uint32_t sharedBytes = 0; ///< of Vulkan's: what a block may have
};

/// Reads a target of a GPU's backend. Fails with a diagnostic in its file on a
/// chip or a feature that isn't known, and on a PTX version that is too old for
/// the chip: LLVM would end the process.
FailureOr<Chip> readChip(const TargetSpec &target, DiagnosticSink &sink);

/// The compute capability of "sm_90" or "sm_90a", times ten; 0 for others.
unsigned computeCapability(StringRef chip);

} // namespace lh

#endif // LH_RUNTIME_GPU_CHIP_H
