// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a target's `run:` for machines that are not at hand.
#include "backend/runner/Emulation.h"

#include "backend/cpu/TargetMachine.h"
#include "backend/runner/Linker.h"
#include "core/graph/Evaluate.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Triple.h"

using namespace lh;

static Scope scopeOf(const std::map<std::string, Value> &facts,
                     const std::map<std::string, Value> &sweepPoint) {
  Scope scope;
  scope.target = &facts;
  scope.sweep = &sweepPoint;
  return scope;
}

static bool isThere(const std::string &need) {
  if (StringRef(need).contains('/'))
    return llvm::sys::fs::exists(need);
  return static_cast<bool>(llvm::sys::findProgramByName(need));
}

static std::string lacks(StringRef tool, StringRef package) {
  return ("there is no '" + tool + "' here; package " + package + " brings it")
      .str();
}

std::string lh::runnerPath(const TargetSpec &target, const HostFacts &host) {
  llvm::Triple triple(llvm::Triple::normalize(target.triple));
  return (host.programFolder + "/lh-runner-" + triple.getArchName()).str();
}

std::string lh::whyNotEmulated(const TargetSpec &target,
                               const HostFacts &host) {
  for (const auto &[package, need] : target.run.needs)
    if (!isThere(need))
      return lacks(need, package);
  if (findLinker().empty())
    return lacks("ld.lld", "lld-" + std::to_string(LLVM_VERSION_MAJOR));
  std::string runner = runnerPath(target, host);
  if (!llvm::sys::fs::can_execute(runner))
    return "there is no '" + runner +
           "'; it is built where there is a C compiler for that architecture "
           "(package gcc-" +
           llvm::Triple(target.triple).getArchName().str() + "-linux-gnu)";
  if (threadsOf(target) > 1)
    return "emulated code runs in one thread, and the fact 'threads' is " +
           std::to_string(threadsOf(target));
  return "";
}

std::string lh::countingPluginPath(const HostFacts &host) {
  return host.programFolder + "/lh-block-counts.so";
}

bool lh::isEmulated(const TargetSpec &target, const HostFacts &host) {
  return !target.run.emulator.empty() && target.run.nativeOn != host.arch &&
         !missingOnHost(target, host).empty();
}

bool lh::isCountingPluginThere(const HostFacts &host) {
  return llvm::sys::fs::exists(countingPluginPath(host));
}

/// The first word of the emulator's command, without its folder.
static StringRef emulatorName(const TargetSpec &target) {
  if (target.run.emulator.empty() || !target.run.emulator.front().isLiteral())
    return "";
  const auto *word = std::get_if<std::string>(
      &std::get<Value>(target.run.emulator.front().pieces.front()));
  return word ? llvm::sys::path::filename(*word) : "";
}

std::string lh::whyNotCounted(const TargetSpec &target, const HostFacts &host) {
  if (!isEmulated(target, host))
    return "its code runs on this machine itself, and instructions are counted "
           "under an emulator";
  if (!emulatorName(target).starts_with("qemu-"))
    return "its emulator is not QEMU's, which counts";
  if (!isCountingPluginThere(host))
    return "there is no '" + countingPluginPath(host) +
           "', with which the emulator counts instructions; it is built and "
           "installed with lh-run";
  return "";
}

FailureOr<std::vector<std::string>>
lh::emulatorWords(const TargetSpec &target,
                  const std::map<std::string, Value> &sweepPoint,
                  DiagnosticSink &sink) {
  std::map<std::string, Value> facts = factValues(target);
  std::vector<std::string> words;
  for (const Expression &word : target.run.emulator) {
    FailureOr<std::string> text =
        evaluateText(word, scopeOf(facts, sweepPoint), sink);
    if (failed(text))
      return failure();
    words.push_back(std::move(*text));
  }
  return words;
}

/// Bits of a vector register when `vscale` is 1.
static int64_t granule(const TargetSpec &target) {
  return llvm::Triple(target.triple).isRISCV() ? 64 : 128;
}

/// Outer products have scalable vectors in streaming mode alone.
static bool streams(const TargetSpec &target) {
  auto fact = target.facts.find("outer_products");
  if (fact == target.facts.end())
    return false;
  const bool *flag = std::get_if<bool>(&fact->second.value);
  return flag && *flag;
}

std::string lh::textOf(const VectorBits &bits) {
  std::string least = std::to_string(bits.least);
  return bits.least == bits.most ? least
                                 : least + " to " + std::to_string(bits.most);
}

VectorBits lh::declaredVectorBits(const TargetSpec &target) {
  auto fact = target.facts.find("vscale_range");
  if (fact == target.facts.end())
    return {};
  const auto *range = std::get_if<std::vector<int64_t>>(&fact->second.value);
  if (!range || range->size() != 2)
    return {};
  return {range->front() * granule(target), range->back() * granule(target),
          streams(target)};
}

FailureOr<VectorBits>
lh::wantedVectorBits(const TargetSpec &target,
                     const std::map<std::string, Value> &sweepPoint,
                     DiagnosticSink &sink) {
  if (!target.run.vectorBytes)
    return declaredVectorBits(target);
  std::map<std::string, Value> facts = factValues(target);
  FailureOr<Value> bytes =
      evaluate(*target.run.vectorBytes, scopeOf(facts, sweepPoint), sink);
  if (failed(bytes))
    return failure();
  const auto *number = std::get_if<int64_t>(&*bytes);
  if (!number)
    return sink.error(DiagKind::BackendBadTarget, target.run.vectorBytes->where,
                      "target '" + target.name +
                          "': 'vector_bytes' is not a number");
  return VectorBits{*number * 8, *number * 8, streams(target)};
}
