// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshape: collapse_shape and expand_shape over the fewest dimensions.
#include "compiler/ingress/emit/Emitter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/MathExtras.h"

using namespace lh;
using namespace mlir;

/// Groups of source and result dimensions that hold the same elements.
struct Groups {
  SmallVector<ReassociationIndices> source, result;
};

/// Finds matching groups from left to right; empty when sizes that are only
/// known at run time stand in the way.
static std::optional<Groups> matchGroups(Emitter &emitter, const Sizes &from,
                                         const Sizes &to) {
  Groups groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    ReassociationIndices source{static_cast<int64_t>(i)};
    ReassociationIndices result{static_cast<int64_t>(j)};
    if (!emitter.same(from[i], to[j])) {
      std::optional<int64_t> a = emitter.known(from[i]);
      std::optional<int64_t> b = emitter.known(to[j]);
      while (a && b && *a != *b) {
        bool extendSource = *a < *b;
        size_t &position = extendSource ? i : j;
        const Sizes &sizes = extendSource ? from : to;
        if (++position == sizes.size())
          return std::nullopt;
        std::optional<int64_t> size = emitter.known(sizes[position]);
        std::optional<int64_t> &product = extendSource ? a : b;
        if (!size || llvm::MulOverflow(*product, *size, *product))
          product = std::nullopt;
        (extendSource ? source : result)
            .push_back(static_cast<int64_t>(position));
      }
      if (!a || !b)
        return std::nullopt;
    }
    groups.source.push_back(source);
    groups.result.push_back(result);
    ++i, ++j;
  }
  // What is left on one side must be ones, and joins the last group.
  for (; i < from.size(); ++i) {
    if (emitter.known(from[i]) != 1 || groups.source.empty())
      return std::nullopt;
    groups.source.back().push_back(static_cast<int64_t>(i));
  }
  for (; j < to.size(); ++j) {
    if (emitter.known(to[j]) != 1 || groups.result.empty())
      return std::nullopt;
    groups.result.back().push_back(static_cast<int64_t>(j));
  }
  if (groups.source.empty())
    return std::nullopt;
  return groups;
}

static RankedTensorType typeFor(Emitter &emitter, const Sizes &sizes,
                                Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(emitter.known(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

static Value expand(Emitter &emitter, Value tensor, const Sizes &sizes,
                    ArrayRef<ReassociationIndices> groups) {
  RankedTensorType type =
      typeFor(emitter, sizes, tensorTypeOf(tensor).getElementType());
  Value result = tensor::ExpandShapeOp::create(emitter.builder, emitter.loc,
                                               type, tensor, groups, sizes);
  return emitter.remember(result, sizes);
}

/// expand_shape with several unknown sizes in one group cannot be lowered by
/// expand-strided-metadata (LLVM 22): tensor.reshape takes the sizes as data.
static Value reshapeAtRunTime(Emitter &emitter, Value tensor,
                              const Sizes &sizes, RankedTensorType type) {
  SmallVector<Value> elements;
  for (OpFoldResult size : sizes)
    elements.push_back(emitter.asValue(size));
  Value shape =
      tensor::FromElementsOp::create(emitter.builder, emitter.loc, elements);
  Value result = tensor::ReshapeOp::create(emitter.builder, emitter.loc, type,
                                           tensor, shape);
  return emitter.remember(result, sizes);
}

Value Emitter::flatten(Value tensor) {
  int64_t rank = rankOf(tensor);
  if (rank == 1)
    return tensor;
  if (rank == 0)
    return expand(*this, tensor, {index(1)}, {});
  OpFoldResult total = product(sizesOf(tensor));
  ReassociationIndices all;
  for (int64_t dim = 0; dim < rank; ++dim)
    all.push_back(dim);
  Value result = tensor::CollapseShapeOp::create(
      builder, loc, tensor, ArrayRef<ReassociationIndices>{all});
  return remember(result, {total});
}

/// Collapse to one size per group, then expand; Value() when there are no
/// groups.
Value Emitter::reshapeByGroups(Value tensor, const Sizes &sizes) {
  Sizes from = sizesOf(tensor);
  std::optional<Groups> groups = matchGroups(*this, from, sizes);
  if (!groups)
    return Value();
  Sizes middle;
  for (const ReassociationIndices &group : groups->source) {
    OpFoldResult size = index(1);
    for (int64_t dim : group)
      size = mul(size, from[static_cast<size_t>(dim)]);
    middle.push_back(size);
  }
  Value result = tensor;
  if (middle.size() != from.size()) {
    Value collapsed =
        tensor::CollapseShapeOp::create(builder, loc, tensor, groups->source);
    result = remember(collapsed, middle);
  }
  if (middle.size() != sizes.size())
    result = expand(*this, result, sizes, groups->result);
  return result;
}

Value Emitter::reshape(Value tensor, Sizes sizes) {
  for (OpFoldResult &size : sizes)
    if (std::optional<int64_t> value = known(size))
      size = index(*value);
  if (Value result = reshapeByGroups(tensor, sizes))
    return result;
  requireSame(product(sizesOf(tensor)), product(sizes),
              "the shapes hold different numbers of elements");
  Type element = tensorTypeOf(tensor).getElementType();
  if (sizes.empty()) {
    SmallVector<int64_t> ones(static_cast<size_t>(rankOf(tensor)), 1);
    Value single = castTo(tensor, RankedTensorType::get(ones, element));
    if (ones.empty())
      return single;
    return tensor::CollapseShapeOp::create(builder, loc, single,
                                           ArrayRef<ReassociationIndices>{});
  }
  RankedTensorType wanted = typeFor(*this, sizes, element);
  if (wanted.getNumDynamicDims() > 1)
    return reshapeAtRunTime(*this, tensor, sizes, wanted);
  // The elements in one row; its type must be as static as the result's.
  Value flat = flatten(tensor);
  int64_t count =
      wanted.hasStaticShape() ? wanted.getNumElements() : ShapedType::kDynamic;
  flat = castTo(flat, RankedTensorType::get({count}, element));
  if (sizes.size() == 1)
    return castTo(flat, wanted);
  ReassociationIndices all;
  for (int64_t dim = 0; dim < wanted.getRank(); ++dim)
    all.push_back(dim);
  return expand(*this, flat, sizes, ArrayRef<ReassociationIndices>{all});
}
