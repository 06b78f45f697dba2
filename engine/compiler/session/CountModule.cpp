// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module holds, in numbers.
#include "compiler/session/CountModule.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/DenseMap.h"

using namespace lh;

/// Of a constant's attribute, where it is large.
static int64_t dataBytes(mlir::Attribute attribute) {
  constexpr int64_t mostInline = 16; // elements
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(attribute);
  if (!elements || elements.getNumElements() <= mostInline)
    return 0;
  if (auto dense = llvm::dyn_cast<mlir::DenseIntOrFPElementsAttr>(attribute))
    return static_cast<int64_t>(dense.getRawData().size());
  if (auto resource =
          llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attribute))
    if (const mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return static_cast<int64_t>(blob->getData().size());
  return 0;
}

ModuleCount lh::countModule(mlir::ModuleOp module) {
  // Dialects by identity first: a name for each operation would take longer
  // than the walk.
  llvm::DenseMap<mlir::Dialect *, int64_t> byDialect;
  ModuleCount count;
  module.walk([&](mlir::Operation *op) {
    if (op == module)
      return;
    if (mlir::Dialect *dialect = op->getDialect())
      ++byDialect[dialect];
    else
      ++count.operations[op->getName().getDialectNamespace().str()];
    if (op->getNumOperands() == 0)
      if (auto value = op->getAttrOfType<mlir::Attribute>("value"))
        count.constantBytes += dataBytes(value);
  });
  for (auto [dialect, number] : byDialect)
    count.operations[dialect->getNamespace().str()] = number;
  return count;
}
