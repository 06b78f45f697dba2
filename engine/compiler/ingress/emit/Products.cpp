// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices, and of tensors whose dimensions have labels.
#include "compiler/ingress/emit/Products.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;
using namespace mlir;

/// Indexing maps tell which operands are stored transposed.
Value lh::emitMatmul(Emitter &emit, Value a, Value b, Value init,
                     bool transposeA, bool transposeB) {
  MLIRContext *context = emit.builder.getContext();
  AffineExpr m, n, k;
  bindDims(context, m, n, k);
  SmallVector<AffineMap> maps{
      transposeA ? AffineMap::get(3, 0, {k, m}, context)
                 : AffineMap::get(3, 0, {m, k}, context),
      transposeB ? AffineMap::get(3, 0, {n, k}, context)
                 : AffineMap::get(3, 0, {k, n}, context),
      AffineMap::get(3, 0, {m, n}, context)};
  SmallVector<NamedAttribute> attributes;
  if (transposeA || transposeB)
    attributes.push_back(emit.builder.getNamedAttr(
        "indexing_maps", emit.builder.getAffineMapArrayAttr(maps)));
  Value result =
      linalg::MatmulOp::create(emit.builder, emit.loc, ValueRange{a, b},
                               ValueRange{init}, attributes)
          .getResult(0);
  return emit.remember(result, emit.sizesOf(init));
}

Value lh::emitBatchMatmul(Emitter &emit, Value a, Value b, bool transposesB,
                          DType dtype) {
  Sizes aSizes = emit.sizesOf(a), bSizes = emit.sizesOf(b);
  Value zero = Scalars(emit.builder, emit.loc, dtype).number(0);
  Value init =
      emit.filled({aSizes[0], aSizes[1], bSizes[transposesB ? 1 : 2]}, zero);
  SmallVector<NamedAttribute> attributes;
  if (transposesB) {
    MLIRContext *context = emit.builder.getContext();
    AffineExpr batch, m, n, k;
    bindDims(context, batch, m, n, k);
    attributes.push_back(emit.builder.getNamedAttr(
        "indexing_maps", emit.builder.getAffineMapArrayAttr(
                             {AffineMap::get(4, 0, {batch, m, k}, context),
                              AffineMap::get(4, 0, {batch, n, k}, context),
                              AffineMap::get(4, 0, {batch, m, n}, context)})));
  }
  Value result =
      linalg::BatchMatmulOp::create(emit.builder, emit.loc, ValueRange{a, b},
                                    ValueRange{init}, attributes)
          .getResult(0);
  return emit.remember(result, emit.sizesOf(init));
}

Sizes lh::sizesOfLabels(const LabelSizes &sizes, ArrayRef<Label> labels) {
  Sizes result;
  for (Label label : labels)
    result.push_back(sizes.lookup(label));
  return result;
}

AffineMap lh::mapOfLabels(Builder &b, ArrayRef<Label> labels,
                          ArrayRef<Label> loops) {
  SmallVector<AffineExpr> exprs;
  for (Label label : labels)
    exprs.push_back(b.getAffineDimExpr(
        static_cast<unsigned>(llvm::find(loops, label) - loops.begin())));
  return AffineMap::get(static_cast<unsigned>(loops.size()), 0, exprs,
                        b.getContext());
}

Value lh::transposedTo(Emitter &emit, const LabelledTensor &operand,
                       ArrayRef<Label> order) {
  if (ArrayRef<Label>(operand.labels) == order)
    return operand.tensor;
  SmallVector<int64_t> permutation;
  for (Label label : order)
    permutation.push_back(llvm::find(operand.labels, label) -
                          operand.labels.begin());
  return emit.transpose(operand.tensor, permutation);
}

/// How a pair's labels take part in their product.
struct PairLabels {
  Labels batch, left, right, sum;

  Labels result() const {
    return llvm::to_vector<8>(llvm::concat<const Label>(batch, left, right));
  }
};

