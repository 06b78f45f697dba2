// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-scalarize-vectors.
#include "compiler/gaps/Gaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

namespace lh {
#define GEN_PASS_DEF_SCALARIZEVECTORSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// A vector is its numbers, the last dimension's beside each other.
static void addConversions(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](VectorType type,
         SmallVectorImpl<Type> &numbers) -> std::optional<LogicalResult> {
        if (type.isScalable())
          return failure();
        numbers.append(static_cast<size_t>(type.getNumElements()),
                       type.getElementType());
        return success();
      });
}

static bool hasVectors(Operation *op) {
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector);
}

/// What computes number by number; of the operands, scalars are for all.
static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumResults() == 1 && op->getNumRegions() == 0;
}

/// Among a vector's numbers, where the part at `position` begins.
static int64_t firstOf(ArrayRef<int64_t> position, VectorType type) {
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  return linearize(position, ArrayRef(strides).take_front(position.size()));
}

namespace {
template <typename Op> struct Scalarized : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;
  using Rewriter = ConversionPatternRewriter;
};

struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(
        op->getNumResults() == 1 ? op->getResult(0).getType() : Type());
    if (!type || !isElementwise(op))
      return failure();
    SmallVector<Value> numbers;
    for (size_t i = 0; i < static_cast<size_t>(type.getNumElements()); ++i) {
      OperationState state(op->getLoc(), op->getName());
      for (ValueRange operand : operands)
        state.addOperands(operand[operand.size() == 1 ? 0 : i]);
      state.addTypes(type.getElementType());
      state.addAttributes(op->getAttrs());
      numbers.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {numbers});
    return success();
  }
};

struct ConstantPattern : Scalarized<arith::ConstantOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(arith::ConstantOp op, Adaptor,
                                Rewriter &rewriter) const override {
    auto values = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!values)
      return failure();
    SmallVector<Value> numbers;
    for (Attribute value : values.getValues<Attribute>())
      numbers.push_back(arith::ConstantOp::create(rewriter, op.getLoc(),
                                                  cast<TypedAttr>(value)));
    rewriter.replaceOpWithMultiple(op, {numbers});
    return success();
  }
};

struct FmaPattern : Scalarized<vector::FMAOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(vector::FMAOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    SmallVector<Value> numbers;
    for (auto [left, right, sum] :
         llvm::zip_equal(adaptor.getLhs(), adaptor.getRhs(), adaptor.getAcc()))
      numbers.push_back(
          math::FmaOp::create(rewriter, op.getLoc(), left, right, sum));
    rewriter.replaceOpWithMultiple(op, {numbers});
    return success();
  }
};

/// What repeats its numbers: the source's dimensions are the last ones, those
/// of size 1 stretched.
struct BroadcastPattern : Scalarized<vector::BroadcastOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(vector::BroadcastOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    VectorType type = op.getResultVectorType();
    auto source = dyn_cast<VectorType>(op.getSourceType());
    SmallVector<int64_t> all = computeStrides(type.getShape()), own;
    if (source)
      own = computeStrides(source.getShape());
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      SmallVector<int64_t> place = delinearize(i, all);
      int64_t index = 0;
      for (size_t k = 0; k < own.size(); ++k)
        if (source.getDimSize(static_cast<unsigned>(k)) > 1)
          index += place[place.size() - own.size() + k] * own[k];
      numbers.push_back(adaptor.getSource()[static_cast<size_t>(index)]);
    }
    rewriter.replaceOpWithMultiple(op, {numbers});
    return success();
  }
};

/// A number, or those that lie beside each other.
struct ExtractPattern : Scalarized<vector::ExtractOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(vector::ExtractOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    if (op.hasDynamicPosition())
      return failure();
    int64_t first = firstOf(op.getStaticPosition(), op.getSourceVectorType());
    auto part = dyn_cast<VectorType>(op.getType());
    size_t count = part ? static_cast<size_t>(part.getNumElements()) : 1;
    ValueRange numbers = adaptor.getSource();
    rewriter.replaceOpWithMultiple(
        op, {numbers.slice(static_cast<size_t>(first), count)});
    return success();
  }
};

struct InsertPattern : Scalarized<vector::InsertOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(vector::InsertOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    if (op.hasDynamicPosition())
      return failure();
    int64_t first = firstOf(op.getStaticPosition(), op.getDestVectorType());
    SmallVector<Value> numbers(adaptor.getDest());
    for (auto [i, number] : llvm::enumerate(adaptor.getValueToStore()))
      numbers[static_cast<size_t>(first) + i] = number;
    rewriter.replaceOpWithMultiple(op, {numbers});
    return success();
  }
};

struct FromElementsPattern : Scalarized<vector::FromElementsOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(vector::FromElementsOp op, Adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {ValueRange(op.getElements())});
    return success();
  }
};

struct ToElementsPattern : Scalarized<vector::ToElementsOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(vector::ToElementsOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource());
    return success();
  }
};

struct ShapeCastPattern : Scalarized<vector::ShapeCastOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(vector::ShapeCastOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getSource()});
    return success();
  }
};
} // namespace

/// The indices of each number of a vector of `type` that begins at `first`.
static SmallVector<SmallVector<Value>>
placesOf(OpBuilder &builder, Location loc, VectorType type, ValueRange first) {
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<SmallVector<Value>> places;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    SmallVector<Value> place(first);
    for (auto [k, offset] : llvm::enumerate(delinearize(i, strides))) {
      Value &index = place[place.size() - strides.size() + k];
      if (offset)
        index = arith::AddIOp::create(
            builder, loc, index,
            arith::ConstantIndexOp::create(builder, loc, offset));
    }
    places.push_back(std::move(place));
  }
  return places;
}

namespace {
struct LoadPattern : Scalarized<vector::LoadOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(vector::LoadOp op, Adaptor,
                                Rewriter &rewriter) const override {
    SmallVector<Value> numbers;
    for (const auto &place :
         placesOf(rewriter, op.getLoc(), op.getVectorType(), op.getIndices()))
      numbers.push_back(
          memref::LoadOp::create(rewriter, op.getLoc(), op.getBase(), place));
    rewriter.replaceOpWithMultiple(op, {numbers});
    return success();
  }
};

struct StorePattern : Scalarized<vector::StoreOp> {
  using Scalarized::Scalarized;
  LogicalResult matchAndRewrite(vector::StoreOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    auto places =
        placesOf(rewriter, op.getLoc(), op.getVectorType(), op.getIndices());
    for (auto [number, place] :
         llvm::zip_equal(adaptor.getValueToStore(), places))
      memref::StoreOp::create(rewriter, op.getLoc(), number, op.getBase(),
                              place);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ScalarizeVectorsPass
    : lh::impl::ScalarizeVectorsPassBase<ScalarizeVectorsPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    TypeConverter converter;
    addConversions(converter);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal(
        [](Operation *op) { return !hasVectors(op); });
    RewritePatternSet patterns(context);
    patterns
        .add<ElementwisePattern, ConstantPattern, FmaPattern, BroadcastPattern,
             ExtractPattern, InsertPattern, FromElementsPattern,
             ToElementsPattern, ShapeCastPattern, LoadPattern, StorePattern>(
            converter, context);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
