// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths in modules.
#include "runtime/abi/PathAttributes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

using namespace lh;

static void add(mlir::AttrTypeReplacer &replacer, PathChange change) {
  replacer.addReplacement(
      [change](mlir::StringAttr text) -> std::optional<mlir::Attribute> {
        std::string changed = change(text.getValue());
        if (changed == text.getValue())
          return std::nullopt;
        return mlir::StringAttr::get(changed, text.getType());
      });
}

void lh::changePaths(mlir::Operation *op, PathChange change) {
  mlir::AttrTypeReplacer replacer;
  add(replacer, change);
  replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/true);
}

mlir::Attribute lh::withPaths(mlir::Attribute attribute, PathChange change) {
  if (!attribute)
    return attribute;
  mlir::AttrTypeReplacer replacer;
  add(replacer, change);
  return replacer.replace(attribute);
}
