// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsum: diagonals and sums of single operands first, then one product after
// the other from the left. A product that sums is a matrix product.
#include "compiler/ingress/onnx/ops/EinsumEquation.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;
using namespace mlir;

/// A tensor whose dimensions have distinct labels.
struct LabelledTensor {
  Value tensor;
  Labels labels;

  bool has(Label label) const { return llvm::is_contained(labels, label); }
};

using LabelSizes = llvm::DenseMap<Label, OpFoldResult>;

static Sizes sizesOf(const LabelSizes &sizes, ArrayRef<Label> labels) {
  Sizes result;
  for (Label label : labels)
    result.push_back(sizes.lookup(label));
  return result;
}

/// The affine map that reads a tensor of `labels` in loops over `loops`.
static AffineMap mapOf(Emitter &emit, ArrayRef<Label> labels,
                       ArrayRef<Label> loops) {
  SmallVector<AffineExpr> exprs;
  for (Label label : labels)
    exprs.push_back(emit.builder.getAffineDimExpr(
        static_cast<unsigned>(llvm::find(loops, label) - loops.begin())));
  return AffineMap::get(static_cast<unsigned>(loops.size()), 0, exprs,
                        emit.builder.getContext());
}

/// Each label's size: a known one other than 1 if there is one; if only the
/// run knows, the first that is not 1 then.
static LogicalResult collectSizes(NodeContext &node,
                                  const EinsumEquation &equation,
                                  LabelSizes &sizes) {
  Emitter &emit = node.emit;
  for (auto [i, labels] : llvm::enumerate(equation.inputs)) {
    Sizes own = emit.sizesOf(node.in(i));
    for (auto [dim, label] : llvm::enumerate(labels)) {
      auto [entry, isNew] = sizes.try_emplace(label, own[dim]);
      std::optional<int64_t> a = emit.known(entry->second);
      std::optional<int64_t> b = emit.known(own[dim]);
      if (isNew || b == 1)
        continue;
      if (a && b && *a != 1 && *a != *b)
        return node.error("input " + Twine(i) + " of shape " +
                              shapeText(node.in(i)) + " has size " + Twine(*b) +
                              " where another has " + Twine(*a),
                          DiagKind::IngressShapeMismatch);
      if (a == 1 || (!a && b))
        entry->second = own[dim];
      else if (!a)
        entry->second = emit.selectEqual(entry->second, emit.index(1), own[dim],
                                         entry->second);
    }
  }
  return success();
}

/// Dimensions of size 1 that are larger elsewhere are spread: their label goes.
static LabelledTensor withoutSpreadOnes(NodeContext &node, Value tensor,
                                        const Labels &labels,
                                        const LabelSizes &sizes) {
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(tensor), kept;
  LabelledTensor result;
  for (auto [dim, label] : llvm::enumerate(labels)) {
    bool isSpread =
        emit.known(own[dim]) == 1 && emit.known(sizes.lookup(label)) != 1;
    if (isSpread)
      continue;
    kept.push_back(own[dim]);
    result.labels.push_back(label);
  }
  result.tensor =
      kept.size() == own.size() ? tensor : emit.reshape(tensor, kept);
  bool agrees = true; // or only the run shows what is 1
  for (auto [size, label] : llvm::zip(kept, result.labels))
    agrees &= emit.known(size) || emit.same(size, sizes.lookup(label));
  if (!agrees)
    result.tensor =
        emit.broadcastTo(result.tensor, sizesOf(sizes, result.labels));
  return result;
}

/// Repeated labels pick the diagonal.
static LabelledTensor diagonalOf(NodeContext &node, LabelledTensor operand,
                                 const LabelSizes &sizes) {
  Emitter &emit = node.emit;
  Labels distinct;
  for (Label label : operand.labels)
    if (!llvm::is_contained(distinct, label))
      distinct.push_back(label);
  if (distinct.size() == operand.labels.size())
    return operand;
  Value diagonal = emit.generic(
      {operand.tensor},
      {mapOf(emit, operand.labels, distinct), mapOf(emit, distinct, distinct)},
      emit.empty(sizesOf(sizes, distinct), node.typeOf(node.dtype())),
      SmallVector<bool>(distinct.size(), false),
      [](OpBuilder &, Location, ValueRange v) -> Value { return v[0]; });
  return {diagonal, distinct};
}

/// Sums over the labels that nothing else needs.
static LabelledTensor summed(NodeContext &node, LabelledTensor operand,
                             llvm::function_ref<bool(Label)> isNeeded) {
  SmallVector<bool> axes;
  Labels kept;
  for (Label label : operand.labels) {
    axes.push_back(!isNeeded(label));
    if (isNeeded(label))
      kept.push_back(label);
  }
  if (kept.size() == operand.labels.size())
    return operand;
  return {emitSum(node, operand.tensor, axes), kept};
}

