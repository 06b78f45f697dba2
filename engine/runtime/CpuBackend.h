// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPUs: LLVM's code generator, and ORC on this machine's own architecture.
#ifndef LH_RUNTIME_CPUBACKEND_H
#define LH_RUNTIME_CPUBACKEND_H

#include "runtime/abi/Backend.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

std::unique_ptr<Backend> makeCpuBackend(HostFacts host);

} // namespace lh

#endif // LH_RUNTIME_CPUBACKEND_H
