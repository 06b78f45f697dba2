// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations and products of the domain com.microsoft.
#include "compiler/ingress/onnx/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <numbers>

using namespace lh;
using namespace mlir;

static Value gelu(const Scalars &s, Value x) {
  Value scaled = s.div(x, s.number(std::numbers::sqrt2));
  Value bent = math::ErfOp::create(s.builder, s.loc, scaled);
  return s.mul(s.mul(s.number(0.5), x), s.add(s.number(1), bent));
}

static Value fastGelu(const Scalars &s, Value x) {
  Value cube = s.mul(s.mul(x, x), x);
  Value inner = s.add(x, s.mul(s.number(0.044715), cube));
  Value root = s.number(std::sqrt(2 * std::numbers::inv_pi));
  Value bent = math::TanhOp::create(s.builder, s.loc, s.mul(root, inner));
  return s.mul(s.mul(s.number(0.5), x), s.add(s.number(1), bent));
}

/// `body` of the sum of all inputs that are there.
template <Value (*body)(const Scalars &, Value)>
static LogicalResult ofSum(NodeContext &node) {
  DType dtype = node.dtype();
  SmallVector<Value> values;
  for (size_t i = 0; i < node.inputCount(); ++i)
    if (node.has(i))
      values.push_back(node.in(i));
  FailureOr<Value> value =
      node.map(values, dtype, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype);
        Value sum = v.front();
        for (Value next : v.drop_front())
          sum = s.add(sum, next);
        return body(s, sum);
      });
  return failed(value) ? failure() : node.result(*value, dtype);
}

static Value unchanged(const Scalars &, Value x) { return x; }

/// x * sigmoid(alpha * x).
static LogicalResult quickGelu(NodeContext &node) {
  DType dtype = node.dtype();
  double alpha = node.number("alpha", 1.702);
  return node.result(
      node.emit.map({node.in(0)}, node.typeOf(dtype),
                    [&](OpBuilder &b, Location loc, ValueRange v) {
                      Scalars s(b, loc, dtype);
                      Value power = math::ExpOp::create(
                          b, loc, s.neg(s.mul(s.number(alpha), v[0])));
                      return s.div(v[0], s.add(s.number(1), power));
                    }),
      dtype);
}

/// The first half of x + bias times the Gelu of the second.
static LogicalResult biasSplitGelu(NodeContext &node) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  Sizes sizes = emit.sizesOf(node.in(0));
  std::optional<int64_t> width = sizes.empty() ? 1 : emit.known(sizes.back());
  if (node.rank(1) != 1 || (width && *width % 2 != 0))
    return node.error("the last dimension of " + shapeText(node.in(0)) +
                      " must be even and the bias a vector");
  Sizes start(sizes.size(), emit.index(0)), ones(sizes.size(), emit.index(1));
  sizes.back() = emit.floorDiv(sizes.back(), 2);
  auto halves = [&](Value tensor, size_t rank) {
    Sizes from(start.end() - static_cast<std::ptrdiff_t>(rank), start.end());
    Sizes half(sizes.end() - static_cast<std::ptrdiff_t>(rank), sizes.end());
    Sizes steps(rank, emit.index(1));
    Value first = emit.slice(tensor, from, half, steps);
    from.back() = sizes.back();
    return std::pair(first, emit.slice(tensor, from, half, steps));
  };
  auto [left, right] = halves(node.in(0), sizes.size());
  auto [leftBias, rightBias] = halves(node.in(1), 1);
  FailureOr<Value> value =
      node.map({left, leftBias, right, rightBias}, dtype,
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc, dtype);
                 return s.mul(s.add(v[0], v[1]), gelu(s, s.add(v[2], v[3])));
               });
  return failed(value) ? failure() : node.result(*value, dtype);
}

/// An operand of FusedMatMul with its transpositions carried out: first the
/// leading dimension moves before the rows, then rows and columns change.
static FailureOr<Value> transposedOperand(NodeContext &node, size_t i) {
  StringRef letter = i == 0 ? "A" : "B";
  int64_t rank = node.rank(i);
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    order.push_back(dim);
  bool movesBatch = node.integer(("transBatch" + letter).str(), 0) != 0;
  if (movesBatch && rank < 3)
    return node.error("'transBatch" + letter + "' needs a batch");
  if (movesBatch)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (node.integer(("trans" + letter).str(), 0) != 0 && rank > 1)
    std::swap(order[order.size() - 2], order.back());
  bool isIdentity = llvm::is_sorted(order);
  return isIdentity ? node.in(i) : node.emit.transpose(node.in(i), order);
}

static LogicalResult fusedMatMul(NodeContext &node) {
  DType dtype = node.dtype();
  FailureOr<Value> a = transposedOperand(node, 0);
  FailureOr<Value> b = transposedOperand(node, 1);
  if (failed(a) || failed(b))
    return failure();
  FailureOr<Value> product = emitOnnxMatMul(node, *a, *b, dtype);
  if (failed(product))
    return failure();
  double alpha = node.number("alpha", 1.0);
  if (alpha == 1.0)
    return node.result(*product, dtype);
  return node.result(
      node.emit.map({*product}, node.typeOf(dtype),
                    [&](OpBuilder &at, Location loc, ValueRange v) {
                      Scalars s(at, loc, dtype);
                      return s.mul(v[0], s.number(alpha));
                    }),
      dtype);
}

namespace lh {
void addContribActivationOps(OpTable &table) {
  using namespace OpRule;
  unsigned same = Float | Same | WidenHalf;
  table.add("com.microsoft.Gelu", {1, 1, same, ofSum<gelu>});
  table.add("com.microsoft.FastGelu", {1, 1, same, ofSum<fastGelu>});
  table.add("com.microsoft.BiasGelu", {1, 2, same, ofSum<gelu>});
  table.add("com.microsoft.QuickGelu", {1, 1, same, quickGelu});
  table.add("com.microsoft.BiasAdd", {1, 3, same, ofSum<unchanged>});
  table.add("com.microsoft.BiasSplitGelu", {1, 2, same, biasSplitGelu});
  table.add("com.microsoft.FusedMatMul", {1, 2, same, fusedMatMul});
  table.add("com.microsoft.TransposeMatMul", {1, 2, same, fusedMatMul});
}
} // namespace lh
