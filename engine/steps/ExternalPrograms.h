// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs that plans start: whether they may, and starting them.
#ifndef LH_STEPS_EXTERNALPROGRAMS_H
#define LH_STEPS_EXTERNALPROGRAMS_H

#include "core/plan/Plan.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// Runs `words` with `input` on standard input; its standard output. A tool
/// that can't be found, ends with another code than 0, or dies is an error that
/// shows the end of its standard error.
FailureOr<std::string> runExternalCommand(ArrayRef<std::string> words,
                                          StringRef input,
                                          DiagnosticSink &sink);

/// Whether `step` starts a program that its manifest or its target names.
bool startsProgram(const Step &step, const HostFacts &host);

/// Whether the kernel's file lies in `kernels` of one of `libraries`.
bool isOfLibrary(const KernelSpec &kernel, ArrayRef<std::string> libraries);

/// Fails with a diagnostic for each command of `plan`, for each external
/// target, and for each emulator of a target and each kernel that a compiler is
/// started for, which are not of `libraries`: without --allow-exec only the
/// installed library chooses what is started.
LogicalResult refusePrograms(const Plan &plan, const HostFacts &host,
                             ArrayRef<std::string> libraries,
                             DiagnosticSink &sink);

} // namespace lh

#endif // LH_STEPS_EXTERNALPROGRAMS_H
