// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds TargetMachines and compares their features with the host's.
#include "runtime/cpu/TargetMachine.h"

#include "runtime/abi/VectorBits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>

using namespace lh;

namespace {
/// What LLVM wants: one triple, one cpu, "+a,-b".
struct LlvmTarget {
  const llvm::Target *target = nullptr;
  llvm::Triple triple;
  std::string cpu, features;
};
} // namespace

void lh::initializeTargets() {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
}

static bool wantsHost(const TargetSpec &target) {
  return target.cpu.empty() || target.cpu == "host" || target.cpu == "native";
}

static StringRef withoutSign(StringRef feature) { return feature.ltrim("+-"); }

static std::string featureText(const TargetSpec &target) {
  std::vector<std::string> parts;
  // Also without those that the CPU's name implies and this machine hides.
  if (wantsHost(target))
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      parts.push_back(
          (Twine(feature.second ? "+" : "-") + feature.first()).str());
  for (const std::string &feature : target.features)
    parts.push_back((Twine(StringRef(feature).starts_with("-") ? "-" : "+") +
                     withoutSign(feature))
                        .str());
  return llvm::join(parts, ",");
}

static FailureOr<LlvmTarget>
resolve(const TargetSpec &spec, const HostFacts &host, DiagnosticSink &sink) {
  initializeTargets();
  LlvmTarget resolved;
  bool hostTriple = spec.triple.empty() || spec.triple == "host";
  resolved.triple = llvm::Triple(
      llvm::Triple::normalize(hostTriple ? host.triple : spec.triple));
  std::string error;
  resolved.target = llvm::TargetRegistry::lookupTarget(resolved.triple, error);
  SourceSpan file{spec.file};
  if (!resolved.target)
    return sink.error(DiagKind::BackendBadTarget, file,
                      "target '" + spec.name + "': LLVM knows no triple '" +
                          spec.triple + "'");
  if (wantsHost(spec) &&
      resolved.triple.getArch() != llvm::Triple(host.triple).getArch())
    return sink.error(DiagKind::BackendBadTarget, file,
                      "target '" + spec.name + "': cpu 'host' is " + host.arch +
                          ", its triple is '" + spec.triple + "'");
  resolved.cpu = wantsHost(spec) ? host.cpu : spec.cpu;
  resolved.features = featureText(spec);
  return resolved;
}

/// LLVM only warns on standard error about names it doesn't know.
static LogicalResult checkNames(const TargetSpec &spec,
                                const LlvmTarget &resolved,
                                DiagnosticSink &sink) {
  std::unique_ptr<llvm::MCSubtargetInfo> plain(
      resolved.target->createMCSubtargetInfo(resolved.triple, "", ""));
  SourceSpan file{spec.file};
  LogicalResult result = success();
  std::vector<StringRef> cpus, features;
  for (const auto &entry : plain->getAllProcessorDescriptions())
    cpus.push_back(entry.Key);
  for (const auto &entry : plain->getAllProcessorFeatures())
    features.push_back(entry.Key);
  if (!wantsHost(spec) && !llvm::is_contained(cpus, StringRef(spec.cpu)))
    result =
        sink.error(DiagKind::BackendBadTarget, file,
                   "target '" + spec.name + "': LLVM knows no cpu '" +
                       spec.cpu + "' for " + resolved.triple.getArchName() +
                       didYouMean(spec.cpu, cpus));
  for (const std::string &feature :
       llvm::concat<const std::string>(spec.features, spec.run.emulates))
    if (!llvm::is_contained(features, withoutSign(feature)))
      result =
          sink.error(DiagKind::BackendBadTarget, file,
                     "target '" + spec.name + "': LLVM knows no feature '" +
                         feature + "' for " + resolved.triple.getArchName() +
                         didYouMean(withoutSign(feature), features));
  return result;
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
lh::makeTargetMachine(const TargetSpec &spec, const HostFacts &host,
                      DiagnosticSink &sink) {
  FailureOr<LlvmTarget> resolved = resolve(spec, host, sink);
  if (failed(resolved) || failed(checkNames(spec, *resolved, sink)))
    return failure();
  llvm::TargetOptions options;
  // a*b+c may become one fused multiply-add, which rounds once instead of
  // twice. That is the only liberty taken: no other fast-math.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine(
      resolved->target->createTargetMachine(
          resolved->triple, resolved->cpu, resolved->features, options,
          llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return sink.error(DiagKind::BackendBadTarget, SourceSpan{spec.file},
                      "target '" + spec.name +
                          "': LLVM can't generate code for '" + spec.triple +
                          "'");
  return machine;
}

bool lh::isSystemFeature(StringRef feature) {
  static constexpr StringRef system[] = {
      "cldemote",  "clflushopt", "clwb",      "clzero", "enqcmd",  "fsgsbase",
      "hreset",    "invpcid",    "lwp",       "mwaitx", "pconfig", "pku",
      "prefetchi", "prfchw",     "ptwrite",   "rdpid",  "rdpru",   "rdrnd",
      "rdseed",    "rtm",        "serialize", "sgx",    "shstk",   "tsxldtrk",
      "uintr",     "waitpkg",    "wbnoinvd",  "xsave",  "xsavec",  "xsaveopt",
      "xsaves"};
  return llvm::is_contained(system, feature);
}

/// Of the features that `host` is known to lack, those that `machine` uses.
static std::string lackedFeatures(const llvm::TargetMachine &machine,
                                  const TargetSpec &spec, const HostFacts &host,
                                  ArrayRef<std::string> emulated) {
  std::vector<std::string> lacked;
  const llvm::MCSubtargetInfo &used = *machine.getMCSubtargetInfo();
  for (const std::string &name : host.absent) {
    bool asked = llvm::any_of(spec.features, [&](const std::string &text) {
      return withoutSign(text) == name;
    });
    if ((asked || !isSystemFeature(name)) &&
        !llvm::is_contained(emulated, name) && used.checkFeatures("+" + name))
      lacked.push_back("'" + name + "'");
  }
  return llvm::join(lacked, ", ");
}

/// Code for vectors of another length would compute garbage.
static std::string otherVectors(const TargetSpec &spec, const HostFacts &host) {
  VectorBits bits = declaredVectorBits(spec);
  int64_t own = host.scalableVectorBits;
  if (own == 0 || bits.most == 0 || bits.streaming ||
      (bits.least <= own && own <= bits.most))
    return "";
  return "this machine's scalable vectors have " + std::to_string(own) +
         " bits, the target's code is for " + textOf(bits);
}

std::string lh::missingOnHost(const TargetSpec &spec, const HostFacts &host,
                              ArrayRef<std::string> emulated) {
  CollectingSink problems;
  auto machine = makeTargetMachine(spec, host, problems);
  if (failed(machine))
    return problems.diagnostics().front().message;
  llvm::Triple hostTriple(host.triple);
  const llvm::Triple &triple = (*machine)->getTargetTriple();
  if (triple.getArch() != hostTriple.getArch() ||
      triple.getOS() != hostTriple.getOS())
    return ("it needs " + triple.getArchName() + "-" + triple.getOSName() +
            ", this machine is " + hostTriple.getArchName() + "-" +
            hostTriple.getOSName())
        .str();
  std::string lacked = lackedFeatures(**machine, spec, host, emulated);
  if (!lacked.empty())
    return "this CPU lacks " + lacked;
  return otherVectors(spec, host);
}
