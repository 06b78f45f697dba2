// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces the left operand of a product back to another one, and clears the way
// between them of reshapes.
#include "compiler/gaps/rows/Attention.h"

#include "compiler/gaps/products/Products.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

/// More than any softmax and its masks have.
static constexpr size_t maxSteps = 64;

static bool isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
      op);
}

/// A product of matrices for each element of a batch. One row alone is better
/// off with products that don't pack.
static bool isBatchOfMatrices(Operation *op) {
  auto product = dyn_cast<LinalgOp>(op);
  if (!product || !product.hasPureTensorSemantics() || !isProduct(op) ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
    return false;
  auto dims = linalg::inferContractionDims(product);
  if (failed(dims) || dims->batch.empty() || dims->m.size() != 1)
    return false;
  return product.getStaticLoopRanges()[dims->m.front()] != 1;
}

namespace {
/// What a value is computed from: one product, and the ops on the way.
struct Trace {
  LinalgOp product;
  llvm::SetVector<Operation *> way;
  SmallVector<int64_t> sums; ///< how many numbers each is of, or dynamic
};
} // namespace

/// How many numbers an op makes one of; 1 for one that computes each by itself.
static int64_t reducedSize(LinalgOp op) {
  int64_t size = 1;
  for (auto [loop, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (linalg::isReductionIterator(kind))
      size = ShapedType::isDynamic(loop) || ShapedType::isDynamic(size)
                 ? ShapedType::kDynamic
                 : size * loop;
  return size;
}

/// Follows a value upwards until products; nothing when there is more than one
/// of them, or none.
static std::optional<Trace> traceToProduct(Value value) {
  Trace trace;
  SmallVector<Value> pending{value};
  while (!pending.empty() && trace.way.size() < maxSteps) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    auto linalgOp = dyn_cast_or_null<LinalgOp>(op);
    if (!op || (!linalgOp && !isReshape(op)))
      continue;
    if (linalgOp && isProduct(op)) {
      if (trace.product && trace.product != linalgOp)
        return std::nullopt;
      trace.product = linalgOp;
      continue;
    }
    if (!trace.way.insert(op))
      continue;
    if (linalgOp && linalgOp.getNumReductionLoops() > 0)
      trace.sums.push_back(reducedSize(linalgOp));
    if (linalgOp)
      llvm::append_range(pending, linalgOp.getDpsInputs());
    else
      pending.push_back(op->getOperand(0));
  }
  if (!trace.product)
    return std::nullopt;
  return trace;
}

static std::optional<Trace> traceToScores(Operation *values) {
  if (!isBatchOfMatrices(values))
    return std::nullopt;
  auto product = cast<LinalgOp>(values);
  std::optional<Trace> trace = traceToProduct(product.getDpsInputs().front());
  if (!trace || trace->sums.empty() || !isBatchOfMatrices(trace->product) ||
      trace->product->getBlock() != values->getBlock())
    return std::nullopt;
  // Sums of a row of scores, not of a column or of a head: these would need all
  // rows at once.
  int64_t row = reducedSize(product);
  bool isOfRows = llvm::all_of(trace->sums, [&](int64_t size) {
    return size == row || ShapedType::isDynamic(size) ||
           ShapedType::isDynamic(row);
  });
  if (!isOfRows)
    return std::nullopt;
  return trace;
}

namespace {
/// The ops of attention, through all that becomes of them.
class Tracked : public RewriterBase::Listener {
public:
  void add(Operation *op) { ops.insert(op); }
  bool contains(Operation *op) const { return ops.contains(op); }
  bool empty() const { return ops.empty(); }

  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    if (!ops.contains(op))
      return;
    for (Value value : values) {
      Operation *maker = value.getDefiningOp();
      while (maker && isReshape(maker))
        maker = maker->getOperand(0).getDefiningOp();
      if (isa_and_nonnull<LinalgOp>(maker))
        ops.insert(maker);
    }
  }
  void notifyOperationErased(Operation *op) override { ops.erase(op); }

private:
  llvm::DenseSet<Operation *> ops;
};
} // namespace

/// Hands the value on in another order, or repeated.
static bool isCopy(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && generic.isAllParallelLoops() &&
         generic.getNumDpsInputs() == 1 && generic->getNumResults() == 1 &&
         llvm::hasSingleElement(generic.getBody()->getOperations()) &&
         generic.getBody()->getTerminator()->getOperand(0) ==
             generic.getBody()->getArgument(0);
}

/// The copy that alone reads a value, through reshapes.
static Operation *copyOf(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (isCopy(user))
      return user;
    if (!isReshape(user))
      return nullptr;
    value = user->getResult(0);
  }
  return nullptr;
}

