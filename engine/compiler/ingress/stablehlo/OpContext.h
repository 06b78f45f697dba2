// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a converter sees of its operation, and where it puts the results.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_OPCONTEXT_H
#define LH_COMPILER_INGRESS_STABLEHLO_OPCONTEXT_H

#include "compiler/ingress/emit/Emitter.h"
#include "compiler/ingress/mlir/MlirImporter.h"
#include "compiler/ingress/stablehlo/ElementTypes.h"

#include "mlir/IR/Operation.h"

namespace lh {

/// Imports what operations hold or refer to.
class Bodies {
public:
  virtual ~Bodies() = default;
  /// Imports `region`'s block at the insertion point; returns what its
  /// terminator yields.
  virtual FailureOr<std::vector<HloValue>>
  importRegion(mlir::Region &region, ArrayRef<HloValue> arguments) = 0;
  /// The same of the function `name`, as a part of `user`.
  virtual FailureOr<std::vector<HloValue>>
  importCall(mlir::Operation &user, StringRef name,
             ArrayRef<HloValue> arguments) = 0;
  /// Computes `region` on scalars, inside the body of another operation.
  /// `scalars` are the block's arguments, by their own element types.
  virtual FailureOr<llvm::SmallVector<mlir::Value>>
  computeScalars(mlir::Region &region, mlir::OpBuilder &b, mlir::Location loc,
                 mlir::ValueRange scalars) = 0;
};

/// Beyond this, arithmetic on windows could overflow; no program comes near.
inline constexpr int64_t maxWindowValue = int64_t(1) << 24;
/// Whether a window's margin, which may be negative, is one.
inline bool isMargin(int64_t size) {
  return size >= -maxWindowValue && size <= maxWindowValue;
}

/// One operation during its conversion.
class OpContext {
public:
  OpContext(mlir::Operation &op, Emitter &emit, std::vector<HloValue> inputs,
            Bodies &bodies, DiagnosticSink &sink);

  /// Without its dialect.
  StringRef name() const { return op.getName().stripDialect(); }
  /// Emits an error at the operation and fails.
  LogicalResult error(const Twine &message,
                      DiagKind kind = DiagKind::IngressInvalidNode) const;
  LogicalResult mismatch(const Twine &message) const {
    return error(message, DiagKind::IngressShapeMismatch);
  }

  // Operands.
  size_t inputCount() const { return inputs.size(); }
  mlir::Value in(size_t i) const { return inputs[i].tensor; }
  DType dtype(size_t i = 0) const { return inputs[i].dtype; }
  int64_t rank(size_t i = 0) const { return rankOf(in(i)); }
  const HloValue &value(size_t i) const { return inputs[i]; }
  ArrayRef<HloValue> values() const { return inputs; }
  /// The single element of operand `i` as an index; fails where it has more or
  /// isn't an integer.
  FailureOr<mlir::Value> index(size_t i) const;
  /// The elements of the integer operand `i` of rank 1, `count` of them.
  FailureOr<Sizes> indices(size_t i, size_t count) const;
  /// Fails unless operand `i` is a scalar.
  LogicalResult needScalar(size_t i, StringRef what) const;

  // Attributes, those of structures such as dot_dimension_numbers included.
  mlir::Attribute attribute(StringRef name) const;
  /// Integers of any form; empty when it is absent. Fails when it isn't a list
  /// of integers.
  FailureOr<llvm::SmallVector<int64_t>> integers(StringRef name) const;
  /// The same with `count` of them, each `otherwise` when it is absent.
  FailureOr<llvm::SmallVector<int64_t>> integers(StringRef name, size_t count,
                                                 int64_t otherwise) const;
  /// An integer that must be there.
  FailureOr<int64_t> integer(StringRef name) const;
  int64_t integer(StringRef name, int64_t otherwise) const;
  std::string word(StringRef name, StringRef otherwise) const;
  bool flag(StringRef name, bool otherwise) const;
  /// Distinct numbers in [0, rank).
  FailureOr<llvm::SmallVector<int64_t>> dimensions(StringRef name,
                                                   int64_t rank) const;

  // Results.
  size_t resultCount() const { return op.getNumResults(); }
  /// As it is declared, with our element type.
  mlir::RankedTensorType declared(size_t i = 0) const;
  DType resultType(size_t i = 0) const;
  /// The declared sizes; where they are open, those of `computed`.
  Sizes sizesOr(const Sizes &computed, size_t i = 0) const;
  void set(size_t i, mlir::Value tensor) {
    results[i] = {tensor, resultType(i)};
  }
  LogicalResult result(mlir::Value tensor) {
    set(0, tensor);
    return llvm::success();
  }
  /// Every element of the only result from its indices.
  LogicalResult resultByPlace(Sizes sizes, ScalarBody body) {
    return result(
        emit.generate(std::move(sizes), emit.typeOf(resultType()), body));
  }

  /// Operand `i` in the type that arithmetic on it is done in.
  mlir::Value computed(size_t i) const {
    return emit.convert(in(i), dtype(i), computeTypeOf(dtype(i)));
  }
  /// `tensor` of `from` as the declared element type of result 0.
  mlir::Value rounded(mlir::Value tensor, DType from) const {
    return emit.convert(tensor, from, resultType());
  }

  mlir::Operation &op;
  Emitter &emit;
  Bodies &bodies;
  DiagnosticSink &sink;
  std::vector<std::optional<HloValue>> results;

private:
  std::vector<HloValue> inputs;
};

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_OPCONTEXT_H
