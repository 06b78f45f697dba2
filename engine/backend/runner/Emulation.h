// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a target's code runs on a machine of another architecture.
#ifndef LH_BACKEND_RUNNER_EMULATION_H
#define LH_BACKEND_RUNNER_EMULATION_H

#include "backend/HostFacts.h"
#include "core/manifest/Manifest.h"

namespace lh {

/// Why the target's `emulator:` can't run code here: a tool is missing, with
/// the package that brings it. "" when it can.
std::string whyNotEmulated(const TargetSpec &target, const HostFacts &host);

/// The path of the runner for the target's architecture.
std::string runnerPath(const TargetSpec &target, const HostFacts &host);

/// Whether the target's code runs under its `emulator:` here. Machines of its
/// own architecture (`native_on:`) run it themselves or not at all.
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

/// Lengths of scalable vectors in bits; {0, 0}: the code has none.
struct VectorBits {
  int64_t least = 0, most = 0;
  bool streaming = false; ///< whether they are those of streaming mode (SME)
};

/// "256", or "128 to 2048".
std::string textOf(const VectorBits &bits);

/// What the target's code is for, by its fact `vscale_range`.
VectorBits declaredVectorBits(const TargetSpec &target);

/// What the machine must have at one point of the sweep: `run.vector_bytes`.
FailureOr<VectorBits>
wantedVectorBits(const TargetSpec &target,
                 const std::map<std::string, Value> &sweepPoint,
                 DiagnosticSink &sink);

} // namespace lh

#endif // LH_BACKEND_RUNNER_EMULATION_H
