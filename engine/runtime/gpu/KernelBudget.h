// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels use, against what they may.
#ifndef LH_RUNTIME_GPU_KERNELBUDGET_H
#define LH_RUNTIME_GPU_KERNELBUDGET_H

#include "runtime/gpu/Chip.h"
#include "runtime/gpu/DeviceTools.h"

#include <optional>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// What each kernel may use at most, and what the code must have: the module's
/// `lh.kernel_budget.*`, which `lib:gpu/kernel-budget` sets, and its
/// `lh.instructions`, which `lh-lay-out-products` does.
struct KernelBudget {
  std::optional<int64_t> registers, spills, sharedBytes;
  std::vector<std::string> instructions = {}; ///< "mma.sync"
  /// How many products were given to kernels with an instruction.
  std::vector<std::pair<std::string, int64_t>> products = {};

  bool hasLimits() const { return registers || spills || sharedBytes; }
};

/// Nothing when the module has none.
std::optional<KernelBudget> readKernelBudget(mlir::ModuleOp module);

/// What the assembler says that one kernel uses: of each thread, and of a
/// block's shared memory.
struct KernelUse {
  std::string name;
  int64_t registers = 0;
  /// Bytes on NVIDIA's GPUs, registers on AMD's; on Intel's, bytes of scratch
  /// memory of a hardware thread.
  int64_t spills = 0;
  int64_t sharedBytes = 0;
  /// It calls what the compiler has no code for, or can't inline.
  bool callsThroughStack = false;
};

/// From what `ptxas -v` says.
std::vector<KernelUse> usesInPtxasReport(StringRef report);
/// From the metadata in AMD's assembly.
std::vector<KernelUse> usesInAmdAssembly(StringRef assembly);

/// From what Intel's compiler writes beside its code (`.ze_info`).
std::vector<KernelUse> usesInZeInfo(StringRef info);

/// How many kernels in the chip's `assembly` have `instruction`; of Intel's,
/// in what their compiler says of them.
int64_t kernelsWith(StringRef instruction, StringRef assembly, Vendor vendor);

/// Says in a remark that nobody knows what the kernels use, and `why`.
void reportUnchecked(StringRef why, const SourceSpan &where,
                     DiagnosticSink &sink);

/// Checks the device's `assembly`. Reports every instruction that isn't there,
/// or in fewer kernels than products need it, and every kernel that uses more
/// than it may. Without ptxas, limits of NVIDIA's kernels aren't checked.
LogicalResult checkKernelBudget(const KernelBudget &budget, StringRef assembly,
                                const Chip &chip, const DeviceTools &tools,
                                const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_GPU_KERNELBUDGET_H
