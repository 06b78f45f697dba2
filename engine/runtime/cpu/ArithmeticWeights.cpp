// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weighs instructions by what they compute and how many lanes they fill.
#include "runtime/cpu/ArithmeticWeights.h"

#include "runtime/cpu/IntegerData.h"
#include "runtime/cpu/RuntimeSymbols.h"
#include "runtime/cpu/UsefulLanes.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"

#include <optional>

using namespace llvm;
using lh::ArithmeticCount;

namespace {
/// What an instruction computes.
struct Computation {
  Type *vector = nullptr;    ///< of its lanes; a scalar has one
  double perLane = 1;        ///< operations
  bool isLaneByLane = false; ///< though it is written as one of vectors
};

class Weigher {
public:
  Weigher(Function &function, const TargetMachine &machine);

  void weigh(const Instruction &instruction, ArithmeticCount &count) const;

private:
  std::optional<Computation> computationOf(const Instruction &) const;
  std::optional<Computation> computationOf(const IntrinsicInst &) const;
  void add(const Instruction &instruction, const Computation &done,
           ArithmeticCount &count) const;
  void countInstruction(const Instruction &instruction, bool isLaneByLane,
                        ArithmeticCount &count) const;
  unsigned nativeLanes(Type *element) const;
  bool isPutTogether(const Instruction &instruction) const;

  DenseSet<const Instruction *> integers;
  lh::UsefulLanes lanes;
  TargetTransformInfo costs;
  unsigned registerBits;
  bool computesHalves; ///< as they are, and not widened
};
} // namespace

Weigher::Weigher(Function &function, const TargetMachine &machine)
    : integers(lh::integersOfData(function)), lanes(function),
      costs(machine.getTargetTransformInfo(function)),
      registerBits(static_cast<unsigned>(
          costs.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
              .getFixedValue())) {
  MVT halves = MVT::getVectorVT(MVT::f16, std::max(registerBits / 16, 1u));
  computesHalves =
      halves.isValid() &&
      machine.getSubtargetImpl(function)->getTargetLowering()->isOperationLegal(
          ISD::FADD, halves);
}

unsigned Weigher::nativeLanes(Type *element) const {
  unsigned bits = element->getScalarSizeInBits();
  bool isWidened =
      element->isBFloatTy() || (element->isHalfTy() && !computesHalves);
  return registerBits / std::max(isWidened ? 32 : bits, 1u);
}

static unsigned lanesOf(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

/// A gather that the target has no quick instruction for.
static bool isSlowGather(const Instruction &instruction,
                         const TargetTransformInfo &costs) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::masked_gather)
    return false;
  auto *type = cast<VectorType>(call->getType());
  return !costs.isLegalMaskedGather(type, Align(4)) ||
         costs.forceScalarizeMaskedGather(type, Align(4));
}

/// Whether `value` is a vector that takes instructions for each lane to put
/// together: a gather that the target has no instruction for, or elements
/// inserted one by one. Not a single element that is spread.
static bool isPutTogether(const Value *value, const TargetTransformInfo &costs,
                          unsigned depth) {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || depth == 0)
    return false;
  auto anyOf = [&](auto &&operands) {
    return any_of(operands, [&](const Value *operand) {
      return isPutTogether(operand, costs, depth - 1);
    });
  };
  if (const auto *insert = dyn_cast<InsertElementInst>(instruction))
    return !isa<Constant>(insert->getOperand(2)) ||
           isa<InsertElementInst>(insert->getOperand(0));
  if (isSlowGather(*instruction, costs))
    return true;
  if (const auto *phi = dyn_cast<PHINode>(instruction))
    return anyOf(phi->incoming_values());
  if (isa<ShuffleVectorInst>(instruction) || isa<SelectInst>(instruction) ||
      isa<CastInst>(instruction) || isa<FreezeInst>(instruction))
    return anyOf(instruction->operand_values());
  return false;
}

/// Whether an operand of its own takes as long as its lanes one by one.
bool Weigher::isPutTogether(const Instruction &instruction) const {
  constexpr unsigned depth = 4;
  return any_of(instruction.operand_values(), [&](const Value *operand) {
    return operand->getType()->isVectorTy() &&
           ::isPutTogether(operand, costs, depth);
  });
}

/// The wider of the types on both sides of a conversion: it fills registers.
static Type *widerOf(Type *left, Type *right) {
  return left->getScalarSizeInBits() > right->getScalarSizeInBits() ? left
                                                                    : right;
}

static Computation laneByLane(Type *vector) { return {vector, 1, true}; }

