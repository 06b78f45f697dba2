// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks before accesses, and budgets for loops.
#include "runtime/sim/Instrumentation.h"

#include "runtime/sim/Runtime.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <set>

using namespace lh;

static bool isOfInterest(const llvm::Instruction &instruction) {
  return instruction.mayReadOrWriteMemory() ||
         llvm::isa<llvm::CallBase>(instruction) || instruction.isTerminator();
}

static std::string textOf(const llvm::Instruction &instruction,
                          llvm::ModuleSlotTracker &slots) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  instruction.print(stream, slots);
  // Numbers of attributes and metadata tell a reader nothing.
  StringRef line = StringRef(text).trim();
  line = line.substr(0, line.find(" #"));
  line = line.substr(0, line.find(", !"));
  constexpr size_t longest = 240;
  return line.size() > longest ? line.substr(0, longest).str() + "..."
                               : line.str();
}

static std::string placeOf(const llvm::Instruction &instruction) {
  const llvm::DebugLoc &at = instruction.getDebugLoc();
  if (!at || !at->getLine())
    return "";
  return (at->getFilename() + ":" + Twine(at->getLine()) + ":" +
          Twine(at->getColumn()))
      .str();
}

SimSiteTexts::SimSiteTexts(const llvm::Module &module) {
  llvm::ModuleSlotTracker slots(&module, /*ShouldInitializeAllMetadata=*/false);
  uint64_t order = 0;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    slots.incorporateFunction(function);
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (isOfInterest(instruction))
        entries[&instruction] = {textOf(instruction, slots),
                                 placeOf(instruction), ++order};
  }
}

SimSite SimSiteTexts::describe(const llvm::Instruction &instruction) const {
  SimSite site;
  auto found = entries.find(&instruction);
  if (found == entries.end())
    return site;
  site.text = found->second.text;
  site.where = found->second.where;
  site.order = found->second.order;
  return site;
}

/// The site's address as a constant of the code.
static llvm::Value *addressOf(const SimSite &site, llvm::IRBuilder<> &builder) {
  return llvm::ConstantExpr::getIntToPtr(
      builder.getInt64(reinterpret_cast<uint64_t>(&site)), builder.getPtrTy());
}

static llvm::Value *plainPointer(llvm::Value *pointer,
                                 llvm::IRBuilder<> &builder) {
  return builder.CreateAddrSpaceCast(pointer, builder.getPtrTy());
}

namespace {
/// One access that is to be checked.
struct Access {
  llvm::Instruction *instruction;
  llvm::Value *pointer;
  llvm::Type *type;
  llvm::Align alignment;
  bool writes, atomic;
};
} // namespace

static std::optional<Access> accessOf(llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return Access{
        load,  load->getPointerOperand(), load->getType(), load->getAlign(),
        false, load->isAtomic()};
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return Access{store,
                  store->getPointerOperand(),
                  store->getValueOperand()->getType(),
                  store->getAlign(),
                  true,
                  store->isAtomic()};
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return Access{update,
                  update->getPointerOperand(),
                  update->getType(),
                  update->getAlign(),
                  true,
                  true};
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return Access{swap,
                  swap->getPointerOperand(),
                  swap->getCompareOperand()->getType(),
                  swap->getAlign(),
                  true,
                  true};
  return std::nullopt;
}

static bool isThreadsOwn(const llvm::Value *pointer) {
  return llvm::isa<llvm::AllocaInst>(
      llvm::getUnderlyingObject(pointer, /*MaxLookup=*/32));
}

static void checkAccess(const Access &access, const SimSiteTexts &texts,
                        SimSites &sites, llvm::FunctionCallee check) {
  const llvm::DataLayout &layout = access.instruction->getDataLayout();
  SimSite &site = sites.sites.emplace_back(texts.describe(*access.instruction));
  site.bytes = static_cast<uint32_t>(
      layout.getTypeStoreSize(access.type).getFixedValue());
  site.alignment = static_cast<uint32_t>(access.alignment.value());
  site.writes = access.writes;
  site.atomic = access.atomic;
  llvm::IRBuilder<> builder(access.instruction);
  builder.CreateCall(
      check, {addressOf(site, builder), plainPointer(access.pointer, builder)});
}

/// Bit i of the result: the mask's lane i.
static llvm::Value *maskBits(llvm::Value *mask, llvm::IRBuilder<> &builder) {
  unsigned lanes =
      llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  return builder.CreateZExtOrTrunc(
      builder.CreateBitCast(mask, builder.getIntNTy(lanes)),
      builder.getInt64Ty());
}

namespace {
/// A masked load, store, gather or scatter.
struct MaskedAccess {
  llvm::IntrinsicInst *instruction;
  llvm::Value *pointers, *mask;
  llvm::Type *element;
  llvm::Align alignment;
  bool writes;
};
} // namespace

static std::optional<MaskedAccess>
maskedAccessOf(llvm::Instruction &candidate) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&candidate);
  if (!call)
    return std::nullopt;
  auto access = [&](unsigned pointer, llvm::Type *type, bool writes) {
    return MaskedAccess{call,
                        call->getArgOperand(pointer),
                        call->getArgOperand(pointer + 1),
                        type->getScalarType(),
                        call->getParamAlign(pointer).valueOrOne(),
                        writes};
  };
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_gather:
    return access(0, call->getType(), false);
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::masked_scatter:
    return access(1, call->getArgOperand(0)->getType(), true);
  default:
    return std::nullopt;
  }
}

