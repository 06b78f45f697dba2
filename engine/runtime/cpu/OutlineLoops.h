// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of very many loops, cut into functions.
#ifndef LH_RUNTIME_CPU_OUTLINELOOPS_H
#define LH_RUNTIME_CPU_OUTLINELOOPS_H

#include "llvm/IR/PassManager.h"

namespace lh {

/// Makes a function of each outermost loop where a function of `module` has
/// more than `most` of them, as a whole net's has. LLVM asks of each loop what
/// is known where it begins, and looks for that through all loops before it:
/// its time grows with the square of their number. Functions stay out of line.
/// Functions in a streaming mode are left alone, as their calls would change
/// it.
void outlineLoops(llvm::Module &module, llvm::FunctionAnalysisManager &analyses,
                  unsigned most = 48);

} // namespace lh

#endif // LH_RUNTIME_CPU_OUTLINELOOPS_H
