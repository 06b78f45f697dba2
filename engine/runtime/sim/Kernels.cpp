// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of kernels, and the layout of their shared memory.
#include "runtime/sim/Kernels.h"

#include "runtime/sim/Runtime.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

#include <set>

using namespace lh;

static constexpr unsigned sharedSpace = 3;

bool lh::isKernel(const llvm::Function &function) {
  llvm::CallingConv::ID convention = function.getCallingConv();
  return convention == llvm::CallingConv::PTX_Kernel ||
         convention == llvm::CallingConv::AMDGPU_KERNEL ||
         convention == llvm::CallingConv::SPIR_KERNEL;
}

std::string lh::kernelEntryName(StringRef kernel) {
  return "lh_sim_run_" + kernel.str();
}

/// Functions that use `value`, through constants and calls.
static void collectUsers(const llvm::Value &value,
                         llvm::SetVector<const llvm::Function *> &users) {
  for (const llvm::User *user : value.users()) {
    if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      if (users.insert(instruction->getFunction()))
        collectUsers(*instruction->getFunction(), users);
    } else if (llvm::isa<llvm::Constant>(user) &&
               !llvm::isa<llvm::GlobalValue>(user)) {
      collectUsers(*user, users);
    }
  }
}

static bool isDynamic(const llvm::GlobalVariable &variable) {
  return variable.getDataLayout().getTypeAllocSize(variable.getValueType()) ==
         0;
}

namespace {
/// Puts variables of the same kernel beside each other.
class SharedLayout {
public:
  explicit SharedLayout(llvm::Module &module, std::vector<SimKernel> &kernels)
      : module(module), kernels(kernels) {}

  SimSharedOffsets place() {
    for (bool dynamic : {false, true})
      for (llvm::GlobalVariable &variable : module.globals())
        if (variable.getAddressSpace() == sharedSpace &&
            isDynamic(variable) == dynamic)
          placeOne(variable, dynamic);
    return offsets;
  }

private:
  static constexpr uint64_t gap = 16, leastAlignment = 16;

  std::vector<SimKernel *> usersOf(const llvm::GlobalVariable &variable) {
    llvm::SetVector<const llvm::Function *> functions;
    collectUsers(variable, functions);
    std::vector<SimKernel *> users;
    for (SimKernel &kernel : kernels)
      if (functions.count(module.getFunction(kernel.name)))
        users.push_back(&kernel);
    return users;
  }

  void placeOne(llvm::GlobalVariable &variable, bool dynamic) {
    std::vector<SimKernel *> users = usersOf(variable);
    const llvm::DataLayout &layout = variable.getDataLayout();
    uint64_t bytes =
        layout.getTypeAllocSize(variable.getValueType()).getFixedValue();
    uint64_t alignment =
        std::max<uint64_t>(layout
                               .getValueOrABITypeAlignment(
                                   variable.getAlign(), variable.getValueType())
                               .value(),
                           leastAlignment);
    uint64_t offset = 0;
    for (SimKernel *kernel : users)
      if (!kernel->shared.buffers.empty()) {
        const auto &last = kernel->shared.buffers.back();
        offset =
            std::max(offset, last.begin + last.bytes + (dynamic ? 0 : gap));
      }
    offset = (offset + alignment - 1) / alignment * alignment;
    offsets[&variable] = offset;
    for (SimKernel *kernel : users) {
      if (dynamic)
        kernel->dynamicOffset = std::max(kernel->dynamicOffset, offset);
      else
        kernel->shared.buffers.push_back({offset, bytes});
      kernel->usesDynamic |= dynamic;
    }
  }

  llvm::Module &module;
  std::vector<SimKernel> &kernels;
  SimSharedOffsets offsets;
};
} // namespace

/// The most threads that a block of `function` may have; 0: no limit.
static uint64_t threadLimit(const llvm::Function &function) {
  uint64_t product = 0;
  for (StringRef name : {"nvvm.maxntid", "nvvm.reqntid"}) {
    llvm::SmallVector<StringRef> parts;
    function.getFnAttribute(name).getValueAsString().split(parts, ',', -1,
                                                           false);
    uint64_t threads = parts.empty() ? 0 : 1, size = 0;
    for (StringRef part : parts)
      threads *= part.trim().getAsInteger(10, size) ? 0 : size;
    if (threads)
      product = threads;
  }
  StringRef range =
      function.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString();
  uint64_t most = 0;
  if (!range.split(',').second.trim().getAsInteger(10, most) && most)
    product = most;
  return product;
}

static unsigned waveOf(const llvm::Function &function, const SimChip &chip) {
  StringRef features =
      function.getFnAttribute("target-features").getValueAsString();
  if (features.contains("+wavefrontsize64"))
    return 64;
  if (features.contains("+wavefrontsize32"))
    return 32;
  // OpenCL C, cl_intel_required_subgroup_size.
  if (const llvm::MDNode *asked =
          function.getMetadata("intel_reqd_sub_group_size"))
    if (auto *lanes =
            llvm::mdconst::dyn_extract<llvm::ConstantInt>(asked->getOperand(0)))
      return static_cast<unsigned>(lanes->getZExtValue());
  return chip.wave;
}

