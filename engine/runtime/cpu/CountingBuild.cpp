// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds counters to code, and reads them.
#include "runtime/cpu/CountingBuild.h"

#include "core/support/Diagnostic.h"
#include "runtime/cpu/ArithmeticWeights.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <sstream>

using namespace lh;

// The text: a line for each counter, with the numbers of an ArithmeticCount; or
// two colons and a name, for calls of unknown code.

namespace {
class CounterBuilder {
public:
  CounterBuilder(llvm::Module &module, const llvm::TargetMachine &machine)
      : module(module), machine(machine), builder(module.getContext()),
        counters(new llvm::GlobalVariable(
            module, builder.getInt64Ty(), /*isConstant=*/false,
            llvm::GlobalValue::ExternalLinkage, nullptr)) {}

  void addTo(llvm::Function &function);
  /// The counters and their text; afterwards nothing can be added.
  void finish();

private:
  void count(llvm::Value *counters, uint64_t index, llvm::BasicBlock &block,
             uint64_t by);
  llvm::Function &adder();
  llvm::Value *elementOf(llvm::Value *array, llvm::Value *index) {
    return builder.CreateInBoundsGEP(builder.getInt64Ty(), array, index);
  }

  llvm::Module &module;
  const llvm::TargetMachine &machine;
  llvm::IRBuilder<> builder;
  llvm::GlobalVariable *counters; ///< stands for them until all are known
  llvm::Function *addition = nullptr;
  std::vector<std::string> lines;
};
} // namespace

static std::string lineOf(const ArithmeticCount &count) {
  std::ostringstream line;
  line.precision(17);
  for (double number : {count.operations, count.vectorised, count.instructions,
                        count.vectorInstructions})
    line << number << ' ';
  return line.str();
}

/// Adds a call's counters to those of all calls: (from, to, how many).
llvm::Function &CounterBuilder::adder() {
  if (addition)
    return *addition;
  llvm::Type *pointer = builder.getPtrTy(), *number = builder.getInt64Ty();
  addition = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, number},
                              false),
      llvm::GlobalValue::InternalLinkage, "lh.add_counters", module);
  llvm::LLVMContext &context = module.getContext();
  auto *entry = llvm::BasicBlock::Create(context, "", addition);
  auto *loop = llvm::BasicBlock::Create(context, "", addition);
  auto *end = llvm::BasicBlock::Create(context, "", addition);
  builder.SetInsertPoint(entry);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode *index = builder.CreatePHI(number, 2);
  llvm::Value *from =
      builder.CreateLoad(number, elementOf(addition->getArg(0), index));
  builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add,
                          elementOf(addition->getArg(1), index), from,
                          llvm::Align(8), llvm::AtomicOrdering::Monotonic);
  llvm::Value *next = builder.CreateAdd(index, builder.getInt64(1));
  index->addIncoming(builder.getInt64(0), entry);
  index->addIncoming(next, loop);
  builder.CreateCondBr(builder.CreateICmpULT(next, addition->getArg(2)), loop,
                       end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  return *addition;
}

void CounterBuilder::count(llvm::Value *array, uint64_t index,
                           llvm::BasicBlock &block, uint64_t by) {
  builder.SetInsertPoint(&block, block.getTerminator()->getIterator());
  llvm::Value *place = elementOf(array, builder.getInt64(index));
  builder.CreateStore(
      builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), place),
                        builder.getInt64(by)),
      place);
}

void CounterBuilder::addTo(llvm::Function &function) {
  auto weights = weighBlocks(function, machine);
  if (weights.empty())
    return;
  struct Counted {
    llvm::BasicBlock *block;
    uint64_t by;
  };
  uint64_t first = lines.size();
  std::vector<Counted> counted;
  for (const auto &[block, weight] : weights) {
    if (weight.instructions > 0) {
      counted.push_back({block, 1});
      lines.push_back(lineOf(weight));
    }
    for (const auto &[name, calls] : weight.unknownCalls) {
      counted.push_back({block, calls});
      lines.push_back("::" + name);
    }
  }
  // It writes now.
  function.setMemoryEffects(llvm::MemoryEffects::unknown());
  llvm::BasicBlock &entry = function.getEntryBlock();
  builder.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  auto *type = llvm::ArrayType::get(builder.getInt64Ty(), counted.size());
  llvm::Value *own = builder.CreateAlloca(type);
  builder.CreateMemSet(own, builder.getInt8(0), 8 * counted.size(),
                       llvm::Align(8));
  for (const auto &[index, each] : llvm::enumerate(counted))
    count(own, index, *each.block, each.by);
  llvm::Function &add = adder();
  for (llvm::BasicBlock &block : function) {
    if (!llvm::isa<llvm::ReturnInst>(block.getTerminator()))
      continue;
    builder.SetInsertPoint(block.getTerminator());
    builder.CreateCall(&add, {own, elementOf(counters, builder.getInt64(first)),
                              builder.getInt64(counted.size())});
  }
}

void CounterBuilder::finish() {
  auto *type = llvm::ArrayType::get(builder.getInt64Ty(), lines.size());
  auto *all = new llvm::GlobalVariable(
      module, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
      llvm::ConstantAggregateZero::get(type), countersName);
  counters->replaceAllUsesWith(all);
  counters->eraseFromParent();
  llvm::Constant *text = llvm::ConstantDataArray::getString(
      module.getContext(), llvm::join(lines, "\n"));
  new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, text,
                           countedName);
}

void lh::addCounters(llvm::Module &module, const llvm::TargetMachine &machine) {
  CounterBuilder counters(module, machine);
  std::vector<llvm::Function *> functions;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      functions.push_back(&function);
  for (llvm::Function *function : functions)
    counters.addTo(*function);
  counters.finish();
}

ArithmeticCount lh::countedArithmetic(const uint64_t *counters,
                                      const char *text) {
  ArithmeticCount total;
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (auto [line, runs] : llvm::zip(lines, ArrayRef(counters, lines.size()))) {
    if (line.consume_front("::")) {
      if (runs > 0)
        total.unknownCalls[line.str()] += runs;
      continue;
    }
    for (double *sum : {&total.operations, &total.vectorised,
                        &total.instructions, &total.vectorInstructions}) {
      auto [number, rest] = line.split(' ');
      double once = 0;
      number.getAsDouble(once);
      *sum += once * static_cast<double>(runs);
      line = rest;
    }
  }
  return total;
}
