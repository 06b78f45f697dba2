// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds tensor code at one insertion point; hides which dialects it takes.
#ifndef LH_COMPILER_INGRESS_EMIT_EMITTER_H
#define LH_COMPILER_INGRESS_EMIT_EMITTER_H

#include "compiler/ingress/emit/Scalars.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>

namespace lh {

/// The sizes of a tensor: an index attribute where known, else an index value.
using Sizes = llvm::SmallVector<mlir::OpFoldResult, 4>;

/// A scalar body: block arguments in, the result out.
using ScalarBody = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

mlir::RankedTensorType tensorTypeOf(mlir::Value tensor);
int64_t rankOf(mlir::Value tensor);
/// "2x?x4" for messages.
std::string shapeText(mlir::Value tensor);
/// The same of a shape; a dynamic size is "?".
std::string sizesText(llvm::ArrayRef<int64_t> shape);

/// `number` towards zero, cut to what 64 bits hold; 0 for NaN. A cast would be
/// undefined for what a model may say of itself, such as an alpha of NaN.
int64_t wholeNumber(double number);

/// Emits straight-line code. Sizes of its own results are remembered, so that
/// two tensors of the same run-time size share one index value.
class Emitter {
public:
  explicit Emitter(mlir::OpBuilder &builder)
      : builder(builder), loc(builder.getUnknownLoc()) {}

