// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets whose code a program of theirs makes, and another one runs.
#ifndef LH_RUNTIME_EXTERNAL_EXTERNALBACKEND_H
#define LH_RUNTIME_EXTERNAL_EXTERNALBACKEND_H

#include "runtime/abi/Backend.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// `allowsExec`: whether it may start these programs, which can do anything.
std::unique_ptr<Backend> makeExternalBackend(const HostFacts &host,
                                             bool allowsExec);

} // namespace lh

#endif // LH_RUNTIME_EXTERNAL_EXTERNALBACKEND_H
