// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations of convolutional nets with their channels innermost.
#include "compiler/gaps/Choice.h"
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/windows/ChannelOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lh {
#define GEN_PASS_DEF_CHANNELSLASTPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

template <typename T>
static SmallVector<T> channelsLast(ArrayRef<T> values, int64_t channels = 1) {
  return applyPermutation(
      values, lastOrder(static_cast<int64_t>(values.size()), channels));
}

static SmallVector<OpFoldResult>
channelsLast(const SmallVector<OpFoldResult> &numbers, int64_t channels = 1) {
  return channelsLast(ArrayRef(numbers), channels);
}

static RankedTensorType channelsLast(RankedTensorType type,
                                     int64_t channels = 1) {
  return type.clone(channelsLast(type.getShape(), channels));
}

namespace {
/// Makes a copy of each op it can that computes with channels last.
class ChannelMover {
public:
  explicit ChannelMover(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  void run() {
    auto convolves = [](Operation *op) {
      return isForChannelsLast(op) ? WalkResult::interrupt()
                                   : WalkResult::advance();
    };
    if (!function.walk(convolves).wasInterrupted())
      return;
    function.walk(mergeGroups);
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      move(op);
    for (auto [value, there] : last)
      giveBack(value, there);
    for (auto [value, there] : llvm::reverse(last))
      if (value.use_empty())
        value.getDefiningOp()->erase();
  }

private:
  void move(Operation *op) {
    if (op->getNumResults() != 1)
      return;
    builder.setInsertionPointAfter(op);
    Value result;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      result = moveLinalg(linalgOp);
    else if (isMoved(op))
      result = moveView(op, channelsOf(op->getOperand(0).getDefiningOp()));
    else if (isReshape(op))
      result = moveShuffle(op);
    if (!result)
      return;
    if (tensorRank(result) < 3)
      return op->getResult(0).replaceAllUsesWith(result);
    last[op->getResult(0)] = result;
  }

  /// Whether one of the operands has its channels last already.
  bool isMoved(Operation *op) {
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return last.contains(value); });
  }

  /// The same numbers with channels last.
  Value moveValue(Value value, int64_t channels = 1) {
    if (Value known = last.lookup(value))
      return known;
    auto type = typeOf(value);
    Operation *producer = value.getDefiningOp();
    if (isa_and_nonnull<tensor::EmptyOp>(producer)) {
      return tensor::EmptyOp::create(
          builder, value.getLoc(),
          channelsLast(tensor::getMixedSizes(builder, value.getLoc(), value),
                       channels),
          type.getElementType());
    }
    if (Value result = moveCheaply(producer, channels))
      return result;
    return transposed(value, lastOrder(type.getRank(), channels));
  }

  Value transposed(Value value, ArrayRef<int64_t> order) {
    return TensorBuilder(builder, value.getLoc()).transposed(value, order);
  }

  /// What costs less to compute again than to turn; of groups of channels what
  /// was split.
  Value moveCheaply(Operation *producer, int64_t channels) {
    if (channels > 1 && !isa_and_nonnull<tensor::ExpandShapeOp>(producer))
      return {};
    if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(producer))
      if (Value spread = spreadChannels(collapse))
        return spread;
    if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                        tensor::PadOp>(producer))
      return moveView(producer, channels);
    auto broadcast = dyn_cast_or_null<linalg::BroadcastOp>(producer);
    bool isCheap = broadcast ? tensorRank(broadcast.getInput()) < 3
                             : isElementwiseOfOne(producer);
    return isCheap ? rebuild(cast<linalg::LinalgOp>(producer),
                             /*isTurned=*/true)
                   : Value();
  }

  /// What a reshape makes of one number for each channel of an image.
  Value spreadChannels(tensor::CollapseShapeOp op) {
    auto spread = op.getSrc().getDefiningOp<linalg::BroadcastOp>();
    RankedTensorType type = op.getResultType();
    if (!spread || tensorRank(spread.getInput()) != 1 ||
        llvm::is_contained(spread.getDimensions(), 1) ||
        !type.hasStaticShape() || type.getRank() < 3 ||
        spread.getInput().getType().getDimSize(0) != type.getDimSize(1))
      return {};
    Value empty =
        TensorBuilder(builder, op.getLoc())
            .empty(channelsLast(type.getShape()), type.getElementType());
    auto others = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
    return linalg::BroadcastOp::create(builder, spread.getLoc(),
                                       spread.getInput(), empty, others)
        ->getResult(0);
  }

  /// What still reads the op's own result gets it turned back.
  void giveBack(Value value, Value there) {
    auto isLeft = [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isa<linalg::LinalgOp>(user->getParentOp()))
        user = user->getParentOp();
      return user->getNumResults() != 1 || !last.contains(user->getResult(0));
    };
    if (llvm::none_of(value.getUses(), isLeft))
      return;
    builder.setInsertionPointAfterValue(there);
    value.replaceUsesWithIf(transposed(there, invertPermutationVector(lastOrder(
                                                  tensorRank(value)))),
                            isLeft);
  }

  /// Whether the op's result has channels where a moved operand has them.
  bool keepsChannels(linalg::LinalgOp op) {
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (last.contains(input->get()) && map.getNumResults() >= 3 &&
          map.getResult(1) == result.getResult(1))
        return true;
    }
    return false;
  }

  Value moveLinalg(linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
        (op.hasIndexSemantics() && !gathersPixels(op)) ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
             .isProjectedPermutation())
      return {};
    bool starts = isConvolution(op) || isPool(op) || isPixelProduct(op) ||
                  gathersPixels(op);
    if (isGrouped(op) && !mayMoveGroups(op))
      return {};
    if (!starts &&
        (!isMoved(op) || linalg::isaContractionOpInterface(op) ||
         linalg::isaConvolutionOpInterface(op) !=
             isa<linalg::PoolingNchwMaxOp, linalg::PoolingNchwSumOp>(op)))
      return {};
    auto type = typeOf(op->getResult(0));
    bool isTurned = type.getRank() >= 3;
    if (isTurned && !starts && !keepsChannels(op))
      return {};
    return rebuild(op, isTurned);
  }

  /// Whether an operand that isn't moved yet goes along: one that holds an
  /// element for each of the result's.
  bool goesAlong(linalg::LinalgOp op, OpOperand &operand) {
    if (last.contains(operand.get()))
      return true;
    if (isConvolution(op) || isPool(op))
      return operand.getOperandNumber() == 0;
    if (isPixelProduct(op))
      return operand.getOperandNumber() == 1;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    return tensorRank(operand.get()) >= 3 && map == result;
  }

  /// A generic op with the loops in the order of the new result's dimensions,
  /// then the others; a matrix after what it multiplies.
  Value rebuild(linalg::LinalgOp op, bool isTurned) {
    int64_t channels = channelsOf(op);
    auto turned = [&](AffineMap map) {
      return map.getSubMap(llvm::to_vector_of<unsigned>(
          lastOrder(map.getNumResults(), channels)));
    };
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      Value value = input->get();
      if (isDepthwiseFilter(op, *input)) {
        value = transposed(value, {1, 2, 0});
        map = map.getSubMap({1, 2, 0});
      } else if (goesAlong(op, *input)) {
        value = moveValue(value, channels);
        map = turned(map);
      }
      operands.push_back(value);
      maps.push_back(map);
    }
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    Value init = op.getDpsInits()[0];
    maps.push_back(isTurned ? turned(result) : result);
    if (isTurned)
      init = moveValue(init, channels);
    if (isPixelProduct(op)) { // which may be multiplied either way round
      std::swap(operands[0], operands[1]);
      std::swap(maps[0], maps[1]);
    }
    return withResultFirst(op, maps, operands, init);
  }

  /// What `op` computes by these maps, with its loops in the result's order.
  Value withResultFirst(linalg::LinalgOp op, ArrayRef<AffineMap> maps,
                        ArrayRef<Value> inputs, Value init) {
    auto generic =
        linalg::GenericOp::create(builder, op.getLoc(), init.getType(), inputs,
                                  init, maps, op.getIteratorTypesArray());
    IRMapping mapping;
    op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
    if (MapAttr choice = choiceOf(op))
      generic->setAttr(choiceMark, choice);
    if (gathersPixels(op))
      moveReads(generic);
    // Sums over pixels go along memory: a vector of channels for each pixel.
    bool sumsPixels = inputs.size() == 1 && tensorRank(init) < 3 &&
                      maps[0].isProjectedPermutation();
    llvm::SetVector<unsigned> order;
    for (AffineExpr loop : (sumsPixels ? maps[0] : maps.back()).getResults())
      order.insert(cast<AffineDimExpr>(loop).getPosition());
    order.insert_range(llvm::seq(op.getNumLoops()));
    IRRewriter rewriter(builder);
    return linalg::interchangeGenericOp(rewriter, generic, order.getArrayRef())
        ->getResult(0);
  }

  /// Reads the images that the body gathers from with their channels last.
  void moveReads(linalg::GenericOp generic) {
    for (auto read : generic.getBody()->getOps<tensor::ExtractOp>()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(generic);
      read.getTensorMutable().assign(moveValue(read.getTensor()));
      SmallVector<Value> indices(read.getIndices());
      read.getIndicesMutable().assign(channelsLast(ArrayRef<Value>(indices)));
    }
  }

  static bool isReshape(Operation *op) {
    return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
  }

  /// The nearest value that has its channels last, or that no reshape made.
  Value beforeReshapes(Value value) {
    while (!last.contains(value) && isReshape(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return value;
  }

  /// A shuffle of an image's channels, by whichever reshapes: they are split
  /// into parts, which change places, and are channels again. Null for others.
  Value moveShuffle(Operation *merge) {
    auto turn = beforeReshapes(merge->getOperand(0))
                    .getDefiningOp<linalg::TransposeOp>();
    if (!turn)
      return {};
    Value value = beforeReshapes(turn.getInput());
    auto type = typeOf(value);
    if (!last.contains(value) || merge->getResult(0).getType() != type ||
        !type.hasStaticShape())
      return {};
    ArrayRef<int64_t> parts = typeOf(turn.getInput()).getShape();
    ArrayRef<int64_t> order = turn.getPermutation();
    size_t begin = countFactors(parts, type.getDimSize(0));
    size_t count = countFactors(parts.drop_front(begin), type.getDimSize(1));
    // Images and pixels stay where they are.
    if (count == 0 || !isIdentityPermutation(order.take_front(begin)) ||
        llvm::any_of(llvm::seq(begin + count, order.size()), [&](size_t i) {
          return order[i] != static_cast<int64_t>(i);
        }))
      return {};
    return shuffled(last.lookup(value), parts.slice(begin, count),
                    order.slice(begin, count), static_cast<int64_t>(begin),
                    merge->getLoc());
  }

  /// How many of the first sizes have this product, with those of one after
  /// them; 0 where none do.
  static size_t countFactors(ArrayRef<int64_t> sizes, int64_t product) {
    size_t count = 0;
    for (int64_t reached = 1;
         count < sizes.size() && (reached < product || sizes[count] == 1);)
      reached *= sizes[count++];
    return computeProduct(sizes.take_front(count)) == product ? count : 0;
  }

  /// The image with its channels, which are last, in parts that go to other
  /// places: `order` counts from `first`.
  Value shuffled(Value image, ArrayRef<int64_t> parts, ArrayRef<int64_t> order,
                 int64_t first, Location loc) {
    auto type = typeOf(image);
    int64_t others = type.getRank() - 1;
    SmallVector<int64_t> sizes(type.getShape().drop_back());
    llvm::append_range(sizes, parts);
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < others; ++dim)
      groups.push_back({dim});
    groups.push_back(llvm::to_vector<2>(
        llvm::seq(others, static_cast<int64_t>(sizes.size()))));
    auto turned = llvm::to_vector(llvm::seq<int64_t>(0, others));
    for (int64_t part : order)
      turned.push_back(others + part - first);
    Value apart = tensor::ExpandShapeOp::create(builder, loc, type.clone(sizes),
                                                image, groups);
    return tensor::CollapseShapeOp::create(builder, loc, type,
                                           transposed(apart, turned), groups);
  }

  /// A reshape, pad, slice or concatenation; null for other ops.
  Value moveView(Operation *op, int64_t channels) {
    if (tensorRank(op->getResult(0)) < 3)
      return {};
    return TypeSwitch<Operation *, Value>(op)
        .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            [&](auto view) { return this->turned(view, channels); })
        .Case<tensor::PadOp, tensor::ConcatOp, tensor::ExtractSliceOp>(
            [&](auto view) { return this->turned(view); })
        .Default(Value());
  }

  Value turned(tensor::CollapseShapeOp op, int64_t channels) {
    auto groups =
        moveGroups(op.getReassociationIndices(), op.getSrc(), op, channels);
    if (!groups)
      return {};
    return tensor::CollapseShapeOp::create(
        builder, op.getLoc(), channelsLast(op.getResultType()),
        moveValue(op.getSrc(), channels), *groups);
  }

  Value turned(tensor::ExpandShapeOp op, int64_t channels) {
    auto groups =
        moveGroups(op.getReassociationIndices(), op, op.getSrc(), channels);
    if (!groups)
      return {};
    return tensor::ExpandShapeOp::create(
        builder, op.getLoc(), channelsLast(op.getResultType(), channels),
        moveValue(op.getSrc()), *groups,
        channelsLast(op.getMixedOutputShape(), channels));
  }

  Value turned(tensor::PadOp op) {
    Value value = op.getConstantPaddingValue();
    if (!value)
      return {};
    if (op.getRegion().isAncestor(value.getParentRegion()))
      value = builder.clone(*value.getDefiningOp())->getResult(0);
    return tensor::PadOp::create(
        builder, op.getLoc(), channelsLast(op.getResultType()),
        moveValue(op.getSource()), channelsLast(op.getMixedLowPad()),
        channelsLast(op.getMixedHighPad()), value);
  }

  Value turned(tensor::ExtractSliceOp op) {
    if (op.getSourceType().getRank() != op.getType().getRank())
      return {};
    return tensor::ExtractSliceOp::create(
        builder, op.getLoc(), channelsLast(op.getType()),
        moveValue(op.getSource()), channelsLast(op.getMixedOffsets()),
        channelsLast(op.getMixedSizes()), channelsLast(op.getMixedStrides()));
  }

  Value turned(tensor::ConcatOp op) {
    auto inputs = llvm::map_to_vector(
        op.getInputs(), [&](Value input) { return moveValue(input); });
    SmallVector<int64_t> to =
        invertPermutationVector(lastOrder(tensorRank(op.getResult())));
    return tensor::ConcatOp::create(
        builder, op.getLoc(), channelsLast(op.getResultType()),
        static_cast<uint64_t>(to[op.getDim()]), inputs);
  }

  func::FuncOp function;
  OpBuilder builder;
  llvm::MapVector<Value, Value> last; ///< by the value with channels second
};

struct ChannelsLastPass : lh::impl::ChannelsLastPassBase<ChannelsLastPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      ChannelMover(function).run();
  }
};
} // namespace