/// Functions of floats, by element.
static std::optional<Computation> functionOfFloats(const IntrinsicInst &call) {
  Type *type = call.getType();
  switch (call.getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
    return Computation{type, 2};
  case Intrinsic::sqrt:
  case Intrinsic::fabs:
  case Intrinsic::copysign:
  case Intrinsic::canonicalize:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::minimumnum:
  case Intrinsic::maximumnum:
    return Computation{type};
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
    return Computation{widerOf(type, call.getArgOperand(0)->getType())};
  case Intrinsic::is_fpclass:
    return Computation{call.getArgOperand(0)->getType()};
  case Intrinsic::vector_reduce_fmax:
  case Intrinsic::vector_reduce_fmin:
  case Intrinsic::vector_reduce_fmaximum:
  case Intrinsic::vector_reduce_fminimum:
    return Computation{call.getArgOperand(0)->getType()};
  case Intrinsic::vector_reduce_fadd:
  case Intrinsic::vector_reduce_fmul:
    return Computation{call.getArgOperand(1)->getType(), 1,
                       !call.hasAllowReassoc()};
  default:
    return std::nullopt;
  }
}

/// Functions of integers, by element; only of those that are data.
static std::optional<Computation>
functionOfIntegers(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::abs:
  case Intrinsic::sadd_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::sshl_sat:
  case Intrinsic::ushl_sat:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
    return Computation{call.getType()};
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_mul:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_xor:
  case Intrinsic::vector_reduce_smax:
  case Intrinsic::vector_reduce_smin:
  case Intrinsic::vector_reduce_umax:
  case Intrinsic::vector_reduce_umin:
    return Computation{call.getArgOperand(0)->getType()};
  case Intrinsic::vector_partial_reduce_add:
    return Computation{call.getArgOperand(1)->getType()};
  default:
    return std::nullopt;
  }
}

/// Instructions that have no form common to all targets: dot products.
static std::optional<Computation> dotProduct(const IntrinsicInst &call) {
  struct Dot {
    StringRef name;
    double perLane; ///< operations for each element of the sum
  };
  static constexpr Dot dots[] = {
      {"llvm.x86.avx512.vpdpbusd", 8},     {"llvm.x86.avx512.vpdpwssd", 4},
      {"llvm.x86.avx512bf16.dpbf16ps", 4}, {"llvm.aarch64.neon.sdot", 8},
      {"llvm.aarch64.neon.udot", 8},       {"llvm.aarch64.neon.usdot", 8},
      {"llvm.aarch64.neon.bfdot", 4},      {"llvm.aarch64.neon.smmla", 16},
      {"llvm.aarch64.neon.ummla", 16},     {"llvm.aarch64.neon.usmmla", 16},
      {"llvm.aarch64.neon.bfmmla", 8}};
  for (const Dot &dot : dots)
    if (call.getCalledFunction()->getName().starts_with(dot.name))
      return Computation{call.getType(), dot.perLane};
  return std::nullopt;
}

std::optional<Computation>
Weigher::computationOf(const IntrinsicInst &call) const {
  if (std::optional<Computation> known = functionOfFloats(call))
    return known;
  if (std::optional<Computation> known = functionOfIntegers(call))
    return integers.contains(&call) ? known : std::nullopt;
  // exp, pow, sin, ...: calls of the C library, an element each.
  if (isTriviallyVectorizable(call.getIntrinsicID()) &&
      call.getType()->isFPOrFPVectorTy())
    return laneByLane(call.getType());
  return dotProduct(call);
}

std::optional<Computation>
Weigher::computationOf(const Instruction &instruction) const {
  Type *type = instruction.getType();
  Type *first = instruction.getNumOperands() > 0
                    ? instruction.getOperand(0)->getType()
                    : nullptr;
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FNeg:
    return Computation{type};
  case Instruction::FRem:
    return laneByLane(type);
  case Instruction::FCmp:
    return Computation{first};
  case Instruction::FPExt:
  case Instruction::FPTrunc:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return Computation{widerOf(type, first)};
  default:
    break;
  }
  bool isCondition = type->getScalarType()->isIntegerTy(1);
  if (!integers.contains(&instruction))
    return std::nullopt;
  if (isa<ICmpInst>(instruction))
    return Computation{first};
  if (!isa<BinaryOperator>(instruction) || isCondition)
    return std::nullopt;
  bool isQuotient = cast<BinaryOperator>(instruction).isIntDivRem() &&
                    !isa<Constant>(instruction.getOperand(1));
  return isQuotient ? laneByLane(type) : Computation{type};
}

/// A function of the C library's kind: from numbers to a float, or from vectors
/// to one.
static bool isMathFunction(const CallBase &call) {
  auto isNumber = [](Type *type) {
    return type->isFPOrFPVectorTy() || type->isIntOrIntVectorTy();
  };
  return call.getType()->isFPOrFPVectorTy() && call.arg_size() > 0 &&
         all_of(call.args(),
                [&](const Use &use) { return isNumber(use->getType()); });
}

