// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the packed entries and the allocator's forwarding functions.
#include "runtime/cpu/PackedEntry.h"

#include "runtime/cpu/CallClocks.h"

#include "runtime/cpu/RuntimeSymbols.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace lh;

static constexpr StringRef packedPrefix = "lh_packed_";

std::string lh::packedName(StringRef entry) {
  return (packedPrefix + entry).str();
}

/// Results and arguments of the C interface: a returned set of results is one
/// leading pointer, an out-parameter is one trailing pointer each.
static size_t pointerCount(const EntryAbi &abi) {
  if (abi.convention == EntryConvention::OutParams)
    return abi.arguments.size() + abi.results.size();
  return abi.arguments.size() + (abi.results.empty() ? 0 : 1);
}

static LogicalResult checkInterface(const llvm::Function *interface,
                                    const EntryAbi &abi,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink) {
  if (!interface || interface->isDeclaration())
    return sink.error(DiagKind::BackendMalformedAbi, where,
                      "'lh.abi' names '" + abi.name +
                          "', but the module has no C interface of it; "
                          "'lh-entry-abi' or 'llvm-request-c-wrappers' must "
                          "run before 'convert-func-to-llvm'");
  bool pointers = interface->getReturnType()->isVoidTy() &&
                  interface->arg_size() == pointerCount(abi);
  for (const llvm::Argument &argument : interface->args())
    pointers &= argument.getType()->isPointerTy();
  if (!pointers)
    return sink.error(
        DiagKind::BackendMalformedAbi, where,
        "'" + abi.name + "' takes " + Twine(interface->arg_size()) +
            " buffers, 'lh.abi' says " + Twine(pointerCount(abi)) +
            "; was its signature changed after "
            "'lh-entry-abi'?");
  return success();
}

static LogicalResult addPackedEntry(llvm::Module &module, const EntryAbi &abi,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink) {
  llvm::Function *interface = module.getFunction("_mlir_ciface_" + abi.name);
  if (failed(checkInterface(interface, abi, where, sink)))
    return failure();
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::Type *pointer = builder.getPtrTy();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false);
  auto *packed = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, packedName(abi.name), module);
  // Inlining asks for equal attributes on both sides.
  packed->setAttributes(packed->getAttributes().addFnAttributes(
      context,
      llvm::AttrBuilder(context, interface->getAttributes().getFnAttrs())));
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", packed));
  std::vector<llvm::Value *> arguments;
  for (unsigned i = 0; i < interface->arg_size(); ++i) {
    llvm::Value *slot =
        builder.CreateConstInBoundsGEP1_64(pointer, packed->getArg(0), i);
    arguments.push_back(builder.CreateLoad(pointer, slot));
  }
  builder.CreateCall(interface, arguments);
  builder.CreateRetVoid();
  return success();
}

LogicalResult lh::addPackedEntries(llvm::Module &module, const ModuleAbi &abi,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink) {
  return success(succeeded(addPackedEntry(module, abi.entry, where, sink)) &&
                 (!abi.prepare || succeeded(addPackedEntry(module, *abi.prepare,
                                                           where, sink))));
}

void lh::dropPackedEntry(llvm::Module &module, StringRef entry) {
  if (llvm::Function *packed = module.getFunction(packedName(entry)))
    packed->eraseFromParent();
  llvm::ModuleAnalysisManager none;
  llvm::GlobalDCEPass().run(module, none);
}

namespace {
/// Gives bodies to declared allocation functions.
class AllocatorBinding {
public:
  AllocatorBinding(llvm::Module &module, ArenaPlace place)
      : module(module), builder(module.getContext()), place(place) {}

  /// (size), or (alignment, size) when `aligned`.
  void bindAllocate(StringRef name, bool aligned);
  void bindRelease(StringRef name);

private:
  llvm::Function *declared(StringRef name, llvm::FunctionType *type);
  llvm::Value *allocate(llvm::Value *size, llvm::Value *alignment);
  void trimCalls(llvm::Function &function);
  llvm::Constant *arenaPointer();

  llvm::Module &module;
  llvm::IRBuilder<> builder;
  ArenaPlace place;
};
} // namespace

/// By a symbol, so that the code doesn't depend on where the arena lies.
llvm::Constant *AllocatorBinding::arenaPointer() {
  if (place == ArenaPlace::Only)
    return llvm::ConstantPointerNull::get(builder.getPtrTy());
  return module.getOrInsertGlobal(arenaName, builder.getInt8Ty());
}

/// The declaration, made internal and ready for a body. It is renamed, since
/// LLVM knows things about `malloc` and `free` that no longer hold.
llvm::Function *AllocatorBinding::declared(StringRef name,
                                           llvm::FunctionType *type) {
  llvm::Function *function = module.getFunction(name);
  if (!function || !function->isDeclaration() ||
      function->getFunctionType() != type)
    return nullptr;
  function->setName("lh." + name);
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  function->setAttributes(llvm::AttributeList());
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  return function;
}

