// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VHLO's operations by StableHLO's names.
#include "compiler/ingress/stablehlo/VhloReader.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace lh;
using namespace mlir;

/// "add" of "vhlo.add_v1".
static StringRef baseName(Operation &op) {
  StringRef name = op.getName().stripDialect();
  size_t at = name.rfind("_v");
  unsigned version = 0;
  bool hasVersion =
      at != StringRef::npos && !name.substr(at + 2).getAsInteger(10, version);
  return hasVersion ? name.take_front(at) : name;
}

static void replaceFunction(Operation &op, OpBuilder &b) {
  auto name = dyn_cast_or_null<StringAttr>(op.getAttr("sym_name"));
  auto typeAttribute = dyn_cast_or_null<TypeAttr>(op.getAttr("function_type"));
  auto type = typeAttribute ? dyn_cast<FunctionType>(typeAttribute.getValue())
                            : FunctionType();
  if (!name || !type || op.getNumRegions() != 1 || op.getNumResults() != 0)
    return;
  auto made = func::FuncOp::create(b, op.getLoc(), name, type);
  auto visibility = dyn_cast_or_null<StringAttr>(op.getAttr("sym_visibility"));
  if (visibility && visibility.getValue() == "private")
    made.setPrivate();
  made.getBody().takeBody(op.getRegion(0));
  op.erase();
}

static void replaceOperation(Operation &op, OpBuilder &b) {
  StringRef name = baseName(op);
  Operation *made = nullptr;
  auto callee = dyn_cast_or_null<StringAttr>(op.getAttr("callee"));
  if (name == "call" && callee) {
    made = func::CallOp::create(b, op.getLoc(), callee, op.getResultTypes(),
                                op.getOperands());
  } else if (name == "return" && op.getNumResults() == 0 &&
             isa<func::FuncOp>(op.getParentOp())) {
    made = func::ReturnOp::create(b, op.getLoc(), op.getOperands());
  } else {
    OperationState state(op.getLoc(), ("stablehlo." + name).str(),
                         op.getOperands(), op.getResultTypes(),
                         op.getDiscardableAttrDictionary().getValue());
    if (auto fields =
            dyn_cast_or_null<DictionaryAttr>(op.getPropertiesAsAttribute()))
      state.addAttributes(fields.getValue());
    for (Region &region : op.getRegions())
      state.addRegion()->takeBody(region);
    made = b.create(state);
  }
  op.replaceAllUsesWith(made->getResults());
  op.erase();
}

void lh::renameVhlo(ModuleOp module) {
  SmallVector<Operation *> functions, others;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getName().getDialectNamespace() == "vhlo")
      (baseName(*op) == "func" ? functions : others).push_back(op);
  });
  OpBuilder b(module.getContext());
  for (Operation *op : functions) {
    b.setInsertionPoint(op);
    replaceFunction(*op, b);
  }
  for (Operation *op : others) {
    b.setInsertionPoint(op);
    replaceOperation(*op, b);
  }
}
