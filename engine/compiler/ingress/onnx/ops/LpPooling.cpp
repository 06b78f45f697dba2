// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LpPool and GlobalLpPool: the p-norm of each window.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Pool.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

/// The norm's p: a float attribute before opset 2, an integer after.
static FailureOr<double> readP(NodeContext &node) {
  const OnnxAttribute *given = node.attribute("p");
  double p = 2;
  if (given)
    p = node.opset < 2 ? node.number("p", 2)
                       : static_cast<double>(node.integer("p", 2));
  if (p > 0)
    return p;
  return node.error("'p' must be above 0");
}

/// |x|^p of each element (p > 0).
static Value powers(NodeContext &node, double p) {
  DType dtype = node.dtype();
  return node.emit.map({node.in(0)}, node.typeOf(dtype),
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         Scalars s(b, loc, dtype);
                         if (p == 2)
                           return s.mul(v[0], v[0]);
                         Value size = s.abs(v[0]);
                         if (p == 1)
                           return size;
                         return math::PowFOp::create(b, loc, size, s.number(p));
                       });
}

static Value root(NodeContext &node, Value sum, double p) {
  DType dtype = node.dtype();
  if (p == 1)
    return sum;
  return node.emit.map({sum}, node.typeOf(dtype),
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         if (p == 2)
                           return math::SqrtOp::create(b, loc, v[0]);
                         return math::PowFOp::create(
                             b, loc, v[0],
                             Scalars(b, loc, dtype).number(1 / p));
                       });
}

static LogicalResult lpPool(NodeContext &node) {
  FailureOr<Pool> pool = readPool(node);
  FailureOr<double> p = readP(node);
  if (failed(pool) || failed(p))
    return failure();
  Value zero = node.scalars(node.dtype()).number(0);
  Value padded =
      padSpatially(node.emit, powers(node, *p), pool->extended, zero);
  Value sum =
      sumPool(node.emit, padded, pool->sizes, pool->window, node.dtype());
  return node.result(root(node, sum, *p), node.dtype());
}

static LogicalResult globalLpPool(NodeContext &node) {
  FailureOr<SmallVector<bool>> axes = spatialAxes(node);
  FailureOr<double> p = readP(node);
  if (failed(axes) || failed(p))
    return failure();
  Value sum = emitSum(node, powers(node, *p), *axes);
  Value norm = root(node, sum, *p);
  return node.result(node.emit.unreduce(norm, *axes), node.dtype());
}

void lh::addLpPoolingOps(OpTable &table) {
  using namespace OpRule;
  table.add("LpPool", {1, 1, Float | WidenHalf, lpPool});
  table.add("GlobalLpPool", {1, 1, Float | WidenHalf, globalLpPool});
}
