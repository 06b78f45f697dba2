// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the basic blocks of optimized code compute.
#ifndef LH_RUNTIME_CPU_ARITHMETICWEIGHTS_H
#define LH_RUNTIME_CPU_ARITHMETICWEIGHTS_H

#include "core/plan/ArithmeticCount.h"

#include <utility>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class TargetMachine;
} // namespace llvm

namespace lh {

/// What one run of each block of `function` computes; blocks without an
/// instruction are left out. One operation for each element of
/// - arithmetic, comparisons and functions of floats, and conversions to, from
///   and between them; two for multiply-adds, and two for each product of a dot
///   product's instruction;
/// - arithmetic on integers that are data (integersOfData()).
/// Moving, selecting and addressing data is no operation, and neither is what
/// lanes compute that nothing comes of (UsefulLanes). Vectors are those of the
/// optimized code, cut into registers as wide as `function` may use. Lane by
/// lane works what no instruction computes (exp, fmod, sums in order, integer
/// quotients; one operation each), and what has an operand that is put together
/// lane by lane. Instructions are those of the code too; moving a single lane
/// is none on vectors.
std::vector<std::pair<llvm::BasicBlock *, ArithmeticCount>>
weighBlocks(llvm::Function &function, const llvm::TargetMachine &machine);

} // namespace lh

#endif // LH_RUNTIME_CPU_ARITHMETICWEIGHTS_H
