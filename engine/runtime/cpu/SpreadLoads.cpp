// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are loaded and spread over scalable vectors.
#include "runtime/cpu/SpreadLoads.h"

#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>
#include <vector>

using namespace lh;

/// Numbers beyond the first that the instruction reaches.
static constexpr int64_t reach = 63;

namespace {
/// A load, and those after it that it reaches, by their distance in numbers.
struct Neighbours {
  llvm::LoadInst *first = nullptr;
  std::vector<std::pair<llvm::LoadInst *, int64_t>> others;
};
} // namespace

/// Whether `value` is put into every lane of a scalable vector.
static bool isSpread(const llvm::Value *value) {
  using namespace llvm::PatternMatch;
  for (const llvm::User *user : value->users()) {
    if (match(user, m_ExtractElt(m_Specific(value), m_ZeroInt())) &&
        isSpread(user))
      return true;
    if (!match(user, m_InsertElt(m_Value(), m_Specific(value), m_ZeroInt())) ||
        !llvm::isa<llvm::ScalableVectorType>(user->getType()))
      continue;
    for (const llvm::User *next : user->users())
      if (match(next, m_Shuffle(m_Specific(user), m_Value(), m_ZeroMask())))
        return true;
  }
  return false;
}

static std::vector<Neighbours> neighboursIn(llvm::BasicBlock &block,
                                            llvm::ScalarEvolution &evolution) {
  const llvm::DataLayout &layout = block.getModule()->getDataLayout();
  std::vector<Neighbours> all;
  auto join = [&](llvm::LoadInst &load) {
    llvm::Type *type = load.getType()->getScalarType();
    for (Neighbours &known : all) {
      std::optional<int64_t> distance = llvm::getPointersDiff(
          type, known.first->getPointerOperand(), type,
          load.getPointerOperand(), layout, evolution, /*StrictCheck=*/true);
      if (!distance || *distance < 0 || *distance > reach)
        continue;
      known.others.push_back({&load, *distance});
      return;
    }
    all.push_back({&load, {}});
  };
  for (llvm::Instruction &instruction : block)
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      if (load->isSimple() && isSpread(load))
        join(*load);
  return all;
}

/// The same pointer, of which nothing is known: an empty piece of assembly that
/// has it for input and output.
static llvm::Value *hidden(llvm::Value *pointer, llvm::IRBuilder<> &builder) {
  llvm::Type *type = pointer->getType();
  auto *form = llvm::FunctionType::get(type, {type}, false);
  return builder.CreateCall(
      llvm::InlineAsm::get(form, "", "=r,0", /*hasSideEffects=*/false),
      {pointer});
}

void lh::sharePointersOfSpreadLoads(llvm::Function &function,
                                    llvm::FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  std::vector<Neighbours> all;
  for (llvm::BasicBlock &block : function)
    for (Neighbours &each : neighboursIn(block, evolution))
      if (!each.others.empty())
        all.push_back(std::move(each));
  for (const Neighbours &each : all) {
    llvm::IRBuilder<> builder(each.first);
    llvm::Value *shared = hidden(each.first->getPointerOperand(), builder);
    each.first->setOperand(0, shared);
    for (auto [load, distance] : each.others) {
      builder.SetInsertPoint(load);
      load->setOperand(0, builder.CreateConstGEP1_64(
                              load->getType()->getScalarType(), shared,
                              static_cast<uint64_t>(distance)));
    }
  }
}
