// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target description as LLVM's TargetMachine, and what the host lacks for it.
#ifndef LH_RUNTIME_CPU_TARGETMACHINE_H
#define LH_RUNTIME_CPU_TARGETMACHINE_H

#include "core/manifest/Manifest.h"
#include "runtime/abi/HostFacts.h"

#include <memory>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace lh {

/// All of LLVM's that this build has; again does nothing.
void initializeTargets();

/// `cpu: host` (or `native`) takes the host's name and features; `features:`
/// are added, each with an optional '+' or '-'. Fails with a diagnostic in the
/// target's file on a triple, cpu or feature that LLVM doesn't know.
FailureOr<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(const TargetSpec &target, const HostFacts &host,
                  DiagnosticSink &sink);

/// Features for operating systems, which no generated code depends on. Virtual
/// machines hide them from CPUs whose name implies them.
bool isSystemFeature(StringRef feature);

/// Why code for `target` can't run on this machine: another architecture, or
/// CPU features that the host lacks, but for those in `emulated`. Empty: it
/// can.
std::string missingOnHost(const TargetSpec &target, const HostFacts &host,
                          ArrayRef<std::string> emulated = {});

} // namespace lh

#endif // LH_RUNTIME_CPU_TARGETMACHINE_H
