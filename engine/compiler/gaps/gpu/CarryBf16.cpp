// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-carry-bf16.
#include "compiler/gaps/Gaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_CARRYBF16PASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// Whether an op computes with bf16, rather than moving it.
static bool computesBf16(Operation *op) {
  auto isBf16 = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  return (isa<LLVM::FastmathFlagsInterface, arith::ArithFastMathInterface>(
              op) ||
          isa<LLVM::FPExtOp, LLVM::FPTruncOp, LLVM::SIToFPOp, LLVM::UIToFPOp,
              LLVM::FPToSIOp, LLVM::FPToUIOp, arith::ExtFOp, arith::TruncFOp,
              arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
              arith::FPToUIOp>(op)) &&
         !isa<LLVM::SelectOp, arith::SelectOp>(op) &&
         (llvm::any_of(op->getOperandTypes(), isBf16) ||
          llvm::any_of(op->getResultTypes(), isBf16));
}

/// The same bits as integers; null for what isn't bf16.
static Attribute bitsOf(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value);
      number && number.getType().isBF16())
    return IntegerAttr::get(IntegerType::get(value.getContext(), 16),
                            number.getValue().bitcastToAPInt());
  if (auto numbers = dyn_cast<DenseFPElementsAttr>(value);
      numbers && numbers.getElementType().isBF16())
    return numbers.bitcast(IntegerType::get(value.getContext(), 16));
  return nullptr;
}

namespace {
struct CarryBf16Pass : lh::impl::CarryBf16PassBase<CarryBf16Pass> {
  void runOnOperation() override {
    WalkResult kept = getOperation()->walk([](Operation *op) {
      if (!computesBf16(op))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName()
                      << "' computes with bf16, which these GPUs only hold; "
                         "'arith-emulate-unsupported-floats' goes before";
      return WalkResult::interrupt();
    });
    if (kept.wasInterrupted())
      return signalPassFailure();
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [](Attribute value) -> std::optional<std::pair<Attribute, WalkResult>> {
          if (Attribute bits = bitsOf(value))
            return std::pair(bits, WalkResult::skip());
          return std::nullopt;
        });
    replacer.addReplacement([](BFloat16Type type) -> Type {
      return IntegerType::get(type.getContext(), 16);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};
} // namespace
