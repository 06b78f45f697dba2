// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes in device code: waits, barriers, shared memory, fragments, guards.
// They apply inside of gpu.module, to NVVM's and ROCDL's operations.
#include "Sites.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lh::mutation;

static bool onDevice(Operation *op) {
  return op->getParentOfType<gpu::GPUModuleOp>() != nullptr;
}

/// The integer that a value always is, of a scalar type.
static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

static Value numberLike(OpBuilder &builder, Value like, int64_t number) {
  return LLVM::ConstantOp::create(
      builder, like.getLoc(), like.getType(),
      builder.getIntegerAttr(like.getType(), number));
}

/// What nvgpu's operations become has no operation of its own for everything.
static bool isAssembly(Operation *op, StringRef words) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return assembly && assembly.getAsmString().contains(words);
}

static bool waitsForPhase(Operation *op) {
  return hasName(op, {"nvvm.mbarrier.try_wait.parity"}) ||
         isAssembly(op, "mbarrier.try_wait.parity");
}

void lh::mutation::dropBarrier(Operation *op, Sites &sites) {
  if (onDevice(op) && !op->getNumResults() &&
      hasName(op, {"gpu.barrier", "nvvm.barrier0", "nvvm.barrier",
                   "nvvm.bar.warp.sync", "rocdl.barrier", "rocdl.s.barrier"}))
    sites.push_back({op, [=](OpBuilder &) {
                       op->erase();
                       return "the barrier is missing";
                     }});
}

/// One group more may be in flight: the attribute is called differently.
static void waitForLess(Operation *op, StringRef attribute, Sites &sites) {
  auto groups = op->getAttrOfType<IntegerAttr>(attribute);
  if (!groups)
    return;
  sites.push_back(
      {op, [=](OpBuilder &) {
         op->setAttr(attribute,
                     IntegerAttr::get(groups.getType(), groups.getInt() + 1));
         return "one group more may be in flight";
       }});
}

void lh::mutation::weakenWait(Operation *op, Sites &sites) {
  if (!onDevice(op))
    return;
  if (hasName(op, {"nvvm.cp.async.wait.group"}))
    waitForLess(op, "n", sites);
  if (hasName(op, {"nvvm.wgmma.wait.group.sync.aligned"}))
    waitForLess(op, "group", sites);
  if (hasName(op, {"nvvm.cp.async.wait.group", "nvvm.cp.async.commit.group",
                   "nvvm.wgmma.wait.group.sync.aligned",
                   "nvvm.wgmma.commit.group.sync.aligned",
                   "nvvm.wgmma.fence.aligned"}) ||
      waitsForPhase(op))
    sites.push_back({op, [=](OpBuilder &) {
                       op->erase();
                       return "nothing waits";
                     }});
  if (isAssembly(op, "mbarrier.arrive.expect_tx"))
    sites.push_back({op, [=](OpBuilder &builder) {
                       Value bytes = op->getOperand(1);
                       op->setOperand(1, LLVM::LShrOp::create(
                                             builder, op->getLoc(), bytes,
                                             numberLike(builder, bytes, 1)));
                       return "half of the bytes are waited for";
                     }});
}

void lh::mutation::skipPhaseFlip(Operation *op, Sites &sites) {
  if (!onDevice(op) || !waitsForPhase(op))
    return;
  for (int64_t phase : {0, 1})
    sites.push_back({op, [=](OpBuilder &builder) {
                       op->setOperand(
                           1, numberLike(builder, op->getOperand(1), phase));
                       return "the phase is always " + std::to_string(phase);
                     }});
  sites.push_back({op, [=](OpBuilder &builder) {
                     Value phase = op->getOperand(1);
                     op->setOperand(
                         1, LLVM::XOrOp::create(builder, op->getLoc(), phase,
                                                numberLike(builder, phase, 1)));
                     return "the phase is the other one";
                   }});
}

/// The length of a ring of which `op` says which buffer comes next.
static std::optional<int64_t> ringLength(Operation *op) {
  if (!hasName(op, {"llvm.srem", "llvm.urem"}))
    return std::nullopt;
  std::optional<int64_t> length = constantOf(op->getOperand(1));
  return length && *length >= 2 ? length : std::nullopt;
}

