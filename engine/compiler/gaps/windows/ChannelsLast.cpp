// Activations of convolutional nets with their channels innermost.
#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lh {
#define GEN_PASS_DEF_CHANNELSLASTPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

static int64_t rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

/// Where the dimensions of a tensor [batch][channels][...] come from when its
/// channels go last.
static SmallVector<int64_t> lastOrder(int64_t rank) {
  SmallVector<int64_t> order = {0};
  for (int64_t i = 2; i < rank; ++i)
    order.push_back(i);
  order.push_back(1);
  return order;
}

template <typename T> static SmallVector<T> channelsLast(ArrayRef<T> values) {
  return applyPermutation(values,
                          lastOrder(static_cast<int64_t>(values.size())));
}

static RankedTensorType channelsLast(RankedTensorType type) {
  return type.clone(channelsLast(type.getShape()));
}

static AffineMap channelsLast(AffineMap map) {
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(),
                        channelsLast(map.getResults()), map.getContext());
}

/// A product of every pixel's channels with one matrix, as imports make of
/// convolutions by one pixel: result[b][f][p] += matrix[f][c] input[b][c][p].
static bool isPixelProduct(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp>(op) || !linalg::isaContractionOpInterface(op) ||
      op.getNumDpsInputs() != 2 || rankOf(op.getDpsInits()[0]) != 3)
    return false;
  MLIRContext *context = op.getContext();
  auto map = [&](ArrayRef<unsigned> loops) {
    return AffineMap::getMultiDimMapWithTargets(4, loops, context);
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps[0] == map({1, 3}) && maps[1] == map({0, 3, 2}) &&
         maps[2] == map({0, 1, 2});
}

/// Whether this is a product of pixels whose channels were last in the model.
static bool readsTurnedPixels(Operation *op) {
  auto product = dyn_cast<linalg::GenericOp>(op);
  if (!product || !isPixelProduct(product))
    return false;
  Operation *producer = product.getInputs()[1].getDefiningOp();
  if (auto pixels = dyn_cast_or_null<tensor::CollapseShapeOp>(producer))
    producer = pixels.getSrc().getDefiningOp();
  auto turned = dyn_cast_or_null<linalg::TransposeOp>(producer);
  return turned &&
         turned.getPermutation() ==
             ArrayRef(invertPermutationVector(lastOrder(
                 static_cast<int64_t>(turned.getPermutation().size()))));
}

static bool isConvolution(Operation *op) {
  return isa<linalg::Conv2DNchwFchwOp, linalg::DepthwiseConv2DNchwChwOp>(op);
}

/// [batch][groups][channels][...] as [batch][channels][...].
static SmallVector<ReassociationIndices> mergedSecond() {
  return {{0}, {1, 2}, {3}, {4}};
}

/// Whether a reshape does that, whichever dimension it merges a unit one with.
static bool mergesSecond(Type apart, Type whole) {
  ArrayRef<int64_t> from = cast<RankedTensorType>(apart).getShape();
  return cast<RankedTensorType>(whole).getShape() ==
         ArrayRef<int64_t>{from[0], from[1] * from[2], from[3], from[4]};
}

/// [batch][...][groups][channels] as [batch][...][channels].
static SmallVector<ReassociationIndices> mergedLast() {
  return {{0}, {1}, {2}, {3, 4}};
}

namespace {
/// Makes a copy of each op it can that computes with channels last.
class ChannelMover {
public:
  explicit ChannelMover(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  void run() {
    bool convolves = false;
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      convolves |= isConvolution(op) || isa<linalg::Conv2DNgchwGfchwOp>(op) ||
                   readsTurnedPixels(op);
      ops.push_back(op);
    });
    if (!convolves)
      return;
    for (Operation *op : ops)
      move(op);
    for (Operation *op : moved)
      giveBack(op->getResult(0));
    for (Operation *op : llvm::reverse(moved))
      if (op->use_empty())
        op->erase();
  }

private:
  void move(Operation *op) {
    if (op->getNumResults() != 1)
      return;
    builder.setInsertionPointAfter(op);
    Value result;
    if (auto grouped = dyn_cast<linalg::Conv2DNgchwGfchwOp>(op))
      return moveGrouped(grouped);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      result = moveLinalg(linalgOp);
    else if (isMoved(op))
      result = moveView(op);
    if (!result)
      return;
    if (result.getType() != op->getResult(0).getType() || rankOf(result) >= 3) {
      last[op->getResult(0)] = result;
      moved.insert(op);
      return;
    }
    op->getResult(0).replaceAllUsesWith(result);
  }