/// What only serves the code: memory, threads, assertions.
static bool isRuntime(StringRef name) {
  static constexpr StringRef known[] = {"malloc", "aligned_alloc", "free",
                                        "memcpy", "memmove",       "memset",
                                        "memcmp", "puts",          "abort"};
  return name.starts_with("__kmpc_") || is_contained(known, name) ||
         any_of(lh::runtimeSymbols(), [&](const lh::RuntimeSymbol &symbol) {
           return symbol.name == name;
         });
}

/// The name of code that isn't the engine's and may compute; "" for none.
static StringRef unknownCallee(const CallBase &call) {
  if (const auto *text = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return text->getAsmString().empty() ? "" : "inline assembly";
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return "a function by its address";
  if (!callee->isDeclaration() || isRuntime(callee->getName()))
    return "";
  bool isPlain = callee->isIntrinsic() &&
                 !Intrinsic::isTargetIntrinsic(callee->getIntrinsicID());
  return isPlain ? "" : callee->getName();
}

void Weigher::add(const Instruction &instruction, const Computation &done,
                  ArithmeticCount &count) const {
  if (isa<ScalableVectorType>(done.vector)) {
    ++count.unknownCalls["vectors of unknown length"];
    return;
  }
  unsigned all = lanesOf(done.vector);
  // Of a sum over lanes all are useful, though its result has one.
  unsigned useful =
      all == lanesOf(instruction.getType()) ? lanes.of(instruction) : all;
  unsigned native = std::max(nativeLanes(done.vector->getScalarType()), 1u);
  bool isLaneByLane =
      all == 1 || done.isLaneByLane || isPutTogether(instruction);
  count.operations += done.perLane * useful;
  if (!isLaneByLane)
    count.vectorised +=
        done.perLane * useful * useful / (divideCeil(all, native) * native);
}

/// What takes no instruction, or is a part of another one: addresses, carried
/// values, views of bits, single elements on their way to all lanes.
static bool isFree(const Instruction &instruction) {
  if (const auto *branch = dyn_cast<BranchInst>(&instruction))
    return branch->isUnconditional();
  if (const auto *insert = dyn_cast<InsertElementInst>(&instruction))
    return isa<UndefValue>(insert->getOperand(0));
  if (isa<LoadInst>(instruction) && lanesOf(instruction.getType()) == 1 &&
      instruction.hasOneUse()) {
    const User *user = *instruction.user_begin();
    return isa<ShuffleVectorInst>(user) ||
           (isa<InsertElementInst>(user) &&
            isa<UndefValue>(user->getOperand(0)));
  }
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return isa<PHINode>(instruction) || isa<GetElementPtrInst>(instruction) ||
         isa<BitCastInst>(instruction) || isa<FreezeInst>(instruction) ||
         isa<ExtractValueInst>(instruction) ||
         isa<InsertValueInst>(instruction) || isa<AllocaInst>(instruction) ||
         (call && call->isAssumeLikeIntrinsic());
}

/// Instructions: a vector takes one for each register, and what works lane by
/// lane one for each lane.
void Weigher::countInstruction(const Instruction &instruction,
                               bool isLaneByLane,
                               ArithmeticCount &count) const {
  if (isFree(instruction))
    return;
  Type *vector = instruction.getType();
  for (const Use &operand : instruction.operands())
    if (lanesOf(operand->getType()) > lanesOf(vector))
      vector = operand->getType();
  unsigned all = lanesOf(vector);
  bool isMove = isa<InsertElementInst>(instruction) ||
                isa<ExtractElementInst>(instruction);
  if (all == 1 || isMove) {
    count.instructions += 1;
  } else if (isLaneByLane || isSlowGather(instruction, costs)) {
    count.instructions += all;
  } else {
    unsigned native = std::max(nativeLanes(vector->getScalarType()), 1u);
    count.instructions += divideCeil(all, native);
    count.vectorInstructions += divideCeil(all, native);
  }
}

void Weigher::weigh(const Instruction &instruction,
                    ArithmeticCount &count) const {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  std::optional<Computation> done = intrinsic ? computationOf(*intrinsic)
                                    : call    ? std::nullopt
                                              : computationOf(instruction);
  countInstruction(instruction, done && done->isLaneByLane, count);
  if (done)
    return add(instruction, *done, count);
  if (!call)
    return;
  StringRef unknown = unknownCallee(*call);
  if (unknown.empty())
    return;
  if (!intrinsic && isMathFunction(*call))
    add(instruction, Computation{call->getType()}, count);
  else
    ++count.unknownCalls[unknown.str()];
}

std::vector<std::pair<BasicBlock *, ArithmeticCount>>
lh::weighBlocks(Function &function, const TargetMachine &machine) {
  Weigher weigher(function, machine);
  std::vector<std::pair<BasicBlock *, ArithmeticCount>> weights;
  for (BasicBlock &block : function) {
    ArithmeticCount count;
    for (const Instruction &instruction : block)
      weigher.weigh(instruction, count);
    if (count.instructions > 0)
      weights.emplace_back(&block, std::move(count));
  }
  return weights;
}