/// Of any sort: loads and stores, too.
static bool hasGlobalAtomics(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      const llvm::Value *pointer = llvm::getPointerOperand(&instruction);
      if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
        pointer = update->getPointerOperand();
      if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
        pointer = swap->getPointerOperand();
      if (pointer && instruction.isAtomic() &&
          pointer->getType()->getPointerAddressSpace() != sharedSpace)
        return true;
    }
  return false;
}

/// As many bytes as loadArgument() reads of each.
static std::vector<uint64_t> parameterBytes(const llvm::Function &kernel) {
  const llvm::DataLayout &layout = kernel.getDataLayout();
  std::vector<uint64_t> bytes;
  for (const llvm::Argument &parameter : kernel.args()) {
    llvm::Type *type = parameter.getParamByValType();
    bytes.push_back(layout.getTypeAllocSize(type ? type : parameter.getType()));
  }
  return bytes;
}

FailureOr<SimKernels> lh::collectKernels(llvm::Module &module,
                                         const SimChip &chip,
                                         const SourceSpan &where,
                                         DiagnosticSink &sink) {
  SimKernels found;
  bool atomics = hasGlobalAtomics(module);
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && isKernel(function)) {
      SimKernel kernel;
      kernel.name = function.getName().str();
      kernel.wave = waveOf(function, chip);
      kernel.threadLimit = threadLimit(function);
      kernel.hasGlobalAtomics = atomics;
      kernel.parameterBytes = parameterBytes(function);
      found.kernels.push_back(std::move(kernel));
    }
  found.offsets = SharedLayout(module, found.kernels).place();
  for (const SimKernel &kernel : found.kernels) {
    uint64_t bytes = 0;
    for (const auto &buffer : kernel.shared.buffers)
      bytes += buffer.bytes;
    uint64_t end = kernel.shared.buffers.empty()
                       ? 0
                       : kernel.shared.buffers.back().begin +
                             kernel.shared.buffers.back().bytes;
    if (bytes > chip.shared || end > SimSharedMemory::windowBytes)
      return sink.error(DiagKind::BackendDeviceLimit, where,
                        "kernel '" + kernel.name + "' has " + Twine(bytes) +
                            " bytes of shared memory; a block on " + chip.name +
                            " can have " + Twine(chip.shared));
  }
  return found;
}

void lh::placeSharedMemory(llvm::Module &module,
                           const SimSharedOffsets &offsets) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::FunctionCallee base =
      module.getOrInsertFunction(simSharedName, builder.getPtrTy());
  std::vector<llvm::Constant *> variables;
  for (const auto &[variable, offset] : offsets)
    variables.push_back(variable);
  llvm::convertUsersOfConstantsToInstructions(variables);
  std::map<llvm::Function *, llvm::Value *> bases;
  for (const auto &[variable, offset] : offsets) {
    for (llvm::Use &use : llvm::make_early_inc_range(variable->uses())) {
      auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (!user)
        continue;
      llvm::BasicBlock &entry = user->getFunction()->getEntryBlock();
      llvm::Value *&window = bases[user->getFunction()];
      if (!window) {
        builder.SetInsertPoint(&*entry.begin());
        window = builder.CreateCall(base);
      }
      builder.SetInsertPoint(
          llvm::cast<llvm::Instruction>(window)->getNextNode());
      use.set(builder.CreateAddrSpaceCast(
          builder.CreateConstGEP1_64(builder.getInt8Ty(), window, offset),
          variable->getType()));
    }
    variable->removeDeadConstantUsers();
    if (variable->use_empty())
      variable->eraseFromParent();
  }
}

/// A parameter passed by value has its bytes, not their address.
static llvm::Value *loadArgument(llvm::Argument &parameter,
                                 llvm::Value *address,
                                 llvm::IRBuilder<> &builder) {
  llvm::Type *type = parameter.getParamByValType();
  if (!type)
    return builder.CreateLoad(parameter.getType(), address);
  const llvm::Align alignment(128); // tensor maps need 64
  llvm::AllocaInst *copy = builder.CreateAlloca(type);
  copy->setAlignment(alignment);
  uint64_t bytes =
      builder.GetInsertBlock()->getDataLayout().getTypeAllocSize(type);
  builder.CreateMemCpy(copy, alignment, address, llvm::Align(1), bytes);
  return builder.CreateAddrSpaceCast(copy, parameter.getType());
}

void lh::addKernelEntries(llvm::Module &module) {
  std::vector<llvm::Function *> kernels;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && isKernel(function))
      kernels.push_back(&function);
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  for (llvm::Function *kernel : kernels) {
    llvm::Function *entry = llvm::Function::Create(
        llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false),
        llvm::GlobalValue::ExternalLinkage, kernelEntryName(kernel->getName()),
        module);
    builder.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), "", entry));
    std::vector<llvm::Value *> arguments;
    for (llvm::Argument &parameter : kernel->args()) {
      llvm::Value *address = builder.CreateLoad(
          pointer, builder.CreateConstGEP1_32(pointer, entry->getArg(0),
                                              parameter.getArgNo()));
      arguments.push_back(loadArgument(parameter, address, builder));
    }
    builder.CreateCall(kernel, arguments)
        ->setCallingConv(kernel->getCallingConv());
    builder.CreateRetVoid();
  }
}
