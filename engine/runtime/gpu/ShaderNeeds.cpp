// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the first instructions of SPIR-V.
#include "runtime/gpu/ShaderNeeds.h"

#include <cstring>

using namespace lh;

std::optional<std::vector<uint32_t>> lh::capabilitiesOf(StringRef spirv) {
  constexpr uint32_t magic = 0x07230203, capabilityOp = 17;
  constexpr size_t headerWords = 5;
  std::vector<uint32_t> words(spirv.size() / sizeof(uint32_t));
  if (!words.empty())
    std::memcpy(words.data(), spirv.data(), words.size() * sizeof(uint32_t));
  if (words.size() < headerWords || words.size() * 4 != spirv.size() ||
      words[0] != magic)
    return std::nullopt;
  // Capabilities come first.
  std::vector<uint32_t> capabilities;
  for (size_t at = headerWords;
       at + 1 < words.size() && (words[at] & 0xffff) == capabilityOp; at += 2)
    capabilities.push_back(words[at + 1]);
  return capabilities;
}

std::string lh::capabilityName(uint32_t capability) {
  switch (capability) {
  case Float16Capability:
    return "Float16";
  case Float64Capability:
    return "Float64";
  case Int64Capability:
    return "Int64";
  case Int16Capability:
    return "Int16";
  case Int8Capability:
    return "Int8";
  case SubgroupShuffleCapability:
    return "GroupNonUniformShuffle";
  case Storage16Capability:
    return "StorageBuffer16BitAccess";
  case Storage8Capability:
    return "StorageBuffer8BitAccess";
  case KeepsNanCapability:
    return "SignedZeroInfNanPreserve";
  case AddressesCapability:
    return "PhysicalStorageBufferAddresses";
  default:
    return std::to_string(capability);
  }
}
