// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPUs: LLVM's code generator, and ORC on this machine's own architecture.
#ifndef LH_RUNTIME_CPUBACKEND_H
#define LH_RUNTIME_CPUBACKEND_H

#include "runtime/abi/Backend.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// `loadsLibraries`: whether code that calls kernels in shared libraries may be
/// loaded; they can do anything.
std::unique_ptr<Backend> makeCpuBackend(HostFacts host,
                                        bool loadsLibraries = false);

} // namespace lh

#endif // LH_RUNTIME_CPUBACKEND_H