  // Index arithmetic; folds when both sides are known.
  mlir::OpFoldResult index(int64_t value) const;
  std::optional<int64_t> known(mlir::OpFoldResult size) const;
  bool same(mlir::OpFoldResult a, mlir::OpFoldResult b) const;
  mlir::Value asValue(mlir::OpFoldResult size);
  llvm::SmallVector<mlir::Value>
  asValues(llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// A value read by tensor.dim, which cannot be negative.
  bool isTensorSize(mlir::OpFoldResult size) const;
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// Towards minus infinity. The divisor is positive.
  mlir::OpFoldResult floorDiv(mlir::OpFoldResult a, int64_t divisor);
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult a, int64_t divisor);
  /// Truncating; a divisor of 0 gives 0.
  mlir::OpFoldResult divide(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult max(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult min(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// `then` where `a` equals (is below) `b`, else `otherwise`.
  mlir::OpFoldResult selectEqual(mlir::OpFoldResult a, mlir::OpFoldResult b,
                                 mlir::OpFoldResult then,
                                 mlir::OpFoldResult otherwise);
  mlir::OpFoldResult selectLess(mlir::OpFoldResult a, mlir::OpFoldResult b,
                                mlir::OpFoldResult then,
                                mlir::OpFoldResult otherwise);
  /// 1 where `a` equals `b`, else 0.
  mlir::OpFoldResult equals(mlir::OpFoldResult a, mlir::OpFoldResult b) {
    return selectEqual(a, b, index(1), index(0));
  }
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  // Tensors.
  Sizes sizesOf(mlir::Value tensor);
  Sizes staticSizes(llvm::ArrayRef<int64_t> shape) const;
  mlir::Value empty(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                    mlir::Type element);
  mlir::Value filled(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     mlir::Value scalar);
  /// A constant tensor of doubles converted to `dtype`.
  mlir::Value constant(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<double> values, DType dtype);
  mlir::Value extract(mlir::Value tensor, mlir::ValueRange indices);
  /// A rank-0 or rank-1 tensor's only (first) element.
  mlir::Value scalarOf(mlir::Value tensor);

  /// The sizes that `tensors` broadcast to; failure when they can't.
  llvm::FailureOr<Sizes> broadcastSizes(llvm::ArrayRef<mlir::Value> tensors);
  /// Elementwise with broadcasting, to at least `sizes` when given. Inputs that
  /// don't broadcast are a mistake.
  mlir::Value map(llvm::ArrayRef<mlir::Value> inputs, mlir::Type element,
                  ScalarBody body);
  mlir::Value mapTo(Sizes sizes, llvm::ArrayRef<mlir::Value> inputs,
                    mlir::Type element, ScalarBody body);
  /// Every element from its indices.
  mlir::Value generate(Sizes sizes, mlir::Type element, ScalarBody body);
  /// linalg.generic with one result; `loops[i]` says that loop i reduces.
  /// The body gets the inputs and then the accumulator.
  mlir::Value generic(llvm::ArrayRef<mlir::Value> inputs,
                      llvm::ArrayRef<mlir::AffineMap> maps, mlir::Value init,
                      llvm::ArrayRef<bool> loops, ScalarBody body);
  llvm::SmallVector<mlir::Value>
  genericMany(llvm::ArrayRef<mlir::Value> inputs,
              llvm::ArrayRef<mlir::AffineMap> maps,
              llvm::ArrayRef<mlir::Value> inits, llvm::ArrayRef<bool> loops,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(
                  mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>
                  body);
  /// The value of loop `dim` inside a body.
  static mlir::Value loopIndex(mlir::OpBuilder &b, mlir::Location loc,
                               unsigned dim);

  /// Removes the marked axes by `combine(element, accumulator)`.
  mlir::Value reduce(mlir::Value input, llvm::ArrayRef<bool> axes,
                     mlir::Value init, ScalarBody combine);
  /// Reinserts size-1 axes where `axes` is set.
  mlir::Value unreduce(mlir::Value reduced, llvm::ArrayRef<bool> axes);

  mlir::Value convert(mlir::Value tensor, DType from, DType to,
                      const CastRules &rules = {});
  /// The same elements in row-major order under other sizes.
  mlir::Value reshape(mlir::Value tensor, Sizes sizes);
  mlir::Value transpose(mlir::Value tensor, llvm::ArrayRef<int64_t> order);
  mlir::Value pad(mlir::Value tensor, Sizes low, Sizes high,
                  mlir::Value scalar);
  /// Offsets and positive strides.
  mlir::Value slice(mlir::Value tensor, Sizes offsets, Sizes sizes,
                    Sizes strides);
  mlir::Value concat(int64_t axis, llvm::ArrayRef<mlir::Value> tensors);
  /// tensor.cast to `type`; the tensor itself when it has that type.
  mlir::Value castTo(mlir::Value tensor, mlir::RankedTensorType type);
  mlir::Value broadcastTo(mlir::Value tensor, Sizes sizes);
  /// A tensor of integers from index values, rank 0 or 1.
  mlir::Value fromElements(llvm::ArrayRef<mlir::OpFoldResult> elements,
                           bool isScalar, DType dtype);

  // Checks of sizes that only the run shows: a comparison of scalars each, and
  // nothing at all where the sizes are known. A failed one ends the run with
  // the node's name and `rule`.
  void requireSame(mlir::OpFoldResult a, mlir::OpFoldResult b,
                   const llvm::Twine &rule);
  /// `own` must be 1 or `wanted`.
  void requireBroadcast(mlir::OpFoldResult own, mlir::OpFoldResult wanted);
  /// Unless `condition` (i1) holds, the run ends.
  void require(mlir::Value condition, const llvm::Twine &rule);
  void requireNotNegative(mlir::OpFoldResult size, const llvm::Twine &rule);
  /// The one before the insertion point; null at the block's start.
  mlir::Operation *lastOperation() const;
  /// All operands of each linalg operation between `last` and the insertion
  /// point must have the sizes that its loops have.
  void requireLoopsSince(mlir::Operation *last);

  /// Remembers the run-time sizes of a value that was built elsewhere.
  mlir::Value remember(mlir::Value tensor,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes);
  void forget(mlir::Value tensor) { knownSizes.erase(tensor); }

  /// Makes one operation of elementwise ones of the same loops, built after
  /// `last`, of which each is used by the next alone. Results that take the
  /// place of those in `kept` are put there.
  void fuseSince(mlir::Operation *last, llvm::ArrayRef<mlir::Value *> kept);

  /// Lives while the body of a region is built: sizes remembered meanwhile are
  /// forgotten at its end, as their values can't be used outside. Restores the
  /// insertion point.
  class RegionScope {
  public:
    explicit RegionScope(Emitter &emit);
    ~RegionScope();
    RegionScope(const RegionScope &) = delete;
    RegionScope &operator=(const RegionScope &) = delete;

  private:
    Emitter &emit;
    mlir::OpBuilder::InsertionGuard guard;
  };

  mlir::Type typeOf(DType dtype) const {
    return elementTypeOf(dtype, builder.getContext());
  }
  Scalars scalars(DType dtype) const { return Scalars(builder, loc, dtype); }

  /// What a converter asked for and can't be, such as adding 2x3 and 4: an
  /// error of the node at hand.
  std::optional<std::string> mistake;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string node; ///< what is being converted: "node 'x' (Op)"

private:
  bool isNewCheck(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::Value flatten(mlir::Value tensor);
  mlir::Value reshapeByGroups(mlir::Value tensor, const Sizes &sizes);

  llvm::DenseMap<mlir::Value, Sizes> knownSizes;
  /// Per region being built, innermost last: what was remembered in it.
  std::vector<std::vector<mlir::Value>> regions;
  llvm::DenseSet<std::pair<mlir::Block *, std::pair<void *, void *>>> checked;
};

// Arithmetic on index values inside bodies.

mlir::Value indexConstant(mlir::OpBuilder &b, mlir::Location loc,
                          int64_t value);
using IndexOperation = mlir::Value(mlir::OpBuilder &b, mlir::Location loc,
                                   mlir::Value x, mlir::Value y);
IndexOperation indexAdd, indexSub, indexMul, indexDiv, indexRem;
/// i1: x < y, signed.
IndexOperation indexLess;
mlir::Value indexSelect(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value condition, mlir::Value x, mlir::Value y);
mlir::Value extractElement(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value tensor, mlir::ValueRange indices);
/// An integer scalar (signed unless `dtype` is unsigned) as an index.
mlir::Value toIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar,
                    DType dtype);
mlir::Value fromIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value index,
                      DType dtype);
/// An index as a float64 scalar.
mlir::Value doubleFromIndex(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value index);
/// Brings an ONNX index into [0, size): negative ones count from the end, and
/// what is out of range is clamped so that no read leaves the tensor.
mlir::Value normalizeIndex(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value index, mlir::Value size);

} // namespace lh

#endif // LH_COMPILER_INGRESS_EMIT_EMITTER_H
