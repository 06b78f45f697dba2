// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.match.product: what a linalg op multiplies, in roles of loops.
#include "compiler/gaps/Marks.h"
#include "compiler/transform/LeaveOut.h"
#include "compiler/transform/TransformOps.h"

#include "compiler/gaps/products/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <array>

using namespace lh;
using namespace mlir;

/// The letters of the roles, in the order of the results and of the bounds.
static constexpr llvm::StringLiteral roleLetters = "bmnk";

namespace {
/// A product's loops: a letter for each, and their sizes by role.
struct Roles {
  std::string loops;
  std::array<SmallVector<int64_t>, roleLetters.size()> sizes;
};
} // namespace

using LoopsByRole = std::array<SmallVector<unsigned, 2>, roleLetters.size()>;

static std::optional<LoopsByRole> loopsOfContraction(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims))
    return std::nullopt;
  return LoopsByRole{dims->batch, dims->m, dims->n, dims->k};
}

/// Of the sum the window's loops first, then channels.
static std::optional<LoopsByRole> loopsOfConvolution(linalg::LinalgOp op) {
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  if (failed(dims))
    return std::nullopt;
  LoopsByRole loops{dims->depth, dims->batch, dims->outputChannel,
                    dims->filterLoop};
  llvm::append_range(loops[1], dims->outputImage);
  llvm::append_range(loops[3], dims->inputChannel);
  return loops;
}

/// The loops' roles; none for what is no product of two operands.
static std::optional<Roles> rolesOf(linalg::LinalgOp op, bool windows) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  std::optional<LoopsByRole> byRole =
      windows ? loopsOfConvolution(op) : loopsOfContraction(op);
  if (!byRole)
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Roles roles;
  roles.loops.assign(ranges.size(), '?');
  for (auto [letter, loops, sizes] :
       llvm::zip_equal(roleLetters, *byRole, roles.sizes))
    for (unsigned loop : loops) {
      roles.loops[loop] = letter;
      sizes.push_back(ranges[loop]);
    }
  return roles;
}

/// The indices of an operand in roles; "?" where they aren't plain loops.
static std::string indicesOf(AffineMap map, StringRef loops) {
  if (!map.isProjectedPermutation())
    return "?";
  std::string word;
  for (AffineExpr index : map.getResults())
    word += loops[cast<AffineDimExpr>(index).getPosition()];
  return word;
}

static std::string operandsOf(linalg::LinalgOp op, StringRef loops) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return indicesOf(maps[0], loops) + "," + indicesOf(maps[1], loops) + "->" +
         indicesOf(maps[2], loops);
}

/// Other contractions combine by `or`, or multiply complex numbers; pools have
/// a convolution's form without its multiplication.
static bool multipliesAndAdds(linalg::LinalgOp op, bool windows) {
  return (windows ? addsProducts(op) : linalg::isaContractionOpInterface(op)) &&
         llvm::all_of(op.getBlock()->without_terminator(), [](Operation &in) {
           return isa<arith::AddFOp, arith::MulFOp, arith::AddIOp,
                      arith::MulIOp>(in);
         });
}

static bool haveOneOf(ArrayAttr types, linalg::LinalgOp op) {
  Type first = getElementTypeOrSelf(op->getOperand(0).getType());
  return llvm::is_contained(types.getAsValueRange<TypeAttr>(), first) &&
         llvm::all_of(op->getOperandTypes(), [&](Type type) {
           return getElementTypeOrSelf(type) == first;
         });
}

static bool hasBits(linalg::LinalgOp op, int64_t bits) {
  Type type = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() == bits;
}

/// Whether the innermost loops of all roles are within the bounds, and whole.
static bool hasSizes(MatchProductOp match, const Roles &roles) {
  constexpr std::array<int64_t, roleLetters.size()> none{-1, -1, -1, -1};
  for (auto [sizes, least, most, divisor] :
       llvm::zip_equal(roles.sizes, match.getAtLeast().value_or(none),
                       match.getAtMost().value_or(none),
                       match.getMultipleOf().value_or(none))) {
    if (sizes.empty())
      continue;
    bool isUnknown = ShapedType::isDynamic(sizes.back());
    if (least >= 0 &&
        (isUnknown ? !match.getUnknownIsLarge() : sizes.back() < least))
      return false;
    if (most >= 0 && (isUnknown || sizes.back() > most))
      return false;
    if (divisor > 0 && (isUnknown || sizes.back() % divisor != 0))
      return false;
  }
  return true;
}

/// Whether a tensor is computed from weights and constants alone.
static bool comesFromWeights(Value value,
                             llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function && function.getArgAttr(argument.getArgNumber(), weightMark);
  }
  Operation *op = value.getDefiningOp();
  return !seen.insert(op).second ||
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return comesFromWeights(operand, seen);
         });
}

static bool hasAtMost(Value tensor, int64_t bytes) {
  auto type = cast<ShapedType>(tensor.getType());
  return type.hasStaticShape() && type.getElementType().isIntOrFloat() &&
         type.getNumElements() * type.getElementTypeBitWidth() <= 8 * bytes;
}

/// What keeps the op from matching; empty where it matches.
static StringRef mismatch(MatchProductOp match, linalg::LinalgOp op,
                          const Roles &roles) {
  if (!llvm::is_contained(match.getLoops().getAsValueRange<StringAttr>(),
                          roles.loops))
    return "other roles of loops";
  if (llvm::is_contained(op.getStaticLoopRanges(), 0))
    return "an empty loop";
  if (match.getOperands() &&
      *match.getOperands() != operandsOf(op, roles.loops))
    return "other orders of operands";
  if (!match.getAnyBody() && !multipliesAndAdds(op, match.getWindows()))
    return "another body";
  if ((match.getTypes() && !haveOneOf(*match.getTypes(), op)) ||
      (match.getBits() && !hasBits(op, *match.getBits())))
    return "other types";
  if (!hasSizes(match, roles))
    return "other sizes";
  Value right = op->getOperand(1);
  if (match.getRightBytes() && !hasAtMost(right, *match.getRightBytes()))
    return "a larger right-hand operand";
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (match.getRightVaries() && comesFromWeights(right, seen))
    return "a right-hand operand of weights";
  return "";
}

DiagnosedSilenceableFailure
MatchProductOp::matchOperation(Operation *current,
                               transform::TransformResults &results,
                               transform::TransformState &) {
  auto op = dyn_cast<linalg::LinalgOp>(current);
  std::optional<Roles> roles = op ? rolesOf(op, getWindows()) : std::nullopt;
  if (!roles)
    return emitSilenceableError() << "not a product";
  if (StringRef reason = mismatch(*this, op, *roles); !reason.empty())
    return emitSilenceableError() << reason;
  if (isLeftOut(*this))
    return emitSilenceableError() << "this matcher is left out";
  Builder builder(getContext());
  for (auto [result, sizes] : llvm::zip_equal(getResults(), roles->sizes)) {
    SmallVector<Attribute> numbers;
    for (int64_t size : sizes)
      numbers.push_back(builder.getI64IntegerAttr(size));
    results.setParams(cast<OpResult>(result), numbers);
  }
  return DiagnosedSilenceableFailure::success();
}
