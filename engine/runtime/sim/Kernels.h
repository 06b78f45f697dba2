// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of a module, and where their shared variables lie.
#ifndef LH_RUNTIME_SIM_KERNELS_H
#define LH_RUNTIME_SIM_KERNELS_H

#include "runtime/sim/Chip.h"
#include "runtime/sim/Launch.h"

#include <map>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace lh {

/// Offsets of shared variables in the block's window.
using SimSharedOffsets = std::map<llvm::GlobalVariable *, uint64_t>;

struct SimKernels {
  std::vector<SimKernel> kernels;
  SimSharedOffsets offsets;
};

/// All kernels that `module` defines. Static variables come first, in order and
/// apart from each other where there is room; then dynamic shared memory.
/// Fails on more static shared memory than the chip has.
FailureOr<SimKernels> collectKernels(llvm::Module &module, const SimChip &chip,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink);

/// Shared variables become offsets from the block's window.
void placeSharedMemory(llvm::Module &module, const SimSharedOffsets &offsets);

/// Each kernel gets a function that calls it with its arguments, read from
/// their addresses.
void addKernelEntries(llvm::Module &module);

/// Its name.
std::string kernelEntryName(StringRef kernel);

bool isKernel(const llvm::Function &function);

} // namespace lh

#endif // LH_RUNTIME_SIM_KERNELS_H