static Value transposedTo(Emitter &emit, const LabelledTensor &operand,
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
static LabelledTensor elementwiseProduct(NodeContext &node,
                                         const LabelledTensor &a,
                                         const LabelledTensor &b,
                                         const PairLabels &pair,
                                         const LabelSizes &sizes) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  Labels result = pair.result(), loops = result;
  loops.append(pair.sum);
  SmallVector<bool> reduces(loops.size(), false);
  std::fill(reduces.begin() + static_cast<ptrdiff_t>(result.size()),
            reduces.end(), true);
  bool sums = !pair.sum.empty();
  Sizes extents = sizesOf(sizes, result);
  Value init = sums ? emit.filled(extents, node.scalars(dtype).number(0))
                    : emit.empty(extents, node.typeOf(dtype));
  Value product = emit.generic(
      {a.tensor, b.tensor},
      {mapOf(emit, a.labels, loops), mapOf(emit, b.labels, loops),
       mapOf(emit, result, loops)},
      init, reduces, [&](OpBuilder &builder, Location loc, ValueRange v) {
        Scalars s(builder, loc, dtype);
        Value term = s.mul(v[0], v[1]);
        return sums ? s.add(v[2], term) : term;
      });
  return {product, result};
}

/// (batch, left, sum) times (batch, sum, right), each a single dimension.
static FailureOr<LabelledTensor> matrixProduct(NodeContext &node,
                                               const LabelledTensor &a,
                                               const LabelledTensor &b,
                                               const PairLabels &pair,
                                               const LabelSizes &sizes) {
  Emitter &emit = node.emit;
  auto count = [&](const Labels &labels) {
    return emit.product(sizesOf(sizes, labels));
  };
  auto joined = [](const Labels &x, const Labels &y, const Labels &z) {
    return llvm::to_vector<8>(llvm::concat<const Label>(x, y, z));
  };
  Value left = transposedTo(emit, a, joined(pair.batch, pair.left, pair.sum));
  Value right = transposedTo(emit, b, joined(pair.batch, pair.sum, pair.right));
  Sizes leftSizes{count(pair.left), count(pair.sum)};
  Sizes rightSizes{count(pair.sum), count(pair.right)};
  if (!pair.batch.empty()) {
    leftSizes.insert(leftSizes.begin(), count(pair.batch));
    rightSizes.insert(rightSizes.begin(), count(pair.batch));
  }
  FailureOr<Value> product =
      emitOnnxMatMul(node, emit.reshape(left, leftSizes),
                     emit.reshape(right, rightSizes), node.dtype());
  if (failed(product))
    return failure();
  Labels result = pair.result();
  return LabelledTensor{emit.reshape(*product, sizesOf(sizes, result)), result};
}

static FailureOr<LabelledTensor>
multiply(NodeContext &node, const LabelledTensor &a, const LabelledTensor &b,
         const LabelSizes &sizes, llvm::function_ref<bool(Label)> isNeeded) {
  PairLabels pair = classify(a, b, isNeeded);
  bool isMatrix =
      !pair.sum.empty() && !(pair.left.empty() && pair.right.empty());
  if (isMatrix)
    return matrixProduct(node, a, b, pair, sizes);
  return elementwiseProduct(node, a, b, pair, sizes);
}

static LogicalResult einsum(NodeContext &node) {
  FailureOr<SmallVector<Value>> values = node.allInputs();
  if (failed(values))
    return failure();
  SmallVector<int64_t> ranks;
  for (Value value : *values)
    ranks.push_back(rankOf(value));
  FailureOr<EinsumEquation> equation =
      parseEinsum(node, node.text("equation", ""), ranks);
  LabelSizes sizes;
  if (failed(equation) || failed(collectSizes(node, *equation, sizes)))
    return failure();
  std::vector<LabelledTensor> operands;
  for (auto [value, labels] : llvm::zip(*values, equation->inputs))
    operands.push_back(
        diagonalOf(node, withoutSpreadOnes(node, value, labels, sizes), sizes));
  auto isNeededBeyond = [&](size_t first, size_t last, Label label) {
    if (llvm::is_contained(equation->output, label))
      return true;
    for (size_t i = 0; i < operands.size(); ++i)
      if ((i < first || i > last) && operands[i].has(label))
        return true;
    return false;
  };
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i] = summed(node, operands[i], [&](Label label) {
      return isNeededBeyond(i, i, label);
    });
  LabelledTensor result = operands.front();
  for (size_t i = 1; i < operands.size(); ++i) {
    FailureOr<LabelledTensor> next =
        multiply(node, result, operands[i], sizes,
                 [&](Label label) { return isNeededBeyond(0, i, label); });
    if (failed(next))
      return failure();
    result = *next;
  }
  return node.result(transposedTo(node.emit, result, equation->output),
                     node.dtype());
}

void lh::addEinsumOps(OpTable &table) {
  using namespace OpRule;
  table.add("Einsum", {12, 1, Numeric | Same | WidenHalf, einsum});
}
