// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BitCast: the bits of the elements taken for another type of their width.
#include "compiler/ingress/onnx/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

/// Types of at most eight bits are bytes that hold an element in a form of
/// their own: bools are 0 or 1, signed integers repeat their sign.
static Value asKept(const Scalars &s, Value byte, DType target) {
  Type type = byte.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(s.builder, s.loc, type, value);
  };
  if (target == DType::Bool)
    return s.toBool(arith::CmpIOp::create(
        s.builder, s.loc, arith::CmpIPredicate::ne, byte, constant(0)));
  if (!isPacked(target))
    return byte;
  int64_t bits = storedBits(target);
  if (isInteger(target) && !isUnsigned(target)) {
    Value count = constant(8 - bits);
    Value high = arith::ShLIOp::create(s.builder, s.loc, byte, count);
    return arith::ShRSIOp::create(s.builder, s.loc, high, count);
  }
  return arith::AndIOp::create(s.builder, s.loc, byte,
                               constant((int64_t(1) << bits) - 1));
}

static LogicalResult bitCast(NodeContext &node) {
  int64_t number = node.integer("to", 0);
  std::optional<DType> target = dtypeOfOnnx(number);
  if (!target)
    return node.error("a cast to '" + onnxTypeName(number) +
                          "' is not supported",
                      DiagKind::IngressUnsupportedType);
  if (storedBits(*target) != storedBits(node.dtype()))
    return node.error("elements of '" + dtypeName(node.dtype()) + "' and '" +
                      dtypeName(*target) + "' differ in width");
  Type type = node.typeOf(*target);
  return node.result(
      node.emit.map({node.in(0)}, type,
                    [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                      if (v[0].getType() != type)
                        return arith::BitcastOp::create(b, loc, type, v[0]);
                      if (storedBits(*target) > 8)
                        return v[0];
                      return asKept(Scalars(b, loc, *target), v[0], *target);
                    }),
      *target);
}

namespace lh {
void addBitCastOps(OpTable &table) {
  table.add("BitCast", {26, 1, OpRule::None, bitCast});
}
} // namespace lh
