// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions on scalars as bodies of loops.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_REGIONS_H
#define LH_COMPILER_INGRESS_STABLEHLO_REGIONS_H

#include "compiler/ingress/stablehlo/OpContext.h"

namespace lh {

/// A region of an operation at hand, to be computed on scalars. What fails
/// while code is built is remembered until the converter asks.
class ScalarBodyOf {
public:
  ScalarBodyOf(OpContext &context, unsigned region = 0)
      : context(context), region(context.op.getRegion(region)) {}

  /// The region's results for `arguments`, of the types `results`; zeros where
  /// it fails.
  llvm::SmallVector<mlir::Value> operator()(mlir::OpBuilder &b,
                                            mlir::Location loc,
                                            mlir::ValueRange arguments,
                                            ArrayRef<DType> results);
  LogicalResult finish(LogicalResult done) const {
    return failure(hasFailed || failed(done));
  }

private:
  OpContext &context;
  mlir::Region &region;
  bool hasFailed = false;
};

/// A body that is one operation on its two arguments, such as a sum.
enum class Combination { Sum, Product, Largest, Smallest, None };

/// What `region` of two scalars is.
Combination combinationOf(mlir::Region &region);

/// The combination of two scalars; it isn't None.
mlir::Value combine(const Scalars &s, Combination how, mlir::Value a,
                    mlir::Value b);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_REGIONS_H
