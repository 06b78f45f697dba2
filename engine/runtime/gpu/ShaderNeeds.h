// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a SPIR-V module asks of a device.
#ifndef LH_RUNTIME_GPU_SHADERNEEDS_H
#define LH_RUNTIME_GPU_SHADERNEEDS_H

#include "core/support/Diagnostic.h"

#include <optional>
#include <vector>

namespace lh {

/// The numbers of the capabilities that a module declares (SPIR-V, "Physical
/// Layout of a SPIR-V Module and Instruction" and "Capability"); nothing for
/// what isn't SPIR-V of this machine's byte order.
std::optional<std::vector<uint32_t>> capabilitiesOf(StringRef spirv);

/// "Float64"; the number of one that kernels here never need.
std::string capabilityName(uint32_t capability);

/// Capabilities that not every device has.
enum ShaderCapability : uint32_t {
  Float16Capability = 9,
  Float64Capability = 10,
  Int64Capability = 11,
  Int16Capability = 22,
  Int8Capability = 39,
  SubgroupShuffleCapability = 65,
  Storage16Capability = 4433,
  Storage8Capability = 4448,
  KeepsNanCapability = 4466,
  AddressesCapability = 5347
};

} // namespace lh

#endif // LH_RUNTIME_GPU_SHADERNEEDS_H