static Tracked collectMembers(FunctionOpInterface function,
                              IRRewriter &rewriter) {
  Tracked members;
  llvm::SetVector<Operation *> products;
  function->walk([&](LinalgOp values) {
    std::optional<Trace> trace = traceToScores(values);
    if (!trace)
      return;
    products.insert(trace->product);
    products.insert(values);
    for (Operation *op : trace->way)
      members.add(op);
    if (Operation *copy = copyOf(values->getResult(0)))
      members.add(copy);
  });
  for (Operation *product : products) {
    rewriter.setInsertionPoint(product);
    members.add(
        isa<linalg::GenericOp>(product)
            ? product
            : *linalg::generalizeNamedOp(rewriter, cast<LinalgOp>(product)));
  }
  return members;
}

/// Fills that several ops start from become one for each: a loop takes its own
/// with it.
static void ownStartValues(FunctionOpInterface function, const Tracked &members,
                           IRRewriter &rewriter) {
  function->walk([&](LinalgOp op) {
    if (!members.contains(op) || isa<linalg::FillOp>(op))
      return;
    OpOperand *init = op.getDpsInitOperand(0);
    auto fill = init->get().getDefiningOp<linalg::FillOp>();
    if (!fill || fill->hasOneUse())
      return;
    rewriter.setInsertionPoint(op);
    rewriter.modifyOpInPlace(
        op, [&] { init->set(rewriter.clone(*fill)->getResult(0)); });
  });
}

static void addShapeCleanUp(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  tensor::populateReassociativeReshapeFoldingPatterns(patterns);
  context->getLoadedDialect<linalg::LinalgDialect>()
      ->getCanonicalizationPatterns(patterns);
}

static LogicalResult apply(FunctionOpInterface function,
                           RewritePatternSet patterns, Tracked &members) {
  addShapeCleanUp(patterns);
  return applyPatternsGreedily(
      function, std::move(patterns),
      GreedyRewriteConfig().setUseTopDownTraversal().setListener(&members));
}

/// What an importer keeps of a reduced dimension stands between two ops as a
/// reshape.
static LogicalResult dropUnitDimensions(FunctionOpInterface function,
                                        Tracked &members) {
  RewritePatternSet patterns(function->getContext());
  linalg::ControlDropUnitDims everywhere;
  linalg::populateFoldUnitExtentDimsPatterns(patterns, everywhere);
  return apply(function, std::move(patterns), members);
}

/// Whether a reshape stands between two members.
static bool connects(Operation *reshape, const Tracked &members) {
  Operation *source = reshape->getOperand(0).getDefiningOp();
  return source && members.contains(source) &&
         llvm::any_of(reshape->getUsers(),
                      [&](Operation *user) { return members.contains(user); });
}

/// Reshapes between members become dimensions of theirs.
static LogicalResult connect(FunctionOpInterface function, Tracked &members) {
  RewritePatternSet patterns(function->getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [&](OpOperand *operand) {
        Operation *owner = operand->getOwner();
        return connects(
            isReshape(owner) ? owner : operand->get().getDefiningOp(), members);
      });
  return apply(function, std::move(patterns), members);
}

/// Copies that feed a product become one of its maps.
static LinalgOp withoutCopies(LinalgOp product, Tracked &members,
                              IRRewriter &rewriter) {
  for (unsigned i = 0; i < 2; ++i) {
    OpOperand *operand = product.getDpsInputOperand(i);
    if (!isCopy(operand->get().getDefiningOp()) ||
        !linalg::areElementwiseOpsFusable(operand))
      continue;
    rewriter.setInsertionPoint(product);
    FailureOr<linalg::ElementwiseOpFusionResult> fused =
        linalg::fuseElementwiseOps(rewriter, operand);
    if (failed(fused))
      continue;
    Value result = fused->replacements.lookup(product->getResult(0));
    members.add(fused->fusedOp);
    rewriter.replaceOp(product, result);
    product = cast<LinalgOp>(fused->fusedOp);
  }
  return product;
}

FailureOr<SmallVector<Attention>>
lh::exposeAttention(FunctionOpInterface function) {
  IRRewriter rewriter(function->getContext());
  Tracked members = collectMembers(function, rewriter);
  SmallVector<Attention> found;
  if (members.empty())
    return found;
  if (failed(dropUnitDimensions(function, members)) ||
      failed(connect(function, members)))
    return failure();
  SmallVector<LinalgOp> products;
  function->walk([&](LinalgOp op) {
    if (members.contains(op) && isProduct(op))
      products.push_back(op);
  });
  for (LinalgOp &product : products)
    product = withoutCopies(product, members, rewriter);
  ownStartValues(function, members, rewriter);
  for (LinalgOp values : products) {
    std::optional<Trace> trace = traceToProduct(values.getDpsInputs().front());
    if (trace && !trace->sums.empty() && members.contains(trace->product))
      found.push_back({trace->product, values});
  }
  return found;
}
