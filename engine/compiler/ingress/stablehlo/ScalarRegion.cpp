// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions computed on scalars, operation by operation.
#include "compiler/ingress/stablehlo/ScalarRegion.h"

#include "compiler/ingress/stablehlo/Constants.h"
#include "compiler/ingress/stablehlo/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace lh;
using namespace mlir;

/// The element type of a tensor of rank 0; nothing for other types.
static std::optional<DType> scalarType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != 0)
    return std::nullopt;
  return dtypeOf(tensor.getElementType());
}

LogicalResult ScalarRegion::refuse(Operation &op, const Twine &message) {
  Operation *user = op.getParentOp();
  return sink.error(DiagKind::IngressUnsupportedOp, spanOf(op.getLoc()),
                    "'" + op.getName().getStringRef() + "' in the body of '" +
                        user->getName().getStringRef() + "': " + message);
}

LogicalResult ScalarRegion::bind(Region &region, ValueRange arguments) {
  if (!region.hasOneBlock() || region.getNumArguments() != arguments.size())
    return sink.error(DiagKind::IngressInvalidNode, spanOf(region.getLoc()),
                      "a region must have one block of " +
                          Twine(arguments.size()) + " arguments");
  for (auto [own, value] : llvm::zip(region.getArguments(), arguments)) {
    std::optional<DType> dtype = scalarType(own.getType());
    if (!dtype || elementTypeOf(*dtype, b.getContext()) != value.getType())
      return sink.error(DiagKind::IngressShapeMismatch, spanOf(region.getLoc()),
                        "argument " + Twine(own.getArgNumber()) +
                            " of a region is no scalar of the type that it "
                            "stands for");
    known[own] = value;
  }
  return success();
}

/// Scalars of the enclosing function may be read too. Fails without a word
/// where an operation before has failed.
FailureOr<ScalarRegion::Values> ScalarRegion::operandsOf(Operation &op) {
  Values operands;
  for (Value operand : op.getOperands()) {
    if (!scalarType(operand.getType()))
      return refuse(op, "only scalars can be computed there");
    if (Value scalar = known.lookup(operand)) {
      operands.push_back(scalar);
      continue;
    }
    auto found = outer.find(operand);
    if (found == outer.end() || !found->second.tensor)
      return failure();
    operands.push_back(extractElement(b, loc, found->second.tensor, {}));
  }
  return operands;
}

LogicalResult ScalarRegion::call(Operation &op, StringRef callee,
                                 const Values &operands) {
  auto function = program.lookupSymbol<func::FuncOp>(callee);
  if (!function || function.isExternal() ||
      llvm::is_contained(calls, callee.str()))
    return refuse(op, "there is no function '@" + callee + "' to call");
  calls.push_back(callee.str());
  auto results = run(function.getBody(), operands);
  calls.pop_back();
  if (failed(results))
    return failure();
  if (results->size() != op.getNumResults())
    return refuse(op, "the function gives another number of results");
  for (auto [result, value] : llvm::zip(op.getResults(), *results))
    known[result] = value;
  return success();
}

/// Of one scalar, these are the scalar itself.
static bool keepsScalar(StringRef name) {
  return name == "stablehlo.reshape" || name == "stablehlo.transpose" ||
         name == "stablehlo.broadcast_in_dim" ||
         name == "stablehlo.optimization_barrier";
}

static Value constantScalar(Operation &op, OpBuilder &b, Location loc,
                            DType dtype) {
  auto value = dyn_cast_or_null<DenseElementsAttr>(op.getAttr("value"));
  DenseElementsAttr kept = value ? asKept(value, dtype) : DenseElementsAttr();
  if (!kept || kept.getNumElements() != 1)
    return {};
  return arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(*kept.value_begin<Attribute>()));
}

FailureOr<Value> ScalarRegion::resultOf(Operation &op, const Values &operands) {
  std::optional<DType> result = op.getNumResults() == 1
                                    ? scalarType(op.getResult(0).getType())
                                    : std::nullopt;
  if (!result)
    return refuse(op, "only scalars can be computed there");
  SmallVector<DType> dtypes;
  for (Value operand : op.getOperands())
    dtypes.push_back(*scalarType(operand.getType()));
  StringRef name = op.getName().getStringRef();
  if (name == "stablehlo.constant") {
    if (Value value = constantScalar(op, b, loc, *result))
      return value;
    return refuse(op, "its value is no scalar of its type");
  }
  if (keepsScalar(name) && operands.size() == 1 && dtypes[0] == *result)
    return operands[0];
  if (name == "stablehlo.bitcast_convert" && operands.size() == 1 &&
      storedBits(dtypes[0]) == storedBits(*result))
    return castBits(b, loc, operands[0], dtypes[0], *result);
  const ScalarRow *row = findScalarRow(name);
  if (!row)
    return refuse(op, "it isn't elementwise");
  if (row->operands != operands.size())
    return refuse(op, "it has " + Twine(operands.size()) + " operands, " +
                          Twine(row->operands) + " are needed");
  if (std::optional<std::string> why = whyNotScalar(*row, op, dtypes, *result))
    return refuse(op, *why);
  return computeScalar(*row, op, b, loc, operands, dtypes, *result);
}

LogicalResult ScalarRegion::compute(Operation &op, const Values &operands) {
  if (auto callee = dyn_cast<func::CallOp>(op))
    return call(op, callee.getCallee(), operands);
  FailureOr<Value> result = resultOf(op, operands);
  if (failed(result))
    return failure();
  known[op.getResult(0)] = *result;
  return success();
}

FailureOr<SmallVector<Value>> ScalarRegion::run(Region &region,
                                                ValueRange arguments) {
  if (failed(bind(region, arguments)))
    return failure();
  for (Operation &op : region.front()) {
    FailureOr<Values> operands = operandsOf(op);
    if (failed(operands))
      return failure();
    if (op.getName().getStringRef() == "stablehlo.return" ||
        isa<func::ReturnOp>(op))
      return operands;
    if (failed(compute(op, *operands)))
      return failure();
  }
  return sink.error(DiagKind::IngressInvalidNode, spanOf(region.getLoc()),
                    "a region must end with 'stablehlo.return'");
}