llvm::Value *AllocatorBinding::allocate(llvm::Value *size,
                                        llvm::Value *alignment) {
  llvm::Type *number = builder.getInt64Ty();
  llvm::Type *pointer = builder.getPtrTy();
  auto function = module.getOrInsertFunction(arenaAllocateName, pointer,
                                             pointer, number, number);
  auto *callee = llvm::cast<llvm::Function>(function.getCallee());
  callee->addRetAttr(llvm::Attribute::NoAlias);
  callee->addFnAttr(llvm::Attribute::NoUnwind);
  return builder.CreateCall(function, {arenaPointer(), size, alignment});
}

/// The power of two that the block's address is rounded up to a multiple of;
/// 0 when it isn't.
static uint64_t roundedTo(const llvm::CallInst &block) {
  using namespace llvm::PatternMatch;
  for (const llvm::User *user : block.users()) {
    if (!llvm::isa<llvm::PtrToIntInst>(user))
      continue;
    uint64_t mask = 0;
    for (const llvm::User *sum : user->users())
      if (match(sum, m_c_Add(m_Specific(user), m_ConstantInt(mask))) &&
          llvm::isPowerOf2_64(mask + 1))
        return mask + 1;
  }
  return 0;
}

/// `size` less `alignment`, if that was added; null if not.
static llvm::Value *withoutRoom(llvm::Value *size, uint64_t alignment) {
  using namespace llvm::PatternMatch;
  llvm::Value *rest = nullptr;
  uint64_t known = 0;
  if (match(size, m_c_Add(m_Value(rest), m_SpecificInt(alignment))))
    return rest;
  if (match(size, m_ConstantInt(known)) && known >= alignment)
    return llvm::ConstantInt::get(size->getType(), known - alignment);
  return nullptr;
}

/// MLIR asks malloc for as much room again as it may need to align the block
/// itself. The arena aligns: without that room, the block's fence stands where
/// the buffer ends.
void AllocatorBinding::trimCalls(llvm::Function &function) {
  for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(user);
    bool calls = call && call->getCalledFunction() == &function;
    uint64_t alignment = calls ? roundedTo(*call) : 0;
    llvm::Value *size =
        alignment ? withoutRoom(call->getArgOperand(0), alignment) : nullptr;
    if (!size)
      continue;
    builder.SetInsertPoint(call);
    call->replaceAllUsesWith(allocate(size, builder.getInt64(alignment)));
    call->eraseFromParent();
  }
}

void AllocatorBinding::bindAllocate(StringRef name, bool aligned) {
  llvm::Type *size = builder.getInt64Ty();
  llvm::Type *pointer = builder.getPtrTy();
  std::vector<llvm::Type *> parameters(aligned ? 2 : 1, size);
  llvm::Function *function =
      declared(name, llvm::FunctionType::get(pointer, parameters, false));
  if (!function)
    return;
  llvm::Value *alignment = aligned
                               ? static_cast<llvm::Value *>(function->getArg(0))
                               : builder.getInt64(1);
  builder.CreateRet(allocate(function->getArg(aligned ? 1 : 0), alignment));
  if (!aligned)
    trimCalls(*function);
}

void AllocatorBinding::bindRelease(StringRef name) {
  llvm::Type *pointer = builder.getPtrTy();
  llvm::Function *function = declared(
      name, llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false));
  if (!function)
    return;
  llvm::FunctionCallee release = module.getOrInsertFunction(
      arenaReleaseName, builder.getVoidTy(), pointer, pointer);
  llvm::cast<llvm::Function>(release.getCallee())
      ->addFnAttr(llvm::Attribute::NoUnwind);
  builder.CreateCall(release, {arenaPointer(), function->getArg(0)});
  builder.CreateRetVoid();
}

void lh::bindAllocator(llvm::Module &module, ArenaPlace place) {
  AllocatorBinding binding(module, place);
  binding.bindAllocate("_mlir_memref_to_llvm_alloc", false);
  binding.bindAllocate("_mlir_memref_to_llvm_aligned_alloc", true);
  binding.bindRelease("_mlir_memref_to_llvm_free");
  binding.bindAllocate("malloc", false);
  binding.bindAllocate("aligned_alloc", true);
  binding.bindRelease("free");
}

void lh::bindAssertions(llvm::Module &module) {
  for (auto [name, own] :
       {std::pair("puts", "lh_note_reason"), std::pair("abort", "lh_give_up")})
    if (llvm::Function *function = module.getFunction(name);
        function && function->isDeclaration())
      function->setName(own);
}

void lh::internalizeAllButPacked(llvm::Module &module) {
  llvm::internalizeModule(module, [](const llvm::GlobalValue &value) {
    return value.getName().starts_with(packedPrefix) ||
           value.getName() == clocksName;
  });
}
