// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the forms of tensor code that gap passes make.
#ifndef LH_COMPILER_GAPS_TENSORBUILDER_H
#define LH_COMPILER_GAPS_TENSORBUILDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

inline mlir::RankedTensorType typeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType());
}

/// All dimensions of a tensor but the last one in one: rows of a matrix.
llvm::SmallVector<mlir::ReassociationIndices> rowsOf(mlir::Value tensor);

/// Emits ops on tensors at the builder's insertion point.
class TensorBuilder {
public:
  /// A body of scalars: block arguments in, the result out.
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;

  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Of the sizes of `like`, which needn't be known; of its own element type
  /// when none is given.
  mlir::Value emptyLike(mlir::Value like, mlir::Type element = {});
  using Numbers = llvm::ArrayRef<mlir::OpFoldResult>;
  /// `into` with `number` everywhere, or in a part of it, which may be empty.
  mlir::Value filled(mlir::Value into, mlir::Value number);
  mlir::Value filled(mlir::Value into, mlir::Value number, Numbers offsets,
                     Numbers sizes);
  mlir::Value zeros(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::Value zerosLike(mlir::Value like, mlir::Type element = {});
  /// The scalar zero.
  mlir::Value zero(mlir::Type element);

  /// linalg.generic of parallel loops over `into`; `maps` are the inputs'.
  mlir::linalg::GenericOp generic(mlir::ValueRange inputs,
                                  llvm::ArrayRef<mlir::AffineMap> maps,
                                  mlir::Value into, Body body);
  /// Inputs of one shape, element by element.
  mlir::Value map(mlir::ValueRange inputs, mlir::Type element, Body body);
  /// a + b, of floats or integers.
  mlir::Value add(mlir::Value a, mlir::Value b);
  /// Floats extended or rounded.
  mlir::Value converted(mlir::Value tensor, mlir::Type element);

  /// `tensor`'s dimensions in the order `order`.
  mlir::Value transposed(mlir::Value tensor, llvm::ArrayRef<int64_t> order);
  mlir::Value collapsed(mlir::Value tensor,
                        llvm::ArrayRef<mlir::ReassociationIndices> groups);

  llvm::SmallVector<mlir::OpFoldResult> numbers(llvm::ArrayRef<int64_t> all);
  /// The elements of `tensor` from `offsets` on, `sizes` of them; and `into`
  /// with `piece` there; or with what `write` makes of what is there.
  mlir::Value slice(mlir::Value tensor, Numbers offsets, Numbers sizes);
  mlir::Value inserted(mlir::Value piece, mlir::Value into, Numbers offsets,
                       Numbers sizes);
  mlir::Value changed(mlir::Value into, Numbers offsets, Numbers sizes,
                      llvm::function_ref<mlir::Value(mlir::Value)> write);

  mlir::Value index(int64_t number);
  mlir::Value apply(mlir::AffineExpr expression, mlir::ValueRange values);
  /// What `step` makes of `carried` for each number from 0 to `count`. By ones:
  /// such loops are what loop-invariant code motion moves.
  mlir::Value
  loop(mlir::Value count, mlir::Value carried,
       llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> step);

protected:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace lh

#endif // LH_COMPILER_GAPS_TENSORBUILDER_H
