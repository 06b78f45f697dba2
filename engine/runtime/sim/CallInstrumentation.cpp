// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of intrinsics, inline assembly and a vendor's library.
#include "runtime/sim/Instrumentation.h"

#include "runtime/sim/AccumulatorUses.h"
#include "runtime/sim/LibraryFunctions.h"
#include "runtime/sim/Runtime.h"
#include "runtime/sim/Wgmma.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <set>

using namespace lh;

/// Intrinsics that the host's code generator turns into calls of functions
/// that no host has, or that only matter on a GPU.
static bool isDropped(StringRef name) {
  static constexpr StringRef prefixes[] = {
      "llvm.lifetime.",  "llvm.assume", "llvm.experimental.noalias",
      "llvm.invariant.", "llvm.dbg.",   "llvm.donothing",
      "llvm.sideeffect"};
  return llvm::any_of(
      prefixes, [&](StringRef prefix) { return name.starts_with(prefix); });
}

/// What a call names that isn't in the module; nothing where the host's code
/// generator knows what to do.
static std::optional<SimOperationName> foreignName(const llvm::CallBase &call) {
  if (call.isInlineAsm()) {
    const auto *text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
    return SimOperationName{StringRef(text->getAsmString()).str(),
                            StringRef(text->getConstraintString()).str(), true};
  }
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return std::nullopt;
  StringRef name = callee->getName();
  bool vendors = name.starts_with("llvm.nvvm.") ||
                 name.starts_with("llvm.amdgcn.") ||
                 name.starts_with("llvm.r600.") || name == "llvm.trap" ||
                 name == "llvm.debugtrap";
  if (callee->isIntrinsic() && !vendors)
    return std::nullopt;
  if (name.starts_with("lh_sim_"))
    return std::nullopt;
  return SimOperationName{name.str(), "", false};
}

namespace {
/// Lays out arguments and results in the frames of calls, one per function.
class CallRewriter {
public:
  CallRewriter(llvm::Module &module, SimSites &sites)
      : sites(sites), layout(module.getDataLayout()),
        types(module.getContext()) {
    perform = module.getOrInsertFunction(simOperationName, types.getVoidTy(),
                                         types.getPtrTy(), types.getPtrTy());
  }

  /// `call` becomes one of the simulation, for `site`.
  void rewrite(llvm::CallBase &call, SimSite &site) {
    site.hasResult = !call.getType()->isVoidTy();
    llvm::SmallVector<llvm::Value *, 16> arguments(call.args());
    llvm::Value *frame = emit(call, site, arguments);
    llvm::IRBuilder<> builder(&call);
    replace(call, frame, site.result, builder);
  }

  /// Before `instruction`, does what `site` says with these arguments.
  llvm::Value *emit(llvm::Instruction &instruction, SimSite &site,
                    ArrayRef<llvm::Value *> arguments) {
    llvm::Value *frame = frameOf(*instruction.getFunction());
    llvm::IRBuilder<> builder(&instruction);
    uint64_t used = 0;
    site.arguments.clear();
    for (llvm::Value *argument : arguments) {
      site.arguments.push_back(static_cast<uint32_t>(used));
      builder.CreateAlignedStore(
          widened(argument, builder),
          builder.CreateConstGEP1_64(types.getInt8Ty(), frame, used),
          llvm::Align(8));
      used += room(argument->getType());
    }
    site.result = static_cast<uint32_t>(used);
    grow(*instruction.getFunction(), used);
    builder.CreateCall(perform, {addressOf(site), frame});
    return frame;
  }

  llvm::Value *addressOf(const SimSite &site) {
    return llvm::ConstantExpr::getIntToPtr(
        types.getInt64(reinterpret_cast<uint64_t>(&site)), types.getPtrTy());
  }

private:
  /// Integers fill their place: addresses may come in 32 bits.
  llvm::Value *widened(llvm::Value *value, llvm::IRBuilder<> &builder) {
    bool narrow = value->getType()->isIntegerTy() &&
                  value->getType()->getIntegerBitWidth() < 64;
    return narrow ? builder.CreateZExt(value, builder.getInt64Ty()) : value;
  }

  uint64_t room(llvm::Type *type) const {
    return (layout.getTypeAllocSize(type).getFixedValue() + 7) & ~uint64_t(7);
  }

  void replace(llvm::CallBase &call, llvm::Value *frame, uint64_t at,
               llvm::IRBuilder<> &builder) {
    uint64_t used = at;
    if (!call.getType()->isVoidTy()) {
      takeElements(call, frame, at, builder);
      if (!call.use_empty())
        call.replaceAllUsesWith(
            loadFrom(frame, at, call.getType(), llvm::Align(8), builder));
      used += room(call.getType());
    }
    grow(*call.getFunction(), used);
    if (auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&call))
      builder.CreateBr(invoke->getNormalDest());
    call.eraseFromParent();
  }

  llvm::Value *loadFrom(llvm::Value *frame, uint64_t at, llvm::Type *type,
                        llvm::Align alignment, llvm::IRBuilder<> &builder) {
    return builder.CreateAlignedLoad(
        type, builder.CreateConstGEP1_64(types.getInt8Ty(), frame, at),
        alignment);
  }

