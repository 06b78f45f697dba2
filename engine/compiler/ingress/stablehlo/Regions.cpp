// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions on scalars as bodies of loops.
#include "compiler/ingress/stablehlo/Regions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace lh;
using namespace mlir;

static bool haveTypes(ArrayRef<Value> values, ArrayRef<DType> types) {
  return values.size() == types.size() &&
         llvm::all_of(llvm::zip(values, types), [](auto pair) {
           auto [value, dtype] = pair;
           return value.getType() == elementTypeOf(dtype, value.getContext());
         });
}

SmallVector<Value> ScalarBodyOf::operator()(OpBuilder &b, Location loc,
                                            ValueRange arguments,
                                            ArrayRef<DType> results) {
  if (!hasFailed) {
    auto made = context.bodies.computeScalars(region, b, loc, arguments);
    if (succeeded(made) && haveTypes(*made, results))
      return *made;
    if (succeeded(made))
      (void)context.error("its region doesn't give " + Twine(results.size()) +
                          (results.size() == 1 ? " value" : " values") +
                          " of the types that are needed");
    hasFailed = true;
  }
  SmallVector<Value> standIns;
  for (DType dtype : results)
    standIns.push_back(Scalars(b, loc, dtype).number(0));
  return standIns;
}

Combination lh::combinationOf(Region &region) {
  if (!region.hasOneBlock() || region.getNumArguments() != 2 ||
      !llvm::hasNItems(region.front(), 2))
    return Combination::None;
  Operation &op = region.front().front(), &end = region.front().back();
  bool isPlain = op.getNumOperands() == 2 && op.getNumResults() == 1 &&
                 end.getNumOperands() == 1 &&
                 end.getOperand(0) == op.getResult(0) &&
                 op.getOperand(0) != op.getOperand(1) &&
                 llvm::all_of(op.getOperands(), [&](Value operand) {
                   return operand.getParentRegion() == &region &&
                          operand.getType() == op.getResult(0).getType();
                 });
  if (!isPlain)
    return Combination::None;
  return llvm::StringSwitch<Combination>(op.getName().getStringRef())
      .Case("stablehlo.add", Combination::Sum)
      .Case("stablehlo.multiply", Combination::Product)
      .Case("stablehlo.maximum", Combination::Largest)
      .Case("stablehlo.minimum", Combination::Smallest)
      .Default(Combination::None);
}

Value lh::combine(const Scalars &s, Combination how, Value a, Value b) {
  switch (how) {
  case Combination::Sum:
    return s.add(a, b);
  case Combination::Product:
    return s.mul(a, b);
  case Combination::Largest:
    return s.max(a, b);
  case Combination::Smallest:
    return s.min(a, b);
  case Combination::None:
    break;
  }
  llvm_unreachable("no combination");
}
