// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where code uses what an asynchronous product makes.
#ifndef LH_RUNTIME_SIM_ACCUMULATORUSES_H
#define LH_RUNTIME_SIM_ACCUMULATORUSES_H

#include <map>
#include <vector>

namespace llvm {
class CallBase;
class Instruction;
} // namespace llvm

namespace lh {

struct SimSite;
/// The calls of wgmma.mma_async, with their sites.
using SimProducts = std::map<llvm::CallBase *, SimSite *>;

/// The first instruction of each basic block that uses a result of `product`
/// for something else than to hand it on or to give it to another product.
std::vector<llvm::Instruction *>
findAccumulatorUses(llvm::CallBase &product, const SimProducts &products);

} // namespace lh

#endif // LH_RUNTIME_SIM_ACCUMULATORUSES_H