  /// Results of many elements are loaded one by one: a load of them all takes
  /// the code generator long.
  void takeElements(llvm::CallBase &call, llvm::Value *frame, uint64_t at,
                    llvm::IRBuilder<> &builder) {
    auto *type = llvm::dyn_cast<llvm::StructType>(call.getType());
    if (!type)
      return;
    const llvm::StructLayout &places = *layout.getStructLayout(type);
    std::map<unsigned, llvm::Value *> elements;
    for (llvm::User *user : llvm::make_early_inc_range(call.users())) {
      auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(user);
      if (!extract || extract->getNumIndices() != 1)
        continue;
      unsigned index = *extract->idx_begin();
      llvm::Value *&element = elements[index];
      if (!element)
        element = loadFrom(frame, at + places.getElementOffset(index),
                           extract->getType(), llvm::Align(1), builder);
      extract->replaceAllUsesWith(element);
      extract->eraseFromParent();
    }
  }

  llvm::Value *frameOf(llvm::Function &function) {
    llvm::AllocaInst *&frame = frames[&function];
    if (!frame) {
      llvm::IRBuilder<> builder(&*function.getEntryBlock().begin());
      frame = builder.CreateAlloca(types.getInt64Ty(), builder.getInt64(8));
      frame->setAlignment(llvm::Align(16));
    }
    return frame;
  }

  void grow(llvm::Function &function, uint64_t bytes) {
    llvm::AllocaInst *frame = frames[&function];
    auto *words = llvm::cast<llvm::ConstantInt>(frame->getArraySize());
    if (words->getZExtValue() * 8 < bytes)
      frame->setOperand(0, types.getInt64((bytes + 7) / 8));
  }

  SimSites &sites;
  const llvm::DataLayout &layout;
  llvm::IRBuilder<> types;
  llvm::FunctionCallee perform;
  std::map<llvm::Function *, llvm::AllocaInst *> frames;
};

struct ForeignCall {
  llvm::CallBase *call;
  SimOperationName name;
};
} // namespace

static std::vector<ForeignCall> collectForeign(llvm::Module &module) {
  std::vector<ForeignCall> calls;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call)
        continue;
      if (call->getCalledFunction() &&
          isDropped(call->getCalledFunction()->getName())) {
        call->eraseFromParent();
        continue;
      }
      if (auto name = foreignName(*call))
        calls.push_back({call, *name});
    }
  return calls;
}

/// Every operation is looked up once; the missing ones are named together.
static LogicalResult resolve(ArrayRef<ForeignCall> calls, const SimChip &chip,
                             SimSites &sites, const SourceSpan &where,
                             DiagnosticSink &sink) {
  std::set<std::string> missing;
  for (const ForeignCall &foreign : calls) {
    const std::string &name = foreign.name.name;
    if (sites.operations.count(name) || missing.count(name))
      continue;
    if (auto operation = findOperation(foreign.name, chip))
      sites.operations.emplace(name, std::move(*operation));
    else
      missing.insert(name);
  }
  if (missing.empty())
    return success();
  std::string names;
  for (const std::string &name : missing)
    names += (names.empty() ? "'" : ", '") + StringRef(name).trim().str() + "'";
  return sink.error(DiagKind::BackendNotSimulated, where,
                    "the device code uses " + names +
                        ", which the simulated device " + chip.name +
                        " doesn't have");
}

/// Where what a product makes is used, that it was waited for is checked.
static void checkAccumulators(const SimProducts &products,
                              const SimSiteTexts &texts, SimSites &sites,
                              CallRewriter &rewriter) {
  static constexpr const char *name = "accumulator";
  for (const auto &[call, product] : products)
    for (llvm::Instruction *use : findAccumulatorUses(*call, products)) {
      SimSite &site = sites.sites.emplace_back(texts.describe(*use));
      site.operation =
          &sites.operations.try_emplace(name, accumulatorCheck()).first->second;
      rewriter.emit(*use, site, {rewriter.addressOf(*product)});
    }
}

LogicalResult lh::instrumentCalls(llvm::Module &module, const SimChip &chip,
                                  const SimSiteTexts &texts, SimSites &sites,
                                  const SourceSpan &where,
                                  DiagnosticSink &sink) {
  std::vector<ForeignCall> calls = collectForeign(module);
  llvm::erase_if(calls, [](const ForeignCall &foreign) {
    return useHostFunction(*foreign.call);
  });
  if (failed(resolve(calls, chip, sites, where, sink)))
    return failure();
  CallRewriter rewriter(module, sites);
  std::vector<SimSite *> described;
  SimProducts products;
  for (const ForeignCall &foreign : calls) {
    SimSite &site = sites.sites.emplace_back(texts.describe(*foreign.call));
    site.operation = &sites.operations.at(foreign.name.name);
    described.push_back(&site);
    if (foreign.name.isAssembly() &&
        StringRef(foreign.name.name).contains("wgmma.mma_async"))
      products[foreign.call] = &site;
  }
  checkAccumulators(products, texts, sites, rewriter);
  for (size_t i = 0; i < calls.size(); ++i)
    rewriter.rewrite(*calls[i].call, *described[i]);
  return success();
}
