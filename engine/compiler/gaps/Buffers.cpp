// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gap passes ask of buffers.
#include "compiler/gaps/Buffers.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace lh;
using namespace mlir;

Value lh::bufferOf(Value view) {
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>())
    view = op.getViewSource();
  return view;
}

int64_t lh::bytesPerElement(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), CHAR_BIT);
}
