// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells integers that are data from those that say where data is.
#ifndef LH_RUNTIME_CPU_INTEGERDATA_H
#define LH_RUNTIME_CPU_INTEGERDATA_H

#include "llvm/ADT/DenseSet.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace lh {

/// The instructions whose integers are data: they reach memory as an element, a
/// conversion to a float, or a dot product, and reach neither an address, a
/// branch nor a mask. Followed through arithmetic, casts, selects, shuffles and
/// what loops carry, not through memory or calls. A comparison's result counts
/// where it is stored, not where it only selects. Single 64-bit integers that
/// are kept on the stack are sizes.
llvm::DenseSet<const llvm::Instruction *>
integersOfData(const llvm::Function &function);

} // namespace lh

#endif // LH_RUNTIME_CPU_INTEGERDATA_H
