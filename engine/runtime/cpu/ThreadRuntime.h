// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library that starts the threads of compiled code.
#ifndef LH_RUNTIME_CPU_THREADRUNTIME_H
#define LH_RUNTIME_CPU_THREADRUNTIME_H

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace lh {

/// Opens LLVM's OpenMP runtime, so that code can be linked to it. Starts no
/// thread: its first call does, and the process can be forked until then. Why
/// it can't be had; "" when it can.
std::string openThreadRuntime();

/// Whether the code shares loops between threads.
bool callsThreadRuntime(const llvm::Module &module);

} // namespace lh

#endif // LH_RUNTIME_CPU_THREADRUNTIME_H