static PairLabels classify(const LabelledTensor &a, const LabelledTensor &b,
                           llvm::function_ref<bool(Label)> isNeeded) {
  PairLabels pair;
  for (Label label : a.labels) {
    if (!b.has(label))
      pair.left.push_back(label);
    else
      (isNeeded(label) ? pair.batch : pair.sum).push_back(label);
  }
  for (Label label : b.labels)
    if (!a.has(label))
      pair.right.push_back(label);
  return pair;
}

/// Without a sum, or with nothing but a sum and batches, there is no matrix.
static LabelledTensor elementwiseProduct(Emitter &emit, const LabelledTensor &a,
                                         const LabelledTensor &b,
                                         const PairLabels &pair,
                                         const LabelSizes &sizes, DType dtype) {
  Labels result = pair.result(), loops = result;
  loops.append(pair.sum);
  SmallVector<bool> reduces(loops.size(), false);
  std::fill(reduces.begin() + static_cast<ptrdiff_t>(result.size()),
            reduces.end(), true);
  bool sums = !pair.sum.empty();
  Sizes extents = sizesOfLabels(sizes, result);
  Value init = sums ? emit.filled(extents, emit.scalars(dtype).number(0))
                    : emit.empty(extents, emit.typeOf(dtype));
  Value product = emit.generic(
      {a.tensor, b.tensor},
      {mapOfLabels(emit.builder, a.labels, loops),
       mapOfLabels(emit.builder, b.labels, loops),
       mapOfLabels(emit.builder, result, loops)},
      init, reduces, [&](OpBuilder &builder, Location loc, ValueRange v) {
        Scalars s(builder, loc, dtype);
        Value term = s.mul(v[0], v[1]);
        return sums ? s.add(v[2], term) : term;
      });
  return {product, result};
}

/// (batch, left, sum) times (batch, sum, right), each a single dimension; the
/// second one is read as it lies where its sum comes last.
static LabelledTensor matrixProduct(Emitter &emit, const LabelledTensor &a,
                                    const LabelledTensor &b,
                                    const PairLabels &pair,
                                    const LabelSizes &sizes, DType dtype) {
  auto count = [&](const Labels &labels) {
    return emit.product(sizesOfLabels(sizes, labels));
  };
  auto arranged = [&](const LabelledTensor &operand, const Labels &x,
                      const Labels &y) {
    Value tensor = transposedTo(
        emit, operand,
        llvm::to_vector<8>(llvm::concat<const Label>(pair.batch, x, y)));
    Sizes matrix{count(x), count(y)};
    if (!pair.batch.empty())
      matrix.insert(matrix.begin(), count(pair.batch));
    return emit.reshape(tensor, matrix);
  };
  bool sumsLast = b.labels.back() == pair.sum.back();
  Value left = arranged(a, pair.left, pair.sum);
  Value right = sumsLast ? arranged(b, pair.right, pair.sum)
                         : arranged(b, pair.sum, pair.right);
  Value product;
  if (pair.batch.empty()) {
    Value zero = emit.scalars(dtype).number(0);
    Value init = emit.filled({count(pair.left), count(pair.right)}, zero);
    product = emitMatmul(emit, left, right, init, false, sumsLast);
  } else {
    product = emitBatchMatmul(emit, left, right, sumsLast, dtype);
  }
  Labels result = pair.result();
  return {emit.reshape(product, sizesOfLabels(sizes, result)), result};
}

LabelledTensor lh::multiply(Emitter &emit, const LabelledTensor &a,
                            const LabelledTensor &b, const LabelSizes &sizes,
                            DType dtype,
                            llvm::function_ref<bool(Label)> isNeeded) {
  PairLabels pair = classify(a, b, isNeeded);
  bool isMatrix =
      !pair.sum.empty() && !(pair.left.empty() && pair.right.empty());
  if (isMatrix)
    return matrixProduct(emit, a, b, pair, sizes, dtype);
  return elementwiseProduct(emit, a, b, pair, sizes, dtype);
}