static void shrink(OpBuilder &builder, Operation *op, int64_t length) {
  builder.setInsertionPoint(op);
  op->setOperand(1, numberLike(builder, op->getOperand(1), length - 1));
}

/// All rings of one length in a function, from the first.
static void shrinkTogether(Operation *op, int64_t length, Sites &sites) {
  SmallVector<Operation *> rings;
  op->getParentOfType<LLVM::LLVMFuncOp>().walk([&](Operation *each) {
    if (ringLength(each) == length)
      rings.push_back(each);
  });
  if (rings.size() > 1 && rings.front() == op)
    sites.push_back({op, [=](OpBuilder &builder) {
                       for (Operation *each : rings)
                         shrink(builder, each, length);
                       return "rings of one less, all " +
                              std::to_string(rings.size());
                     }});
}

static LLVM::GlobalOp sharedBufferOf(LLVM::AddressOfOp address) {
  constexpr unsigned shared = 3; // of NVVM and of AMDGPU
  auto buffer =
      dyn_cast_or_null<LLVM::GlobalOp>(SymbolTable::lookupNearestSymbolFrom(
          address, address.getGlobalNameAttr()));
  return buffer && buffer.getAddrSpace() == shared ? buffer : LLVM::GlobalOp();
}

/// Memory for one buffer less than there are.
static void shrinkMemory(LLVM::AddressOfOp address, Sites &sites) {
  LLVM::GlobalOp buffer = sharedBufferOf(address);
  if (!buffer)
    return;
  auto ring = dyn_cast<LLVM::LLVMArrayType>(buffer.getGlobalType());
  if (!ring || ring.getNumElements() < 2)
    return;
  sites.push_back(
      {address, [=](OpBuilder &) mutable {
         Type smaller = LLVM::LLVMArrayType::get(ring.getElementType(),
                                                 ring.getNumElements() - 1);
         buffer.setGlobalType(smaller);
         buffer.getInitializerRegion().walk([&](LLVM::UndefOp initial) {
           initial.getResult().setType(smaller);
         });
         return "memory of one less";
       }});
}

/// Which buffer of a ring comes next is a remainder; and where they all are.
void lh::mutation::shrinkRing(Operation *op, Sites &sites) {
  if (!onDevice(op))
    return;
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
    shrinkMemory(address, sites);
  std::optional<int64_t> length = ringLength(op);
  if (!length)
    return;
  sites.push_back({op, [=](OpBuilder &builder) {
                     shrink(builder, op, *length);
                     return "a ring of one less";
                   }});
  shrinkTogether(op, *length, sites);
}

/// The two highest bits of wgmma's descriptors name the swizzle.
static void changeMode(Operation *op, Sites &sites) {
  constexpr unsigned at = 62;
  auto join = dyn_cast<LLVM::OrOp>(op);
  if (!join || !join.getType().isInteger(64))
    return;
  for (unsigned side : {0u, 1u}) {
    std::optional<int64_t> bits = constantOf(join->getOperand(side));
    if (!bits || !(uint64_t(*bits) >> at))
      continue;
    for (uint64_t flip : {1u, 2u, 3u})
      sites.push_back({op, [=](OpBuilder &builder) {
                         op->setOperand(
                             side, numberLike(builder, op->getOperand(side),
                                              *bits ^ int64_t(flip << at)));
                         return "another swizzle";
                       }});
  }
}

void lh::mutation::swapSwizzle(Operation *op, Sites &sites) {
  if (!onDevice(op))
    return;
  changeMode(op, sites);
  if (!hasName(op, {"llvm.xor"}) ||
      !op->getResult(0).getType().isIntOrIndex() ||
      op->getResult(0).getType().isInteger(1))
    return;
  for (unsigned side : {0u, 1u})
    if (!constantOf(op->getOperand(side)))
      sites.push_back({op, [=](OpBuilder &) {
                         op->getResult(0).replaceAllUsesWith(
                             op->getOperand(side));
                         return "the swizzle is missing";
                       }});
}

static bool guards(Value flag) {
  return llvm::any_of(flag.getUsers(), [](Operation *user) {
    return hasName(user, {"llvm.cond_br", "llvm.select"});
  });
}

