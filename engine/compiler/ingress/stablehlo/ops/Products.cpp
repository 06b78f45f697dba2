// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_general and its kin: products of tensors whose dimensions are labelled.
#include "compiler/ingress/emit/Products.h"

#include "compiler/ingress/stablehlo/OpTable.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;
using namespace mlir;

namespace {
struct DotDimensions {
  SmallVector<int64_t> leftBatch, rightBatch, leftSum, rightSum;
};
} // namespace

static FailureOr<DotDimensions> dotDimensionsOf(OpContext &c) {
  auto leftBatch = c.dimensions("lhs_batching_dimensions", c.rank(0));
  auto rightBatch = c.dimensions("rhs_batching_dimensions", c.rank(1));
  auto leftSum = c.dimensions("lhs_contracting_dimensions", c.rank(0));
  auto rightSum = c.dimensions("rhs_contracting_dimensions", c.rank(1));
  if (failed(leftBatch) || failed(rightBatch) || failed(leftSum) ||
      failed(rightSum))
    return failure();
  DotDimensions dims{*leftBatch, *rightBatch, *leftSum, *rightSum};
  auto overlaps = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    return llvm::any_of(a, [&](int64_t x) { return llvm::is_contained(b, x); });
  };
  if (dims.leftBatch.size() != dims.rightBatch.size() ||
      dims.leftSum.size() != dims.rightSum.size() ||
      overlaps(dims.leftBatch, dims.leftSum) ||
      overlaps(dims.rightBatch, dims.rightSum))
    return c.error("its batching and contracting dimensions don't pair");
  return dims;
}

/// The type that products are summed in: the result's, at least float32, and
/// for truth values a count.
static DType sumType(DType result) {
  return result == DType::Bool ? DType::Int32 : computeTypeOf(result);
}

/// The labels of an operand: those of pairs first, then its own.
static Labels labelsOf(int64_t rank, ArrayRef<int64_t> batch,
                       ArrayRef<int64_t> sum, Label &next) {
  Labels labels(static_cast<size_t>(rank), -1);
  for (auto [i, dim] : llvm::enumerate(batch))
    labels[static_cast<size_t>(dim)] = static_cast<Label>(i);
  for (auto [i, dim] : llvm::enumerate(sum))
    labels[static_cast<size_t>(dim)] = static_cast<Label>(batch.size() + i);
  for (Label &label : labels)
    if (label < 0)
      label = next++;
  return labels;
}

static LogicalResult multiplied(OpContext &c, const DotDimensions &dims) {
  Emitter &emit = c.emit;
  DType dtype = sumType(c.resultType());
  auto paired = static_cast<Label>(dims.leftBatch.size() + dims.leftSum.size());
  Label next = paired;
  LabelledTensor a{emit.convert(c.in(0), c.dtype(0), dtype),
                   labelsOf(c.rank(0), dims.leftBatch, dims.leftSum, next)};
  LabelledTensor b{emit.convert(c.in(1), c.dtype(1), dtype),
                   labelsOf(c.rank(1), dims.rightBatch, dims.rightSum, next)};
  LabelSizes sizes;
  for (const LabelledTensor *operand : {&a, &b})
    for (auto [label, size] :
         llvm::zip(operand->labels, emit.sizesOf(operand->tensor))) {
      auto [entry, isNew] = sizes.try_emplace(label, size);
      std::optional<int64_t> x = emit.known(entry->second),
                             y = emit.known(size);
      if (!isNew && x && y && *x != *y)
        return c.mismatch("operands of shape " + shapeText(c.in(0)) + " and " +
                          shapeText(c.in(1)) + " pair dimensions of " +
                          Twine(*x) + " and " + Twine(*y));
      emit.requireSame(entry->second, size, "paired dimensions differ");
      if (!x && y)
        entry->second = size;
    }
  auto batches = static_cast<Label>(dims.leftBatch.size());
  LabelledTensor product = multiply(
      emit, a, b, sizes, dtype, [&](Label label) { return label < batches; });
  Labels order;
  for (Label label = 0; label < batches; ++label)
    order.push_back(label);
  for (const LabelledTensor *operand : {&a, &b})
    for (Label label : operand->labels)
      if (label >= paired)
        order.push_back(label);
  return c.result(c.rounded(transposedTo(emit, product, order), dtype));
}

static LogicalResult dotGeneral(OpContext &c) {
  FailureOr<DotDimensions> dims = dotDimensionsOf(c);
  return failed(dims) ? failure() : multiplied(c, *dims);
}

/// Vectors and matrices.
static LogicalResult dot(OpContext &c) {
  if (c.rank(0) < 1 || c.rank(1) < 1 || c.rank(0) > 2 || c.rank(1) > 2)
    return c.mismatch("it takes vectors and matrices, not shapes " +
                      shapeText(c.in(0)) + " and " + shapeText(c.in(1)));
  return multiplied(c, {{}, {}, {c.rank(0) - 1}, {0}});
}

/// `ab,bc->ac`: letters alone, as the specification has it.
static LogicalResult einsum(OpContext &c) {
  std::string config = c.word("einsum_config", "");
  auto [inputs, output] = StringRef(config).split("->");
  auto [left, right] = inputs.split(',');
  bool fits = left.size() == static_cast<size_t>(c.rank(0)) &&
              right.size() == static_cast<size_t>(c.rank(1)) &&
              llvm::all_of(config, [](char letter) {
                return llvm::isAlpha(letter) || letter == ',' ||
                       letter == '-' || letter == '>';
              });
  DotDimensions dims;
  for (auto [i, letter] : llvm::enumerate(left)) {
    size_t other = right.find(letter);
    fits &= left.count(letter) == 1 && right.count(letter) <= 1 &&
            output.count(letter) <= 1;
    if (other == StringRef::npos) {
      fits &= output.contains(letter);
      continue;
    }
    bool isBatch = output.contains(letter);
    (isBatch ? dims.leftBatch : dims.leftSum)
        .push_back(static_cast<int64_t>(i));
    (isBatch ? dims.rightBatch : dims.rightSum)
        .push_back(static_cast<int64_t>(other));
  }
  std::string made;
  for (int64_t dim : dims.leftBatch)
    made += left[static_cast<size_t>(dim)];
  for (char letter : left)
    if (!right.contains(letter))
      made += letter;
  for (char letter : right) {
    fits &= left.contains(letter) || output.contains(letter);
    if (!left.contains(letter))
      made += letter;
  }
  fits &= made.size() == output.size();
  if (!fits)
    return c.error("'" + config +
                   "' is no product of two operands that "
                   "share labels");
  SmallVector<int64_t> order;
  for (char letter : output) {
    size_t at = made.find(letter);
    if (at == std::string::npos)
      return c.error("'" + config + "' has a result that is in no operand");
    order.push_back(static_cast<int64_t>(at));
  }
  if (failed(multiplied(c, dims)))
    return failure();
  return c.result(c.emit.transpose(c.results[0]->tensor, order));
}

void lh::addProductOps(HloTable &t) {
  t["stablehlo.dot_general"] = {2, 2, 1, 0, dotGeneral};
  t["stablehlo.dot"] = {2, 2, 1, 0, dot};
  t["stablehlo.einsum"] = {2, 2, 1, 0, einsum};
}
