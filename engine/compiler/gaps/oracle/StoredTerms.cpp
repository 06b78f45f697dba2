// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what a mask has in each row.
#include "compiler/gaps/oracle/StoredTerms.h"

#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace lh;
using namespace mlir;

/// The input of `op` that says whether the term is there. Of two that both have
/// to, one is a bound.
static OpOperand *maskOf(linalg::GenericOp op, Value term) {
  auto select = term.getDefiningOp<arith::SelectOp>();
  if (!select || !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return nullptr;
  Value condition = select.getCondition();
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    condition = both.getLhs();
  auto argument = dyn_cast<BlockArgument>(condition);
  if (!argument || argument.getOwner() != op.getBody() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return op.getMatchingOpOperand(argument);
}

using Body = function_ref<Value(OpBuilder &, Location, Value, Value)>;

/// Reduces the dimensions of `input` that `iterators` says; `combine` has an
/// element and what there is so far.
static Value reduce(OpBuilder &b, Location loc, Value input,
                    ArrayRef<utils::IteratorType> iterators, Body combine) {
  auto type = cast<RankedTensorType>(input.getType());
  auto rank = static_cast<unsigned>(type.getRank());
  SmallVector<AffineExpr> kept;
  SmallVector<int64_t> sizes;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (iterators[dim] == utils::IteratorType::parallel) {
      kept.push_back(b.getAffineDimExpr(dim));
      sizes.push_back(type.getDimSize(dim));
    }
  Value into = TensorBuilder(b, loc).zeros(sizes, b.getF64Type());
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(rank),
                                 AffineMap::get(rank, 0, kept, b.getContext())};
  return linalg::GenericOp::create(
             b, loc, into.getType(), input, into, maps, iterators,
             [&](OpBuilder &inner, Location at, ValueRange read) {
               linalg::YieldOp::create(inner, at,
                                       combine(inner, at, read[0], read[1]));
             })
      .getResult(0);
}

std::optional<StoredTerms> lh::countStored(linalg::GenericOp op, Value term,
                                           OpBuilder &b) {
  OpOperand *mask = maskOf(op, term);
  AffineMap map = mask ? op.getMatchingIndexingMap(mask) : AffineMap();
  if (!map || !map.isProjectedPermutation() ||
      !cast<RankedTensorType>(mask->get().getType()).hasStaticShape())
    return std::nullopt;
  StoredTerms stored;
  SmallVector<utils::IteratorType> iterators;
  for (AffineExpr result : map.getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    iterators.push_back(op.getIteratorTypesArray()[dimension]);
    if (iterators.back() == utils::IteratorType::reduction)
      stored.dimensions.push_back(dimension);
  }
  if (stored.dimensions.empty())
    return std::nullopt;
  Location loc = op.getLoc();
  Value counts = reduce(
      b, loc, mask->get(), iterators,
      [](OpBuilder &inner, Location at, Value isStored, Value soFar) -> Value {
        Value one =
            arith::UIToFPOp::create(inner, at, inner.getF64Type(), isStored);
        return arith::AddFOp::create(inner, at, soFar, one);
      });
  SmallVector<utils::IteratorType> all(
      static_cast<size_t>(cast<RankedTensorType>(counts.getType()).getRank()),
      utils::IteratorType::reduction);
  Value longest = reduce(
      b, loc, counts, all,
      [](OpBuilder &inner, Location at, Value count, Value soFar) -> Value {
        return arith::MaximumFOp::create(inner, at, count, soFar);
      });
  stored.longest = tensor::ExtractOp::create(b, loc, longest, ValueRange());
  return stored;
}
