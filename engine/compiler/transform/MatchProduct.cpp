// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.match.product: what a linalg op multiplies, in roles of loops.
#include "compiler/transform/LeaveOut.h"
#include "compiler/transform/TransformOps.h"

#include "compiler/gaps/products/ProductForm.h"
#include "compiler/gaps/products/Products.h"
#include "compiler/gaps/sparse/SparseArguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace lh;
using namespace mlir;

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

/// "it is 30 % of its tiles, not at least 60"; empty where it fills them as
/// asked for.
static std::string wrongShare(MatchProductOp match, const ProductRoles &roles) {
  if (!match.getTiles() || !match.getLeastShare())
    return "";
  double percent = 100;
  for (auto [sizes, tile] : llvm::zip_equal(roles.sizes, *match.getTiles())) {
    if (sizes.empty() || tile <= 0)
      continue;
    int64_t size = sizes.back();
    if (ShapedType::isDynamic(size))
      return "how much of its tiles it fills is open";
    percent *=
        double(size) / (double(llvm::divideCeil(size, tile)) * double(tile));
  }
  if (percent >= double(*match.getLeastShare()))
    return "";
  return "it is " + std::to_string(int(percent)) +
         " % of its tiles, not at least " +
         std::to_string(*match.getLeastShare());
}

/// "n is 5, at least 8"; empty where the innermost loops of all roles are
/// within the bounds, and whole.
static std::string wrongSize(MatchProductOp match, const ProductRoles &roles) {
  constexpr std::array<int64_t, roleLetters.size()> none{-1, -1, -1, -1};
  for (auto [letter, sizes, least, most, divisor] : llvm::zip_equal(
           roleLetters, roles.sizes, match.getAtLeast().value_or(none),
           match.getAtMost().value_or(none),
           match.getMultipleOf().value_or(none))) {
    if (sizes.empty())
      continue;
    bool isUnknown = ShapedType::isDynamic(sizes.back());
    std::string seen =
        std::string(1, letter) +
        (isUnknown ? " is open, not "
                   : " is " + std::to_string(sizes.back()) + ", not ");
    if (least >= 0 &&
        (isUnknown ? !match.getUnknownIsLarge() : sizes.back() < least))
      return seen + "at least " + std::to_string(least);
    if (most >= 0 && (isUnknown || sizes.back() > most))
      return seen + "at most " + std::to_string(most);
    if (divisor > 0 && (isUnknown || sizes.back() % divisor != 0))
      return seen + "a multiple of " + std::to_string(divisor);
  }
  return wrongShare(match, roles);
}

static bool hasAtMost(Value tensor, int64_t bytes) {
  auto type = cast<ShapedType>(tensor.getType());
  return type.hasStaticShape() && type.getElementType().isIntOrFloat() &&
         type.getNumElements() * type.getElementTypeBitWidth() <= 8 * bytes;
}

static std::string textOf(ArrayRef<Type> types) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(types, out, ", ");
  return text;
}

/// Why the types aren't those that are asked for.
static std::string wrongTypes(MatchProductOp match, linalg::LinalgOp op) {
  SmallVector<Type> types = elementTypesOf(op);
  bool isOneOf = !match.getTypes() || haveOneOf(*match.getTypes(), op);
  bool areThese =
      !match.getElementTypes() ||
      llvm::equal(match.getElementTypes()->getAsValueRange<TypeAttr>(), types);
  bool isSoWide = !match.getBits() || hasBits(op, *match.getBits());
  if (isOneOf && areThese && isSoWide)
    return "";
  return "it multiplies and adds " + textOf(types);
}

/// What keeps the right-hand operand from being the one that is asked for.
static StringRef wrongRight(MatchProductOp match, linalg::LinalgOp op) {
  Value right = op->getOperand(1);
  if (match.getRightBytes() && !hasAtMost(right, *match.getRightBytes()))
    return "its right-hand operand is larger";
  if (!match.getRightVaries() && !match.getRightKnown())
    return "";
  bool isKnown = comesFromWeights(right);
  if (isKnown && match.getRightVaries())
    return "its right-hand operand comes from weights";
  if (!isKnown && match.getRightKnown())
    return "its right-hand operand comes from no weights alone";
  return "";
}

/// What keeps the op from matching; empty where it matches.
static std::string mismatch(MatchProductOp match, linalg::LinalgOp op,
                            const ProductRoles &roles) {
  ProductShape shape{roles.loops, {}};
  if (match.getSizes())
    shape = shapeOf(op, roles, match.getWindows());
  if (!llvm::is_contained(match.getLoops().getAsValueRange<StringAttr>(),
                          shape.loops))
    return "the roles of its loops are " + shape.loops;
  if (llvm::is_contained(op.getStaticLoopRanges(), 0))
    return "it has an empty loop";
  if (match.getSizes() && ArrayRef(shape.sizes) != *match.getSizes())
    return "its sizes are others";
  if (match.getSteps() && stepsOf(op) != *match.getSteps())
    return "its strides or dilations are others";
  if (match.getOperands() &&
      *match.getOperands() != operandsOf(op, roles.loops))
    return "its operands are indexed " + operandsOf(op, roles.loops);
  if (!match.getAnyBody() && !multipliesAndAdds(op, match.getWindows()))
    return "its body does not multiply and add alone";
  std::string reason = wrongTypes(match, op);
  if (reason.empty())
    reason = wrongSize(match, roles);
  return reason.empty() ? wrongRight(match, op).str() : reason;
}

DiagnosedSilenceableFailure
MatchProductOp::matchOperation(Operation *current,
                               transform::TransformResults &results,
                               transform::TransformState &) {
  auto op = dyn_cast<linalg::LinalgOp>(current);
  std::optional<ProductRoles> roles =
      op ? rolesOf(op, getWindows()) : std::nullopt;
  if (!roles)
    return emitSilenceableError()
           << "it is no " << (getWindows() ? "convolution" : "product");
  if (hasSparseOperand(op))
    return emitSilenceableError() << "an operand is sparse";
  if (std::string reason = mismatch(*this, op, *roles); !reason.empty())
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
