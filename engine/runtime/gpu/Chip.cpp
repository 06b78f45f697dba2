// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a GPU's chip and features before LLVM sees them.
#include "runtime/gpu/Chip.h"

#include "runtime/sim/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

using namespace lh;

StringRef lh::backendName(Vendor vendor) {
  switch (vendor) {
  case Vendor::Nvidia:
    return "cuda";
  case Vendor::Amd:
    return "rocm";
  case Vendor::Intel:
    return "xe";
  case Vendor::Vulkan:
    return "vulkan";
  }
  return "";
}

StringRef lh::vendorName(Vendor vendor) {
  switch (vendor) {
  case Vendor::Nvidia:
    return "NVIDIA";
  case Vendor::Amd:
    return "AMD";
  case Vendor::Intel:
    return "Intel";
  case Vendor::Vulkan:
    return "Vulkan";
  }
  return "";
}

unsigned lh::computeCapability(StringRef chip) {
  unsigned capability = 0;
  if (!chip.consume_front("sm_"))
    return 0;
  chip = chip.take_while([](char c) { return llvm::isDigit(c); });
  return chip.getAsInteger(10, capability) ? 0 : capability;
}

/// The first PTX version, times ten, that has the chip (PTX ISA, "Release
/// notes"). 0: every version that can be asked for has it, or it isn't known
/// here, and LLVM decides.
static unsigned firstPtxVersion(StringRef chip) {
  constexpr std::pair<StringRef, unsigned> table[] = {
      {"sm_75", 63},  {"sm_80", 70},   {"sm_86", 71},   {"sm_87", 74},
      {"sm_88", 90},  {"sm_89", 78},   {"sm_90", 78},   {"sm_90a", 80},
      {"sm_100", 86}, {"sm_100a", 86}, {"sm_100f", 88}, {"sm_101", 86},
      {"sm_103", 88}, {"sm_103a", 88}, {"sm_120", 87},  {"sm_120a", 87},
      {"sm_121", 88}};
  for (const auto &[name, version] : table)
    if (chip == name)
      return version;
  return 0;
}

/// The PTX version among the features, times ten; 0: none.
static unsigned ptxVersion(ArrayRef<std::string> features) {
  unsigned version = 0;
  for (StringRef feature : features)
    if (StringRef name = feature.ltrim('+'); name.consume_front("ptx"))
      (void)name.getAsInteger(10, version); // checked by name before
  return version;
}

namespace {
/// What a chip, and a feature of it, may be called.
struct KnownNames {
  std::vector<StringRef> chips, features;
};
} // namespace

/// Nothing where this LLVM generates no code for the vendor's GPUs.
static std::optional<KnownNames> namesInLlvm(const llvm::Triple &triple) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargetMCs();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
  if (!known)
    return std::nullopt;
  KnownNames names;
  for (const auto &entry : known->getAllProcessorDescriptions())
    names.chips.push_back(entry.Key);
  for (const auto &entry : known->getAllProcessorFeatures())
    names.features.push_back(entry.Key);
  return names;
}

static std::optional<KnownNames> namesOf(Vendor vendor) {
  switch (vendor) {
  case Vendor::Nvidia:
    return namesInLlvm(llvm::Triple("nvptx64-nvidia-cuda"));
  case Vendor::Amd:
    return namesInLlvm(llvm::Triple("amdgcn-amd-amdhsa"));
  case Vendor::Intel:
    // LLVM's SPIR-V is for no chip in particular: it is Intel's compiler that
    // takes these names, where it is here.
    return KnownNames{intelChips(), {}};
  case Vendor::Vulkan:
    break;
  }
  // Versions that have all that every shader here needs.
  return KnownNames{{"vulkan1.2"}, {}};
}

namespace {
/// Complains of one target.
class ChipChecker {
public:
  ChipChecker(const TargetSpec &target, DiagnosticSink &sink)
      : target(target), sink(sink) {}

  LogicalResult check(const KnownNames &known, Vendor vendor);

private:
  LogicalResult complain(const Twine &what) {
    return sink.error(DiagKind::BackendUnknownChip, SourceSpan{target.file},
                      "target '" + target.name + "': " + what);
  }
  LogicalResult checkNames(const KnownNames &known, Vendor vendor);
  LogicalResult checkPtxVersion();

  const TargetSpec &target;
  DiagnosticSink &sink;
};
} // namespace

LogicalResult ChipChecker::checkNames(const KnownNames &known, Vendor vendor) {
  LogicalResult result = success();
  bool isLlvms = vendor == Vendor::Nvidia || vendor == Vendor::Amd;
  StringRef who = isLlvms ? "LLVM" : "lh-run";
  if (!llvm::is_contained(known.chips, StringRef(target.cpu)))
    result = complain(who + " knows no GPU '" + target.cpu + "'" +
                      didYouMean(target.cpu, known.chips));
  for (StringRef feature : target.features)
    if (!llvm::is_contained(known.features, feature.ltrim("+-")))
      result = complain(who + " knows no feature '" + feature + "' of GPUs" +
                        didYouMean(feature.ltrim("+-"), known.features));
  return result;
}

LogicalResult ChipChecker::checkPtxVersion() {
  unsigned version = ptxVersion(target.features);
  unsigned first = firstPtxVersion(target.cpu);
  std::string advice =
      std::max(first, 63U) == 63 ? "ptx63" : "ptx" + std::to_string(first);
  if (version == 0)
    return complain("its features name no PTX version; say 'features: [" +
                    advice + "]' or a later one");
  if (version < first)
    return complain("PTX " + Twine(version / 10) + "." + Twine(version % 10) +
                    " has no '" + target.cpu + "'; it begins with '" + advice +
                    "'");
  return success();
}

LogicalResult ChipChecker::check(const KnownNames &known, Vendor vendor) {
  if (failed(checkNames(known, vendor)))
    return failure();
  auto fact = target.facts.find("chip");
  if (fact != target.facts.end()) {
    const auto *name = std::get_if<std::string>(&fact->second.value);
    if (!name || *name != target.cpu)
      return complain("its fact 'chip' isn't its 'cpu', '" + target.cpu + "'");
  }
  return vendor == Vendor::Nvidia ? checkPtxVersion() : success();
}

/// A fact that is a number; 0 without one.
static uint32_t numberOf(const TargetSpec &target, StringRef fact) {
  auto entry = target.facts.find(fact.str());
  if (entry == target.facts.end())
    return 0;
  const auto *number = std::get_if<int64_t>(&entry->second.value);
  return number ? static_cast<uint32_t>(*number) : 0;
}

FailureOr<Chip> lh::readChip(const TargetSpec &target, DiagnosticSink &sink) {
  Chip chip;
  for (Vendor vendor : allVendors)
    if (target.backend == backendName(vendor))
      chip.vendor = vendor;
  chip.name = target.cpu;
  chip.lanes = std::max(numberOf(target, "subgroup_lanes"), 1U);
  chip.sharedBytes = numberOf(target, "shared_bytes_most");
  std::optional<KnownNames> known = namesOf(chip.vendor);
  if (!known)
    return sink.error(DiagKind::BackendUnknownChip, SourceSpan{target.file},
                      "target '" + target.name +
                          "': this LLVM generates no code for such GPUs");
  if (failed(ChipChecker(target, sink).check(*known, chip.vendor)))
    return failure();
  std::vector<std::string> features;
  for (StringRef feature : target.features)
    features.push_back(
        ((feature.starts_with("-") ? "-" : "+") + feature.ltrim("+-")).str());
  chip.features = llvm::join(features, ",");
  return chip;
}
