// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chips: shared memory per block is from the CUDA C++ programming guide
// ("Technical Specifications per Compute Capability"), AMD's ISA documents (LDS
// per workgroup) and Intel's oneAPI GPU Optimization Guide (SLM of a
// work-group).
#include "runtime/sim/Chip.h"

using namespace lh;

static std::optional<SimChip> findNvidia(StringRef name, StringRef digits) {
  static constexpr struct {
    unsigned version;
    unsigned kibibytes;
  } chips[] = {{70, 96},   {72, 96},  {75, 64},  {80, 163},  {86, 99},
               {87, 163},  {89, 99},  {90, 227}, {100, 227}, {101, 227},
               {103, 227}, {120, 99}, {121, 99}};
  SimChip chip{.name = name.str()};
  chip.specific = digits.consume_back("a") || digits.consume_back("f");
  if (digits.getAsInteger(10, chip.version))
    return std::nullopt;
  for (const auto &known : chips)
    if (known.version == chip.version)
      chip.shared = uint64_t(known.kibibytes) << 10;
  return chip.shared ? std::optional(chip) : std::nullopt;
}

static std::optional<SimChip> findAmd(StringRef name, StringRef digits) {
  static constexpr unsigned chips[] = {0x900,  0x906,  0x908,  0x90a,  0x940,
                                       0x941,  0x942,  0x950,  0x1010, 0x1030,
                                       0x1031, 0x1032, 0x1100, 0x1101, 0x1102,
                                       0x1103, 0x1150, 0x1151, 0x1200, 0x1201};
  SimChip chip{.name = name.str(), .vendor = SimChip::Vendor::Amd};
  if (digits.getAsInteger(16, chip.version))
    return std::nullopt;
  for (unsigned known : chips)
    if (known == chip.version) {
      chip.wave = known >= 0x1000 ? 32 : 64;
      chip.shared = (known == 0x950 ? uint64_t(160) : uint64_t(64)) << 10;
      return chip;
    }
  return std::nullopt;
}

static constexpr struct {
  StringRef name;
  unsigned kibibytes;
} chipsOfIntel[] = {{"dg2", 64}, {"pvc", 128}};

std::vector<StringRef> lh::intelChips() {
  std::vector<StringRef> names;
  for (const auto &known : chipsOfIntel)
    names.push_back(known.name);
  return names;
}

static std::optional<SimChip> findIntel(StringRef name) {
  for (const auto &known : chipsOfIntel)
    if (known.name == name)
      return SimChip{.name = name.str(),
                     .vendor = SimChip::Vendor::Intel,
                     .shared = uint64_t(known.kibibytes) << 10};
  return std::nullopt;
}

std::optional<SimChip> lh::findChip(StringRef name) {
  StringRef digits = name;
  if (digits.consume_front("sm_"))
    return findNvidia(name, digits);
  if (digits.consume_front("gfx"))
    return findAmd(name, digits);
  return findIntel(name);
}
