// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a target's code runs on a machine of another architecture.
#ifndef LH_RUNTIME_EMULATED_EMULATION_H
#define LH_RUNTIME_EMULATED_EMULATION_H

#include "core/manifest/Manifest.h"
#include "runtime/abi/HostFacts.h"
#include "runtime/abi/VectorBits.h"

namespace lh {

/// Why the target's `emulator:` can't run code here: a tool is missing, with
/// the package that brings it. "" when it can.
std::string whyNotEmulated(const TargetSpec &target, const HostFacts &host);

/// The path of the runner for the target's architecture.
std::string runnerPath(const TargetSpec &target, const HostFacts &host);

/// Whether the target's code runs under its `emulator:` here, or by a runner
/// that stands in for instructions (`emulates:`). Machines of its own
/// architecture (`native_on:`) run it themselves or not at all.
bool isEmulated(const TargetSpec &target, const HostFacts &host);

/// Why the instructions of the target's code can't be counted here although it
/// can run. "" when they can.
std::string whyNotCounted(const TargetSpec &target, const HostFacts &host);

/// The path of the emulators' plugin that counts.
std::string countingPluginPath(const HostFacts &host);
bool isCountingPluginThere(const HostFacts &host);

/// The emulator's words for one point of the target's sweep. Fails with a
/// diagnostic in the target's file.
FailureOr<std::vector<std::string>>
emulatorWords(const TargetSpec &target,
              const std::map<std::string, Value> &sweepPoint,
              DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_EMULATED_EMULATION_H