static void checkMasked(const MaskedAccess &access, const SimSiteTexts &texts,
                        SimSites &sites, llvm::FunctionCallee check) {
  const llvm::DataLayout &layout = access.instruction->getDataLayout();
  SimSite &site = sites.sites.emplace_back(texts.describe(*access.instruction));
  site.bytes = static_cast<uint32_t>(
      layout.getTypeStoreSize(access.element).getFixedValue());
  // Each element is accessed by itself.
  site.alignment = static_cast<uint32_t>(
      std::min<uint64_t>(access.alignment.value(), site.bytes & -site.bytes));
  site.writes = access.writes;
  llvm::IRBuilder<> builder(access.instruction);
  auto emit = [&](llvm::Value *pointer, llvm::Value *bits) {
    builder.CreateCall(check, {addressOf(site, builder),
                               plainPointer(pointer, builder), bits});
  };
  auto *many =
      llvm::dyn_cast<llvm::FixedVectorType>(access.pointers->getType());
  if (!many)
    return emit(access.pointers, maskBits(access.mask, builder));
  for (unsigned i = 0; i < many->getNumElements(); ++i)
    emit(builder.CreateExtractElement(access.pointers, i),
         builder.CreateZExt(builder.CreateExtractElement(access.mask, i),
                            builder.getInt64Ty()));
}

static void checkRanges(llvm::MemIntrinsic &copy, const SimSiteTexts &texts,
                        SimSites &sites, llvm::FunctionCallee check) {
  SimSite &site = sites.sites.emplace_back(texts.describe(copy));
  llvm::IRBuilder<> builder(&copy);
  llvm::Value *bytes =
      builder.CreateZExtOrTrunc(copy.getLength(), builder.getInt64Ty());
  auto call = [&](llvm::Value *pointer, bool writes) {
    if (!isThreadsOwn(pointer))
      builder.CreateCall(check, {addressOf(site, builder),
                                 plainPointer(pointer, builder), bytes,
                                 builder.getInt1(writes)});
  };
  if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy))
    call(transfer->getRawSource(), false);
  call(copy.getRawDest(), true);
}

void lh::instrumentAccesses(llvm::Module &module, const SimSiteTexts &texts,
                            SimSites &sites) {
  llvm::IRBuilder<> types(module.getContext());
  llvm::Type *pointer = types.getPtrTy();
  llvm::FunctionCallee one = module.getOrInsertFunction(
      simAccessName, types.getVoidTy(), pointer, pointer);
  llvm::FunctionCallee range = module.getOrInsertFunction(
      simRangeName, types.getVoidTy(), pointer, pointer, types.getInt64Ty(),
      types.getInt1Ty());
  llvm::FunctionCallee masked = module.getOrInsertFunction(
      simMaskedName, types.getVoidTy(), pointer, pointer, types.getInt64Ty());
  for (llvm::Function &function : module) {
    std::vector<Access> accesses;
    std::vector<MaskedAccess> maskedAccesses;
    std::vector<llvm::MemIntrinsic *> copies;
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      std::optional<Access> access = accessOf(instruction);
      if (access && !isThreadsOwn(access->pointer))
        accesses.push_back(*access);
      if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
        copies.push_back(copy);
      if (auto partial = maskedAccessOf(instruction))
        maskedAccesses.push_back(*partial);
    }
    for (const Access &access : accesses)
      checkAccess(access, texts, sites, one);
    for (const MaskedAccess &access : maskedAccesses)
      checkMasked(access, texts, sites, masked);
    for (llvm::MemIntrinsic *copy : copies)
      checkRanges(*copy, texts, sites, range);
  }
}

static void countTurns(llvm::BasicBlock &header, llvm::Value *fuel,
                       const SimSite &site, llvm::FunctionCallee starved) {
  llvm::IRBuilder<> builder(&*header.getFirstInsertionPt());
  llvm::Type *type = builder.getInt64Ty();
  llvm::Value *left =
      builder.CreateSub(builder.CreateLoad(type, fuel), builder.getInt64(1));
  builder.CreateStore(left, fuel);
  llvm::Value *empty =
      builder.CreateICmpSLT(left, llvm::ConstantInt::get(type, 0));
  llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(
      empty, builder.GetInsertPoint(), /*Unreachable=*/false);
  builder.SetInsertPoint(then);
  builder.CreateCall(starved, {addressOf(site, builder)});
}

void lh::instrumentLoops(llvm::Module &module, const SimSiteTexts &texts,
                         SimSites &sites) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  llvm::FunctionCallee fuel = module.getOrInsertFunction(simFuelName, pointer);
  llvm::FunctionCallee starved =
      module.getOrInsertFunction(simStarvedName, builder.getVoidTy(), pointer);
  for (llvm::Function &function : module) {
    llvm::SmallVector<
        std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>>
        edges;
    if (!function.isDeclaration())
      llvm::FindFunctionBackedges(function, edges);
    if (edges.empty())
      continue;
    builder.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
    llvm::Value *left = builder.CreateCall(fuel);
    std::set<const llvm::BasicBlock *> done;
    for (auto [from, to] : edges) {
      if (!done.insert(to).second)
        continue;
      const SimSite &site =
          sites.sites.emplace_back(texts.describe(*from->getTerminator()));
      countTurns(const_cast<llvm::BasicBlock &>(*to), left, site, starved);
    }
  }
}
