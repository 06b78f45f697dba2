// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several mutation operators do.
#include "Sites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

std::string lh::mutation::textOf(Operation *op) {
  constexpr size_t longest = 160;
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, OpPrintingFlags().skipRegions().elideLargeElementsAttrs(8));
  if (text.size() > longest)
    text = text.substr(0, longest) + "...";
  return text;
}

void lh::mutation::replaceByKind(OpBuilder &builder, Operation *op,
                                 StringRef kind) {
  OperationState state(op->getLoc(), kind, op->getOperands(),
                       op->getResultTypes());
  Operation *other = builder.create(state);
  op->replaceAllUsesWith(other->getResults());
  op->erase();
}

/// Whether arithmetic on it is LLVM's: that of the devices' dialects is, too.
static bool isLLVM(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = value.getParentBlock()->getParentOp();
  return llvm::is_contained({"llvm", "nvvm", "rocdl"},
                            op->getName().getDialectNamespace());
}

Value lh::mutation::shifted(OpBuilder &builder, Value value, int64_t delta) {
  Type type = value.getType();
  Location loc = value.getLoc();
  Type element = getElementTypeOrSelf(type);
  TypedAttr number = builder.getIntegerAttr(element, delta);
  if (auto shaped = dyn_cast<ShapedType>(type))
    number = DenseElementsAttr::get(shaped, Attribute(number));
  if (!isLLVM(value)) {
    Value step = arith::ConstantOp::create(builder, loc, number);
    return arith::AddIOp::create(builder, loc, value, step);
  }
  Value step = LLVM::ConstantOp::create(builder, loc, type, number);
  return LLVM::AddOp::create(builder, loc, value, step);
}

Value lh::mutation::zeroOf(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

FloatType lh::mutation::floatOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return dyn_cast<FloatType>(type);
}

bool lh::mutation::hasName(Operation *op,
                           std::initializer_list<StringRef> names) {
  return llvm::is_contained(names, op->getName().getStringRef());
}
