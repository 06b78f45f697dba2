// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A net of any number of images as a loop over nets of one.

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_LOOPOVERSAMPLESPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// Open in its first dimension and nowhere else.
static bool isBatch(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > 0 && tensor.isDynamicDim(0) &&
         tensor.getNumDynamicDims() == 1;
}

/// One sample of a batch.
static RankedTensorType sampleOf(Type type) {
  auto batch = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(batch.getShape());
  shape.front() = 1;
  return batch.clone(shape);
}

/// The loop's dimension that the first dimension of all batches is, if samples
/// of `op` have nothing to do with each other.
static std::optional<unsigned> batchDimension(linalg::LinalgOp op,
                                              const DenseSet<Value> &batches) {
  std::optional<unsigned> dimension;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!batches.contains(operand.get()))
      continue;
    auto first = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(&operand).getResult(0));
    if (!first || (dimension && *dimension != first.getPosition()))
      return std::nullopt;
    dimension = first.getPosition();
  }
  return dimension;
}

/// Whether the first dimension of batches is all that `dimension` runs over.
static bool runsOverSamples(linalg::LinalgOp op, unsigned dimension,
                            const DenseSet<Value> &batches) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isBatched = batches.contains(operand.get());
    for (AffineExpr expression : map.getResults().drop_front(isBatched))
      if (expression.isFunctionOfDim(dimension))
        return false;
  }
  bool asksForIndex = false;
  op->walk([&](linalg::IndexOp index) {
    asksForIndex |= index.getDim() == dimension;
  });
  return !asksForIndex &&
         op.getIteratorTypesArray()[dimension] == utils::IteratorType::parallel;
}

/// Whether a group of dimensions is the batch alone, or with dimensions of one.
static bool isBatchAlone(ArrayRef<int64_t> shape, ArrayRef<int64_t> group) {
  return group.front() == 0 && llvm::all_of(group.drop_front(), [&](int64_t i) {
           return shape[size_t(i)] == 1;
         });
}

namespace {

/// The body of one function.
class Samples {
public:
  explicit Samples(func::FuncOp function) : function(function) {}

  /// Whether every op is of all samples alike, or of no sample.
  bool areIndependent();
  void loop();

private:
  bool findInputs();
  bool note(Operation &op);
  bool takesSamples(Operation &op) const;
  bool takesSamples(linalg::LinalgOp op) const;
  bool isWhole(OffsetSizeAndStrideOpInterface slice) const;
  bool usesBatches(Operation &op) const;
  void buildBody(OpBuilder &builder, Location loc, Value sample,
                 ValueRange results);
  void addSample(OpBuilder &builder, Operation &op, IRMapping &samples);
  Value insert(OpBuilder &builder, Location loc, Value sample, Value index,
               Value batch);

  func::FuncOp function;
  DenseSet<Value> batches, counts; ///< tensors, and how many samples they have
  SmallVector<Value> inputs;
  SmallVector<Operation *> ops;  ///< that are done for each sample
  SmallVector<unsigned> outputs; ///< operands of the return that are batches
  bool hasWindows = false;
};

} // namespace

/// All inputs that are batches have as many samples: they say so by a name.
bool Samples::findInputs() {
  Attribute name;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.hasStaticShape())
      continue;
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      symbolsMark);
    Attribute own = names && !names.empty() ? names[0] : Attribute();
    bool isSame = inputs.empty() || (own && own == name);
    if (!isBatch(type) || !isSame)
      return false;
    name = own;
    inputs.push_back(argument);
    batches.insert(argument);
  }
  return !inputs.empty();
}

