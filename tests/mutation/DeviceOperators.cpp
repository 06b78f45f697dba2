// Mistakes in device code: waits, barriers, shared memory, fragments, guards.
// They apply inside of gpu.module, to NVVM's and ROCDL's operations.
#include "Sites.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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
                   "nvvm.mbarrier.try_wait.parity"}))
    sites.push_back({op, [=](OpBuilder &) {
                       op->erase();
                       return "nothing waits";
                     }});
}

void lh::mutation::skipPhaseFlip(Operation *op, Sites &sites) {
  if (!onDevice(op) || !hasName(op, {"nvvm.mbarrier.try_wait.parity"}))
    return;
  sites.push_back({op, [=](OpBuilder &builder) {
                     op->setOperand(1,
                                    numberLike(builder, op->getOperand(1), 0));
                     return "the phase never flips";
                   }});
}

/// Which buffer of a ring comes next is a remainder.
void lh::mutation::shrinkRing(Operation *op, Sites &sites) {
  if (!onDevice(op) || !hasName(op, {"llvm.srem", "llvm.urem"}))
    return;
  std::optional<int64_t> length = constantOf(op->getOperand(1));
  if (!length || *length < 2)
    return;
  sites.push_back(
      {op, [=](OpBuilder &builder) {
         op->setOperand(1, numberLike(builder, op->getOperand(1), *length - 1));
         return "a ring of one less";
       }});
}

void lh::mutation::swapSwizzle(Operation *op, Sites &sites) {
  if (!onDevice(op) || !hasName(op, {"llvm.xor"}) ||
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
}

/// Another buffer of the shared memory that holds as much.
static LLVM::GlobalOp otherBuffer(LLVM::AddressOfOp address,
                                  LLVM::GlobalOp buffer) {
  for (auto other :
       address->getParentOfType<gpu::GPUModuleOp>().getOps<LLVM::GlobalOp>())
    if (other != buffer && other.getAddrSpace() == buffer.getAddrSpace())
      return other;
  return {};
}

void lh::mutation::aliasBuffers(Operation *op, Sites &sites) {
  constexpr unsigned shared = 3; // of NVVM and of AMDGPU
  auto address = dyn_cast<LLVM::AddressOfOp>(op);
  if (!address || !onDevice(op))
    return;
  auto buffer = dyn_cast_or_null<LLVM::GlobalOp>(
      SymbolTable::lookupNearestSymbolFrom(op, address.getGlobalNameAttr()));
  if (!buffer || buffer.getAddrSpace() != shared)
    return;
  LLVM::GlobalOp other = otherBuffer(address, buffer);
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
         name.starts_with("rocdl.wmma.");
}

/// Fragments of one matrix have the same type: two trade places, or the
/// lanes' order within one does.
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
  auto extract = dyn_cast<LLVM::ExtractValueOp>(op);
  if (!extract || !extract.getContainer().getDefiningOp() ||
      !(isMatrixOp(extract.getContainer().getDefiningOp()) ||
        hasName(extract.getContainer().getDefiningOp(), {"nvvm.ldmatrix"})))
    return;
  ArrayRef<int64_t> position = extract.getPosition();
  auto whole = cast<LLVM::LLVMStructType>(extract.getContainer().getType());
  int64_t next = (position[0] + 1) % int64_t(whole.getBody().size());
  if (position.size() == 1 && next != position[0] &&
      whole.getBody()[next] == extract.getType())
    sites.push_back({op, [=](OpBuilder &) mutable {
                       extract.setPosition({next});
                       return "fragment " + std::to_string(next) + " instead";
                     }});
}

/// A thread takes its neighbour's part.
void lh::mutation::shiftThread(Operation *op, Sites &sites) {
  if (!onDevice(op) ||
      !hasName(op, {"nvvm.read.ptx.sreg.tid.x", "nvvm.read.ptx.sreg.tid.y",
                    "nvvm.read.ptx.sreg.tid.z", "nvvm.read.ptx.sreg.laneid",
                    "nvvm.read.ptx.sreg.ctaid.x", "nvvm.read.ptx.sreg.ctaid.y",
                    "nvvm.read.ptx.sreg.ctaid.z", "rocdl.workitem.id.x",
                    "rocdl.workitem.id.y", "rocdl.workitem.id.z",
                    "rocdl.workgroup.id.x", "rocdl.workgroup.id.y",
                    "rocdl.workgroup.id.z"}))
    return;
  sites.push_back({op, [=](OpBuilder &builder) {
                     builder.setInsertionPointAfter(op);
                     Value id = op->getResult(0);
                     Value next = shifted(builder, id, 1);
                     id.replaceAllUsesExcept(next, next.getDefiningOp());
                     return "the neighbour's number";
                   }});
}
