// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows values through what only moves them.
#include "runtime/sim/AccumulatorUses.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

#include <set>

using namespace lh;

static bool onlyMoves(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::ExtractValueInst, llvm::InsertValueInst, llvm::PHINode,
                   llvm::SelectInst, llvm::FreezeInst>(instruction);
}

std::vector<llvm::Instruction *>
lh::findAccumulatorUses(llvm::CallBase &product, const SimProducts &products) {
  std::map<llvm::BasicBlock *, llvm::Instruction *> first;
  std::set<llvm::Instruction *> seen;
  std::vector<llvm::Instruction *> left = {&product};
  while (!left.empty()) {
    llvm::Instruction *value = left.back();
    left.pop_back();
    for (llvm::User *user : value->users()) {
      auto *use = llvm::cast<llvm::Instruction>(user);
      if (onlyMoves(*use)) {
        if (seen.insert(use).second)
          left.push_back(use);
        continue;
      }
      auto *call = llvm::dyn_cast<llvm::CallBase>(use);
      if (call && products.count(call))
        continue;
      llvm::Instruction *&earliest = first[use->getParent()];
      if (!earliest || use->comesBefore(earliest))
        earliest = use;
    }
  }
  std::vector<llvm::Instruction *> uses;
  for (const auto &[block, use] : first)
    uses.push_back(use);
  return uses;
}