bool Samples::usesBatches(Operation &op) const {
  return op
      .walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(),
                            [&](Value operand) {
                              return batches.contains(operand) ||
                                     counts.contains(operand);
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Samples::takesSamples(linalg::LinalgOp op) const {
  std::optional<unsigned> dimension = batchDimension(op, batches);
  return dimension && op.hasPureTensorSemantics() &&
         llvm::all_of(op.getDpsInits(),
                      [&](Value init) { return batches.contains(init); }) &&
         runsOverSamples(op, *dimension, batches);
}

/// Whether a slice has all samples.
bool Samples::isWhole(OffsetSizeAndStrideOpInterface slice) const {
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes(),
                            strides = slice.getMixedStrides();
  auto count = dyn_cast<Value>(sizes.front());
  return count && counts.contains(count) && isZeroInteger(offsets.front()) &&
         isOneInteger(strides.front());
}

/// Whether it can be done for one sample; its operands are batches, or the same
/// for all samples.
bool Samples::takesSamples(Operation &op) const {
  if (!llvm::all_of(op.getResultTypes(), isBatch))
    return false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return takesSamples(linalgOp);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return counts.contains(empty.getDynamicSizes().front());
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return pad.getLow().empty() && pad.getHigh().empty() &&
           pad.getStaticLow().front() == 0 &&
           pad.getStaticHigh().front() == 0 && pad.getConstantPaddingValue();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return isBatchAlone(collapse.getSrcType().getShape(),
                        collapse.getReassociationIndices().front());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return isBatchAlone(expand.getResultType().getShape(),
                        expand.getReassociationIndices().front());
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return concat.getDim() != 0 &&
           llvm::all_of(concat.getInputs(),
                        [&](Value input) { return batches.contains(input); });
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    return isWhole(extract) &&
           extract.getSourceType().getRank() == extract.getType().getRank();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return isWhole(insert) && batches.contains(insert.getSource()) &&
           batches.contains(insert.getDest()) &&
           insert.getSourceType().getRank() == insert.getDestType().getRank();
  return false;
}

bool Samples::note(Operation &op) {
  if (!usesBatches(op))
    return true;
  if (auto dim = dyn_cast<tensor::DimOp>(op);
      dim && batches.contains(dim.getSource()) &&
      getConstantIntValue(dim.getDimension()) == 0) {
    counts.insert(dim);
    return true;
  }
  if (!takesSamples(op))
    return false;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  hasWindows |= linalgOp && linalg::isaConvolutionOpInterface(linalgOp);
  ops.push_back(&op);
  batches.insert_range(op.getResults());
  return true;
}

bool Samples::areIndependent() {
  if (!function.getBody().hasOneBlock() || !findInputs())
    return false;
  for (Operation &op : function.getBody().front().without_terminator())
    if (!note(op))
      return false;
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &operand : end->getOpOperands()) {
    if (counts.contains(operand.get()))
      return false;
    if (batches.contains(operand.get()))
      outputs.push_back(operand.getOperandNumber());
  }
  return hasWindows && !outputs.empty();
}

static SmallVector<OpFoldResult> numbers(OpBuilder &builder,
                                         ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(builder.getContext(), values);
}

/// The sizes of one sample, and where it lies in a batch.
static void placeOf(OpBuilder &builder, RankedTensorType sample, Value index,
                    SmallVector<OpFoldResult> &offsets,
                    SmallVector<OpFoldResult> &sizes,
                    SmallVector<OpFoldResult> &strides) {
  size_t rank = size_t(sample.getRank());
  offsets = numbers(builder, SmallVector<int64_t>(rank, 0));
  offsets.front() = index;
  sizes = numbers(builder, sample.getShape());
  strides = numbers(builder, SmallVector<int64_t>(rank, 1));
}

Value Samples::insert(OpBuilder &builder, Location loc, Value sample,
                      Value index, Value batch) {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  placeOf(builder, cast<RankedTensorType>(sample.getType()), index, offsets,
          sizes, strides);
  return tensor::InsertSliceOp::create(builder, loc, sample, batch, offsets,
                                       sizes, strides);
}

/// `op` for one sample, whose values `samples` knows.
void Samples::addSample(OpBuilder &builder, Operation &op, IRMapping &samples) {
  Location loc = op.getLoc();
  RankedTensorType type = sampleOf(op.getResult(0).getType());
  auto mapped = [&](Value value) { return samples.lookupOrDefault(value); };
  auto one = [&](SmallVector<OpFoldResult> sizes) {
    sizes.front() = builder.getIndexAttr(1);
    return sizes;
  };
  if (isa<tensor::EmptyOp>(op)) {
    samples.map(op.getResult(0),
                tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType())
                    .getResult());
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    samples.map(op.getResult(0),
                tensor::ExpandShapeOp::create(builder, loc, type,
                                              mapped(expand.getSrc()),
                                              expand.getReassociationIndices())
                    .getResult());
  } else if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    samples.map(op.getResult(0),
                tensor::ExtractSliceOp::create(
                    builder, loc, type, mapped(extract.getSource()),
                    extract.getMixedOffsets(), one(extract.getMixedSizes()),
                    extract.getMixedStrides())
                    .getResult());
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    samples.map(op.getResult(0),
                tensor::InsertSliceOp::create(
                    builder, loc, mapped(insert.getSource()),
                    mapped(insert.getDest()), insert.getMixedOffsets(),
                    one(insert.getMixedSizes()), insert.getMixedStrides())
                    .getResult());
  } else {
    SmallVector<Type> types;
    for (Type result : op.getResultTypes())
      types.push_back(sampleOf(result));
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), mapped);
    samples.map(op.getResults(),
                clone(builder, &op, types, operands)->getResults());
  }
}

void Samples::buildBody(OpBuilder &builder, Location loc, Value sample,
                        ValueRange results) {
  IRMapping samples;
  for (Value input : inputs) {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    RankedTensorType type = sampleOf(input.getType());
    placeOf(builder, type, sample, offsets, sizes, strides);
    samples.map(input, tensor::ExtractSliceOp::create(builder, loc, type, input,
                                                      offsets, sizes, strides)
                           .getResult());
  }
  for (Operation *op : ops)
    addSample(builder, *op, samples);
  Operation *end = function.getBody().front().getTerminator();
  SmallVector<Value> yielded;
  for (auto [position, result] : llvm::zip(outputs, results))
    yielded.push_back(insert(builder, loc,
                             samples.lookup(end->getOperand(position)), sample,
                             result));
  scf::YieldOp::create(builder, loc, yielded);
}

void Samples::loop() {
  Operation *end = function.getBody().front().getTerminator();
  OpBuilder builder(end);
  Location loc = function.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = tensor::DimOp::create(builder, loc, inputs.front(), zero);
  SmallVector<Value> empty;
  for (unsigned position : outputs)
    empty.push_back(tensor::EmptyOp::create(
        builder, loc,
        cast<RankedTensorType>(end->getOperand(position).getType()),
        ValueRange{count}));
  auto loop = scf::ForOp::create(
      builder, loc, zero, count, one, empty,
      [&](OpBuilder &inner, Location at, Value sample, ValueRange results) {
        buildBody(inner, at, sample, results);
      });
  for (auto [position, result] : llvm::zip(outputs, loop.getResults()))
    end->setOperand(position, result);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

namespace {
struct LoopOverSamples : lh::impl::LoopOverSamplesPassBase<LoopOverSamples> {
  using LoopOverSamplesPassBase::LoopOverSamplesPassBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      Samples samples(function);
      if (samples.areIndependent())
        samples.loop();
    }
  }
};
} // namespace
