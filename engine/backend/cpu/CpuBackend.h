// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPUs: LLVM's code generator, and ORC on this machine's own architecture.
#ifndef LH_BACKEND_CPU_CPUBACKEND_H
#define LH_BACKEND_CPU_CPUBACKEND_H

#include "backend/Backend.h"
#include "backend/HostFacts.h"

namespace lh {

std::unique_ptr<Backend> makeCpuBackend(HostFacts host);

} // namespace lh

#endif // LH_BACKEND_CPU_CPUBACKEND_H