void lh::mutation::shiftGuard(Operation *op, Sites &sites) {
  auto compare = dyn_cast<LLVM::ICmpOp>(op);
  if (!compare || !onDevice(op) || !guards(compare) ||
      !compare.getLhs().getType().isIntOrIndex())
    return;
  for (int64_t delta : {-1, 1})
    sites.push_back({op, [=](OpBuilder &builder) {
                       op->setOperand(
                           1, shifted(builder, op->getOperand(1), delta));
                       return "bound + " + std::to_string(delta);
                     }});
}

void lh::mutation::dropMask(Operation *op, Sites &sites) {
  if (!onDevice(op))
    return;
  auto select = [&](unsigned operand, int64_t number, const char *what) {
    if (!constantOf(op->getOperand(operand)))
      sites.push_back(
          {op, [=](OpBuilder &builder) {
             op->setOperand(
                 operand, numberLike(builder, op->getOperand(operand), number));
             return std::string(what);
           }});
  };
  // Loops go round by such branches too: those that never end are found by
  // their time.
  if (hasName(op, {"llvm.cond_br"}))
    select(0, 1, "the guard always holds");
  if (hasName(op, {"llvm.select"}) && op->getOperand(0).getType().isInteger(1))
    select(0, 1, "the mask always holds");
  // Predicates of what is assembly.
  if (isa<LLVM::InlineAsmOp>(op))
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (op->getOperand(i).getType().isInteger(1))
        select(i, 1, "all threads do it");
}

/// Another buffer of the kernel's.
static LLVM::GlobalOp otherBuffer(LLVM::AddressOfOp address,
                                  LLVM::GlobalOp buffer) {
  for (auto other :
       address->getParentOfType<gpu::GPUModuleOp>().getOps<LLVM::GlobalOp>())
    if (other != buffer && other.getAddrSpace() == buffer.getAddrSpace())
      return other;
  return {};
}

/// Buffers that a kernel cuts from one lie at constant distances.
static void aliasParts(LLVM::GEPOp pointer, Sites &sites) {
  auto address = pointer.getBase().getDefiningOp<LLVM::AddressOfOp>();
  if (!address || !sharedBufferOf(address) || pointer->getNumOperands() != 2)
    return;
  auto sum = pointer->getOperand(1).getDefiningOp<LLVM::AddOp>();
  if (!sum)
    return;
  for (unsigned side : {0u, 1u})
    if (constantOf(sum->getOperand(side)).value_or(0) > 0)
      sites.push_back({pointer, [=](OpBuilder &) mutable {
                         pointer->setOperand(1, sum->getOperand(1 - side));
                         return "the same memory as the part before";
                       }});
}

void lh::mutation::aliasBuffers(Operation *op, Sites &sites) {
  if (!onDevice(op))
    return;
  if (auto pointer = dyn_cast<LLVM::GEPOp>(op))
    aliasParts(pointer, sites);
  auto address = dyn_cast<LLVM::AddressOfOp>(op);
  LLVM::GlobalOp buffer = address ? sharedBufferOf(address) : LLVM::GlobalOp();
  LLVM::GlobalOp other =
      buffer ? otherBuffer(address, buffer) : LLVM::GlobalOp();
  if (!other)
    return;
  sites.push_back({op, [=](OpBuilder &) mutable {
                     address.setGlobalName(other.getSymName());
                     return "the same memory as '" + other.getSymName().str() +
                            "'";
                   }});
}

static bool isMatrixOp(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "nvvm.mma.sync" || name.starts_with("rocdl.mfma.") ||
         name.starts_with("rocdl.wmma.") || isAssembly(op, "wgmma.mma_async");
}

/// What a matrix operation returns is a struct, or a vector, of fragments.
static void takeOtherFragment(LLVM::ExtractValueOp extract, Sites &sites) {
  Operation *maker = extract.getContainer().getDefiningOp();
  if (!maker || !(isMatrixOp(maker) || hasName(maker, {"nvvm.ldmatrix"})))
    return;
  ArrayRef<int64_t> position = extract.getPosition();
  auto whole = cast<LLVM::LLVMStructType>(extract.getContainer().getType());
  int64_t next = (position[0] + 1) % int64_t(whole.getBody().size());
  if (position.size() == 1 && next != position[0] &&
      whole.getBody()[next] == extract.getType())
    sites.push_back({extract, [=](OpBuilder &) mutable {
                       extract.setPosition({next});
                       return "fragment " + std::to_string(next) + " instead";
                     }});
}