  /// Whether one of the operands has its channels last already.
  bool isMoved(Operation *op) {
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return last.contains(value); });
  }

  /// The same numbers with channels last.
  Value moveValue(Value value) {
    if (Value known = last.lookup(value))
      return known;
    auto type = cast<RankedTensorType>(value.getType());
    Location loc = value.getLoc();
    Operation *producer = value.getDefiningOp();
    if (isa_and_nonnull<tensor::EmptyOp>(producer)) {
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(builder, loc, value);
      return tensor::EmptyOp::create(
          builder, loc, channelsLast(ArrayRef(sizes)), type.getElementType());
    }
    if (auto fill = dyn_cast_or_null<linalg::FillOp>(producer)) {
      Value empty = moveValue(fill.getDpsInits()[0]);
      return linalg::FillOp::create(builder, loc, fill.getInputs(), empty)
          .getResult(0);
    }
    if (Value result = moveCheaply(producer))
      return result;
    return transposed(value, lastOrder(type.getRank()));
  }

  Value transposed(Value value, ArrayRef<int64_t> order) {
    return TensorBuilder(builder, value.getLoc()).transposed(value, order);
  }

  static bool isDepthwiseFilter(linalg::LinalgOp op, OpOperand &operand) {
    return isa<linalg::DepthwiseConv2DNchwChwOp>(op) &&
           operand.getOperandNumber() == 1;
  }

  /// What costs less to compute again than to turn.
  Value moveCheaply(Operation *producer) {
    if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(producer)) {
      auto spread = collapse.getSrc().getDefiningOp<linalg::BroadcastOp>();
      if (spread && isOfChannels(spread))
        return spreadChannels(spread, collapse.getResultType());
    }
    if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                        tensor::PadOp>(producer))
      return moveView(producer);
    auto broadcast = dyn_cast_or_null<linalg::BroadcastOp>(producer);
    bool isCheap = broadcast ? rankOf(broadcast.getInput()) < 3
                             : isElementwiseOfOne(producer);
    return isCheap ? rebuild(cast<linalg::LinalgOp>(producer),
                             /*isTurned=*/true)
                   : Value();
  }

  /// Whether nobody else reads what is computed of one tensor's elements: that
  /// tensor may have smaller ones, and is turned just as well.
  static bool isElementwiseOfOne(Operation *producer) {
    auto op = dyn_cast_or_null<linalg::GenericOp>(producer);
    if (!op || op->getNumResults() != 1 || !op->hasOneUse() ||
        !op.isAllParallelLoops() || !op.hasPureTensorSemantics() ||
        op.hasIndexSemantics())
      return false;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    return maps.back().isIdentity() && llvm::count(maps, maps.back()) == 2 &&
           op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity();
  }

  /// Whether there is one number for each channel.
  static bool isOfChannels(linalg::BroadcastOp op) {
    SmallVector<int64_t> others = lastOrder(rankOf(op->getResult(0)));
    others.pop_back();
    return llvm::equal(op.getDimensions(), others);
  }

  /// One number for each channel of a tensor that had this type.
  Value spreadChannels(linalg::BroadcastOp op, RankedTensorType type) {
    RankedTensorType turned = channelsLast(type);
    if (!turned.hasStaticShape() || type.getRank() < 3 ||
        type.getDimSize(1) != rankedSize(op))
      return {};
    Value empty = tensor::EmptyOp::create(
        builder, op.getLoc(), turned.getShape(), turned.getElementType());
    SmallVector<int64_t> others =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
    return linalg::BroadcastOp::create(builder, op.getLoc(), op.getInput(),
                                       empty, others)
        ->getResult(0);
  }

  static int64_t rankedSize(linalg::BroadcastOp op) {
    return cast<RankedTensorType>(op.getInput().getType()).getDimSize(0);
  }

  /// What still reads the op's own result gets it turned back.
  void giveBack(Value value) {
    bool isRead = llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !moved.contains(user);
    });
    if (!isRead)
      return;
    Value there = last.lookup(value);
    builder.setInsertionPointAfterValue(there);
    Value turned =
        transposed(there, invertPermutationVector(lastOrder(rankOf(value))));
    value.replaceUsesWithIf(turned, [&](OpOperand &use) {
      return !moved.contains(use.getOwner());
    });
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
        op.hasIndexSemantics() ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
             .isProjectedPermutation())
      return {};
    bool multiplies = isConvolution(op) || isPixelProduct(op);
    if (!multiplies &&
        (!isMoved(op) || linalg::isaContractionOpInterface(op) ||
         linalg::isaConvolutionOpInterface(op) !=
             isa<linalg::PoolingNchwMaxOp, linalg::PoolingNchwSumOp>(op)))
      return {};
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    bool isTurned = type.getRank() >= 3;
    if (isTurned && !multiplies && !keepsChannels(op))
      return {};
    return rebuild(op, isTurned);
  }

  /// Whether an operand that isn't moved yet goes along: one that holds an
  /// element for each of the result's.
  bool goesAlong(linalg::LinalgOp op, OpOperand &operand) {
    if (last.contains(operand.get()))
      return true;
    if (isConvolution(op))
      return operand.getOperandNumber() == 0;
    if (isPixelProduct(op))
      return operand.getOperandNumber() == 1;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    return rankOf(operand.get()) >= 3 && map == result;
  }

  /// A generic op with the loops in the order of the new result's dimensions,
  /// then the others; a matrix after what it multiplies.
  Value rebuild(linalg::LinalgOp op, bool isTurned) {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (isDepthwiseFilter(op, *input)) {
        inputs.push_back(transposed(input->get(), {1, 2, 0}));
        maps.push_back(AffineMap::get(
            map.getNumDims(), 0,
            {map.getResult(1), map.getResult(2), map.getResult(0)},
            map.getContext()));
        continue;
      }
      bool turns = goesAlong(op, *input);
      inputs.push_back(turns ? moveValue(input->get()) : input->get());
      maps.push_back(turns ? channelsLast(map) : map);
    }
    AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    Value init = op.getDpsInits()[0];
    if (isTurned) {
      init = moveValue(init);
      resultMap = channelsLast(resultMap);
    }
    maps.push_back(resultMap);
    if (isPixelProduct(op)) { // which may be multiplied either way round
      std::swap(inputs[0], inputs[1]);
      std::swap(maps[0], maps[1]);
    }
    return withResultFirst(op, maps, inputs, init);
  }

  /// What `op` computes by these maps, with its loops in the result's order.
  Value withResultFirst(linalg::LinalgOp op, SmallVector<AffineMap> maps,
                        ArrayRef<Value> inputs, Value init) {
    SmallVector<unsigned> order;
    for (AffineExpr loop : maps.back().getResults())
      order.push_back(cast<AffineDimExpr>(loop).getPosition());
    for (unsigned i = 0; i < op.getNumLoops(); ++i)
      if (!llvm::is_contained(order, i))
        order.push_back(i);
    AffineMap loops = inversePermutation(
        AffineMap::getPermutationMap(order, builder.getContext()));
    SmallVector<utils::IteratorType> kinds;
    for (unsigned loop : order)
      kinds.push_back(op.getIteratorTypesArray()[loop]);
    for (AffineMap &map : maps)
      map = map.compose(loops);
    auto generic = linalg::GenericOp::create(
        builder, op.getLoc(), init.getType(), inputs, init, maps, kinds);
    IRMapping mapping;
    op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
    return generic.getResult(0);
  }

  /// [n][g][c][...] as [n][...][g][c]; of zeros or of what channels were split.
  Value splitLast(Value value) {
    Location loc = value.getLoc();
    auto type = cast<RankedTensorType>(value.getType());
    ArrayRef<int64_t> from = type.getShape();
    SmallVector<int64_t> shape = {from[0], from[3], from[4], from[1], from[2]};
    if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
      Value empty =
          tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
      return linalg::FillOp::create(builder, loc, fill.getInputs(), empty)
          .getResult(0);
    }
    auto split = value.getDefiningOp<tensor::ExpandShapeOp>();
    Value whole = split && mergesSecond(value.getType(), split.getSrcType())
                      ? split.getSrc()
                      : tensor::CollapseShapeOp::create(builder, loc, value,
                                                        mergedSecond())
                            .getResult();
    return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape),
                                         moveValue(whole), mergedLast());
  }

  /// A convolution of groups, all of whose results have their channels merged.
  void moveGrouped(linalg::Conv2DNgchwGfchwOp op) {
    bool isMerged = llvm::all_of(op->getUsers(), [](Operation *user) {
      auto merge = dyn_cast<tensor::CollapseShapeOp>(user);
      return merge && mergesSecond(merge.getSrcType(), merge.getResultType());
    });
    if (!isMerged || ShapedType::isDynamicShape(op.getStaticLoopRanges()))
      return;
    auto turned = [](AffineMap map) {
      ArrayRef<AffineExpr> from = map.getResults();
      return AffineMap::get(map.getNumDims(), 0,
                            {from[0], from[3], from[4], from[1], from[2]},
                            map.getContext());
    };
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps = {turned(maps[0]), maps[1], turned(maps[2])};
    Value init = splitLast(op.getOutputs()[0]);
    Value result = withResultFirst(
        op, maps, {splitLast(op.getInputs()[0]), op.getInputs()[1]}, init);
    moved.insert(op);
    for (Operation *user : op->getUsers()) {
      auto merge = cast<tensor::CollapseShapeOp>(user);
      last[merge.getResult()] = tensor::CollapseShapeOp::create(
          builder, op.getLoc(), channelsLast(merge.getResultType()), result,
          mergedLast());
      moved.insert(merge);
    }
  }

  /// A reshape, pad or concatenation; null for other ops.
  Value moveView(Operation *op) {
    return TypeSwitch<Operation *, Value>(op)
        .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::PadOp,
              tensor::ConcatOp>([&](auto view) { return this->turned(view); })
        .Default(Value());
  }

  /// Groups of [batch], [channels] and pixels; none where others are merged.
  static std::optional<SmallVector<ReassociationIndices>>
  moveGroups(ArrayRef<ReassociationIndices> groups, int64_t rank) {
    if (groups.size() < 3 || groups[0].size() != 1 || groups[1].size() != 1)
      return std::nullopt;
    SmallVector<ReassociationIndices> result(groups.drop_front(2));
    for (ReassociationIndices &group : result)
      for (int64_t &dimension : group)
        --dimension;
    result.insert(result.begin(), {0});
    result.push_back({rank - 1});
    return result;
  }

  Value turned(tensor::CollapseShapeOp op) {
    auto groups = moveGroups(op.getReassociationIndices(), rankOf(op.getSrc()));
    if (!groups)
      return {};
    return tensor::CollapseShapeOp::create(builder, op.getLoc(),
                                           channelsLast(op.getResultType()),
                                           moveValue(op.getSrc()), *groups);
  }

  Value turned(tensor::ExpandShapeOp op) {
    auto groups =
        moveGroups(op.getReassociationIndices(), rankOf(op.getResult()));
    if (!groups)
      return {};
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    return tensor::ExpandShapeOp::create(
        builder, op.getLoc(), channelsLast(op.getResultType()),
        moveValue(op.getSrc()), *groups, channelsLast(ArrayRef(sizes)));
  }

  Value turned(tensor::PadOp op) {
    Value value = op.getConstantPaddingValue();
    if (!value || rankOf(op.getResult()) < 3)
      return {};
    if (op.getRegion().isAncestor(value.getParentRegion()))
      value = builder.clone(*value.getDefiningOp())->getResult(0);
    SmallVector<OpFoldResult> low = op.getMixedLowPad(),
                              high = op.getMixedHighPad();
    return tensor::PadOp::create(
        builder, op.getLoc(), channelsLast(op.getResultType()),
        moveValue(op.getSource()), channelsLast(ArrayRef(low)),
        channelsLast(ArrayRef(high)), value);
  }

  Value turned(tensor::ConcatOp op) {
    int64_t rank = rankOf(op.getResult());
    if (rank < 3)
      return {};
    SmallVector<Value> inputs;
    for (Value input : op.getInputs())
      inputs.push_back(moveValue(input));
    SmallVector<int64_t> to = invertPermutationVector(lastOrder(rank));
    return tensor::ConcatOp::create(
        builder, op.getLoc(), channelsLast(op.getResultType()),
        static_cast<uint64_t>(to[op.getDim()]), inputs);
  }

  func::FuncOp function;
  OpBuilder builder;
  DenseMap<Value, Value> last; ///< by the value with channels second
  llvm::SetVector<Operation *> moved;
};

struct ChannelsLastPass : lh::impl::ChannelsLastPassBase<ChannelsLastPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      ChannelMover(function).run();
  }
};
} // namespace
