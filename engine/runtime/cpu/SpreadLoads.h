// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are loaded and spread over scalable vectors.
#ifndef LH_RUNTIME_CPU_SPREADLOADS_H
#define LH_RUNTIME_CPU_SPREADLOADS_H

#include "llvm/IR/PassManager.h"

namespace lh {

/// Gives such loads addresses that AArch64's instruction for them (ld1rw and
/// its kin) reaches. LLVM 22 takes them for loads of scalars, which reach
/// further, addresses the rows of a matrix by one pointer and adds the rest
/// for each load anew. Here loads of one block that are within reach of each
/// other share a pointer that is hidden from such thoughts.
void sharePointersOfSpreadLoads(llvm::Function &function,
                                llvm::FunctionAnalysisManager &analyses);

} // namespace lh

#endif // LH_RUNTIME_CPU_SPREADLOADS_H
