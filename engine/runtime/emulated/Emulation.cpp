// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a target's `run:` for machines that are not at hand.
#include "runtime/emulated/Emulation.h"

#include "core/graph/Evaluate.h"
#include "core/support/LlvmTools.h"
#include "core/support/Needs.h"
#include "runtime/cpu/TargetMachine.h"
#include "runtime/emulated/Linker.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace lh;

static Scope scopeOf(const std::map<std::string, Value> &facts,
                     const std::map<std::string, Value> &sweepPoint) {
  Scope scope;
  scope.target = &facts;
  scope.sweep = &sweepPoint;
  return scope;
}

/// Whether the runner stands in for instructions of this machine's own
/// architecture.
static bool standsIn(const TargetSpec &target) {
  return target.run.emulator.empty() && !target.run.emulates.empty();
}

std::string lh::runnerPath(const TargetSpec &target, const HostFacts &host) {
  bool isHosts = target.triple.empty() || target.triple == "host";
  llvm::Triple triple(
      llvm::Triple::normalize(isHosts ? host.triple : target.triple));
  return (host.programFolder + "/lh-runner-" + triple.getArchName()).str();
}

std::string lh::whyNotEmulated(const TargetSpec &target,
                               const HostFacts &host) {
  if (standsIn(target))
    if (std::string missing = missingOnHost(target, host, target.run.emulates);
        !missing.empty())
      return missing;
  if (std::string missing = missingNeed(target.run.needs); !missing.empty())
    return missing;
  if (findLinker().empty())
    return lacks("ld.lld", llvmName("lld"));
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
  bool hasEmulator =
      !target.run.emulator.empty() && target.run.nativeOn != host.arch;
  return (hasEmulator || standsIn(target)) &&
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