static void takeOtherElement(LLVM::ExtractElementOp extract, Sites &sites) {
  Operation *maker = extract.getVector().getDefiningOp();
  std::optional<int64_t> position = constantOf(extract.getPosition());
  if (!maker || !isMatrixOp(maker) || !position)
    return;
  int64_t next =
      (*position + 1) % int64_t(extract.getVector().getType().getNumElements());
  sites.push_back({extract, [=](OpBuilder &builder) mutable {
                     extract->setOperand(
                         1, numberLike(builder, extract.getPosition(), next));
                     return "element " + std::to_string(next) + " instead";
                   }});
}

/// Fragments of one matrix have the same type: two trade places, or one is
/// taken for its neighbour.
void lh::mutation::confuseFragments(Operation *op, Sites &sites) {
  if (!onDevice(op))
    return;
  if (isMatrixOp(op))
    for (unsigned i = 0; i + 1 < op->getNumOperands(); ++i)
      if (op->getOperand(i) != op->getOperand(i + 1) &&
          op->getOperand(i).getType() == op->getOperand(i + 1).getType())
        sites.push_back({op, [=](OpBuilder &) {
                           Value first = op->getOperand(i);
                           op->setOperand(i, op->getOperand(i + 1));
                           op->setOperand(i + 1, first);
                           return "fragments " + std::to_string(i) + " and " +
                                  std::to_string(i + 1) + " trade places";
                         }});
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op))
    takeOtherFragment(extract, sites);
  if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op))
    takeOtherElement(extract, sites);
}

/// Whether a butterfly's step to lane ^ m goes to lane ^ (m + 1) with an even
/// m: as lanes have met their neighbours, or will, the same ones are summed, in
/// another order. That is no mistake.
static bool isOtherOrder(Operation *op, int64_t delta) {
  auto shuffle = dyn_cast<NVVM::ShflOp>(op);
  if (!shuffle || shuffle.getKind() != NVVM::ShflKind::bfly || delta != 1)
    return false;
  std::optional<int64_t> mask = constantOf(shuffle.getOffset());
  return mask && *mask % 2 == 0;
}

/// A shuffle brings another lane's number.
void lh::mutation::shiftLaneOfShuffle(Operation *op, Sites &sites) {
  if (!onDevice(op))
    return;
  // Which lane, and how far apart two lanes' numbers are.
  auto take = [&](unsigned operand, int64_t step) {
    for (int64_t delta : {-step, step})
      if (!isOtherOrder(op, delta))
        sites.push_back(
            {op, [=](OpBuilder &builder) {
               op->setOperand(operand,
                              shifted(builder, op->getOperand(operand), delta));
               return delta < 0 ? "the lane before" : "the lane after";
             }});
  };
  if (hasName(op, {"nvvm.shfl.sync"}))
    take(2, 1);
  if (hasName(op, {"rocdl.ds_bpermute"}))
    take(0, 4);
}

/// A thread takes its neighbour's part.
void lh::mutation::shiftThread(Operation *op, Sites &sites) {
  if (!onDevice(op) ||
      !hasName(op, {"nvvm.read.ptx.sreg.tid.x", "nvvm.read.ptx.sreg.tid.y",
                    "nvvm.read.ptx.sreg.tid.z", "nvvm.read.ptx.sreg.laneid",
                    "nvvm.read.ptx.sreg.ctaid.x", "nvvm.read.ptx.sreg.ctaid.y",
                    "nvvm.read.ptx.sreg.ctaid.z", "rocdl.mbcnt.hi",
                    "rocdl.workitem.id.x", "rocdl.workitem.id.y",
                    "rocdl.workitem.id.z", "rocdl.workgroup.id.x",
                    "rocdl.workgroup.id.y", "rocdl.workgroup.id.z"}))
    return;
  sites.push_back({op, [=](OpBuilder &builder) {
                     builder.setInsertionPointAfter(op);
                     Value id = op->getResult(0);
                     Value next = shifted(builder, id, 1);
                     id.replaceAllUsesExcept(next, next.getDefiningOp());
                     return "the neighbour's number";
                   }});
}
