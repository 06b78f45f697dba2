// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits comparisons and selections.
#include "compiler/gaps/rows/Extremes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value lh::selectBetter(OpBuilder &builder, Location loc, bool isMaximum,
                       Value one, Value best) {
  auto predicate =
      isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value isBetter = arith::CmpFOp::create(builder, loc, predicate, one, best);
  return arith::SelectOp::create(builder, loc, isBetter, one, best);
}

Value lh::findNaNs(OpBuilder &builder, Location loc, ArrayRef<Value> vectors) {
  Value any;
  for (size_t i = 0; i < vectors.size(); i += 2) {
    Value next = vectors[std::min(i + 1, vectors.size() - 1)];
    Value these = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                        vectors[i], next);
    any = any ? arith::OrIOp::create(builder, loc, any, these) : these;
  }
  return any;
}
