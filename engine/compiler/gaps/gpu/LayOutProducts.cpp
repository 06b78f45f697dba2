// Lays out the operands of products for the kernels that were chosen for them:
// in the order that the kernel reads, padded to whole tiles. A kernel then has
// no edges; what comes out beside the result is cut off.

#include "compiler/gaps/Choice.h"
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/gpu/ProductLayout.h"
#include "compiler/gaps/gpu/UntakenProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/MathExtras.h"

namespace lh {
#define GEN_PASS_DEF_LAYOUTPRODUCTSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

using Loops = SmallVector<unsigned, 2>;

namespace {
/// A product's loops by what they are, each in the result's order.
struct ProductLoops {
  Loops batch, rows, columns, sum;
};
} // namespace

static Loops inOrderOf(AffineMap map, ArrayRef<unsigned> loops) {
  Loops ordered;
  for (AffineExpr result : map.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(result))
      if (llvm::is_contained(loops, loop.getPosition()))
        ordered.push_back(loop.getPosition());
  return ordered;
}

static ProductLoops loopsOf(linalg::LinalgOp product) {
  linalg::ContractionDimensions dims = *linalg::inferContractionDims(product);
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  return {inOrderOf(maps[2], dims.batch), inOrderOf(maps[2], dims.m),
          inOrderOf(maps[2], dims.n), inOrderOf(maps[0], dims.k)};
}

/// Why no kernel can take `product`; empty where one can.
static StringRef whyUnfit(linalg::LinalgOp product) {
  if (auto problem = product->getAttrOfType<StringAttr>(untypedMark))
    return problem;
  auto generic = dyn_cast<linalg::GenericOp>(product.getOperation());
  bool isProduct = linalg::isaContractionOpInterface(product) ||
                   (generic && anyConvolutionOf(generic));
  return isProduct ? "" : "it is no product";
}

static FailureOr<ProductLayout> layoutOf(linalg::LinalgOp product) {
  if (StringRef problem = whyUnfit(product); !problem.empty())
    return product.emitError("no kernel can take what has 'lh.choice': ")
           << problem;
  ProductLayout layout;
  for (StringRef name : {"rows", "columns", "sum"}) {
    auto size = dyn_cast_or_null<IntegerAttr>(chosen(product, name));
    if (!size || size.getInt() <= 0)
      return product.emitError("a product's 'lh.choice' needs a positive '")
             << name << "'";
    layout.tile.push_back(size.getInt());
  }
  if (auto rounds = dyn_cast_or_null<IntegerAttr>(chosen(product, "rounds")))
    layout.rounds = rounds.getInt();
  if (auto turned = dyn_cast_or_null<BoolAttr>(chosen(product, "turned")))
    layout.turned = turned.getValue();
  return layout;
}

static Value transposed(OpBuilder &builder, Location loc, Value tensor,
                        ArrayRef<int64_t> order) {
  if (isIdentityPermutation(order))
    return tensor;
  return TensorBuilder(builder, loc).transposed(tensor, order);
}

/// One dimension for each of `groups` that has any loops.
static SmallVector<ReassociationIndices>
together(ArrayRef<ArrayRef<unsigned>> groups) {
  SmallVector<ReassociationIndices> dims;
  int64_t next = 0;
  for (ArrayRef<unsigned> group : groups) {
    ReassociationIndices &dim = dims.emplace_back();
    for (size_t i = 0; i < group.size(); ++i)
      dim.push_back(next++);
    if (dim.empty())
      dims.pop_back();
  }
  return dims;
}

/// `tensor`, indexed by `map`, with one dimension for each group of loops.
static Value arranged(OpBuilder &builder, Location loc, Value tensor,
                      AffineMap map, ArrayRef<ArrayRef<unsigned>> groups) {
  SmallVector<int64_t> order;
  for (ArrayRef<unsigned> group : groups)
    for (unsigned loop : group)
      order.push_back(
          *map.getResultPosition(getAffineDimExpr(loop, builder.getContext())));
  Value turned = transposed(builder, loc, tensor, order);
  SmallVector<ReassociationIndices> dims = together(groups);
  if (dims.size() == order.size())
    return turned;
  return tensor::CollapseShapeOp::create(builder, loc, turned, dims);
}

static SmallVector<OpFoldResult> attributes(OpBuilder &builder,
                                            ArrayRef<int64_t> numbers) {
  return getAsIndexOpFoldResult(builder.getContext(), numbers);
}

Value lh::padded(OpBuilder &builder, Location loc, Value tensor,
                 ArrayRef<int64_t> shape, ArrayRef<int64_t> begin) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  SmallVector<int64_t> first(begin), steps(shape.size(), 1);
  first.resize(shape.size(), 0);
  return tensor::InsertSliceOp::create(
      builder, loc, tensor,
      TensorBuilder(builder, loc).zeros(shape, type.getElementType()),
      attributes(builder, first), attributes(builder, type.getShape()),
      attributes(builder, steps));
}

/// The two last sizes of `tensor` raised to multiples of these.
static SmallVector<int64_t> wholeTiles(Value tensor, int64_t rows,
                                       int64_t columns) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(tensor.getType()).getShape());
  auto raise = [](int64_t &size, int64_t tile) {
    size = static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(size),
                                              static_cast<uint64_t>(tile)));
  };
  raise(shape[shape.size() - 2], rows);
  raise(shape.back(), columns);
  return shape;
}

/// The product of laid out operands: loops ([batch,] row, column, sum).
static linalg::GenericOp laidOut(OpBuilder &builder, linalg::LinalgOp product,
                                 Value left, Value right, bool turned) {
  Location loc = product.getLoc();
  auto leftType = cast<RankedTensorType>(left.getType());
  auto rightType = cast<RankedTensorType>(right.getType());
  auto batches = static_cast<unsigned>(leftType.getRank() - 2);
  unsigned row = batches, column = batches + 1, sum = batches + 2;
  SmallVector<int64_t> shape(leftType.getShape().drop_back());
  shape.push_back(rightType.getDimSize(turned ? batches : batches + 1));
  auto map = [&](unsigned first, unsigned second) {
    SmallVector<unsigned> loops = llvm::to_vector(llvm::seq(0U, batches));
    loops.append({first, second});
    return AffineMap::getMultiDimMapWithTargets(batches + 3, loops,
                                                builder.getContext());
  };
  SmallVector<utils::IteratorType> kinds(batches + 2,
                                         utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  Value start =
      TensorBuilder(builder, loc)
          .zeros(shape, getElementTypeOrSelf(product->getResult(0).getType()));
  return linalg::GenericOp::create(
      builder, loc, start.getType(), ValueRange{left, right}, start,
      ArrayRef<AffineMap>{map(row, sum),
                          turned ? map(column, sum) : map(sum, column),
                          map(row, column)},
      kinds);
}

/// `to` computes what `from` does; its factors are `from`'s, or swapped.
static void copyBody(linalg::LinalgOp from, linalg::GenericOp to,
                     bool swapped) {
  OpBuilder builder(to->getContext());
  Block &old = *from.getBlock();
  Region &region = to.getRegion();
  Block *body = builder.createBlock(&region);
  IRMapping map;
  for (unsigned i : {0U, 1U, 2U})
    body->addArgument(old.getArgument(i < 2 && swapped ? 1 - i : i).getType(),
                      to.getLoc());
  for (unsigned i : {0U, 1U, 2U})
    map.map(old.getArgument(i),
            body->getArgument(i < 2 && swapped ? 1 - i : i));
  for (Operation &op : old)
    builder.clone(op, map);
}

/// The part of `sums` that is the result, in the result's form.
static Value cutOut(OpBuilder &builder, Location loc, Value sums,
                    linalg::LinalgOp product, const ProductLoops &loops) {
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  SmallVector<ArrayRef<unsigned>> groups = {loops.batch, loops.rows,
                                            loops.columns};
  SmallVector<int64_t> single, grouped, order;
  AffineMap map = product.getIndexingMapsArray()[2];
  for (ArrayRef<unsigned> group : groups) {
    int64_t size = 1;
    for (unsigned loop : group) {
      single.push_back(ranges[loop]);
      size *= ranges[loop];
      order.push_back(
          *map.getResultPosition(getAffineDimExpr(loop, builder.getContext())));
    }
    if (!group.empty())
      grouped.push_back(size);
  }
  SmallVector<int64_t> first(grouped.size(), 0), steps(grouped.size(), 1);
  Value result = sums;
  auto type = cast<RankedTensorType>(sums.getType());
  if (type.getShape() != ArrayRef<int64_t>(grouped))
    result = tensor::ExtractSliceOp::create(
        builder, loc, sums, attributes(builder, first),
        attributes(builder, grouped), attributes(builder, steps));
  if (single.size() != grouped.size())
    result = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(single, type.getElementType()),
        result, together(groups));
  return transposed(builder, loc, result, invertPermutationVector(order));
}

/// Whether the result has its columns before its rows: then the factors swap
/// their roles, which costs nothing.
static bool isTurned(linalg::LinalgOp product, const ProductLoops &loops) {
  AffineMap map = product.getIndexingMapsArray()[2];
  auto position = [&](unsigned loop) {
    return *map.getResultPosition(
        getAffineDimExpr(loop, product->getContext()));
  };
  return position(loops.columns.back()) < position(loops.rows.front());
}

/// The operands in the order that the kernel reads. `loops` has rows and
/// columns as they were, or swapped.
static MatrixOperands matrixOperands(OpBuilder &builder,
                                     linalg::LinalgOp product,
                                     const ProductLoops &loops, bool swapped,
                                     bool turned) {
  Location loc = product.getLoc();
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  unsigned leftAt = swapped ? 1 : 0;
  Value left = arranged(builder, loc, product->getOperand(leftAt), maps[leftAt],
                        {loops.batch, loops.rows, loops.sum});
  ArrayRef<unsigned> second = turned ? loops.columns : loops.sum;
  ArrayRef<unsigned> third = turned ? loops.sum : loops.columns;
  Value right = arranged(builder, loc, product->getOperand(1 - leftAt),
                         maps[1 - leftAt], {loops.batch, second, third});
  return {left, right};
}

static MatrixOperands convolutionOperands(OpBuilder &builder,
                                          const Convolution &convolution,
                                          const ProductLayout &layout) {
  MatrixOperands operands = windowOperands(builder, convolution, layout);
  linalg::GenericOp op = convolution.op;
  if (layout.turned)
    operands.right = transposed(builder, op.getLoc(), operands.right, {1, 0});
  return operands;
}

static LogicalResult layOut(linalg::LinalgOp product) {
  FailureOr<ProductLayout> layout = layoutOf(product);
  if (failed(layout))
    return failure();
  auto generic = dyn_cast<linalg::GenericOp>(product.getOperation());
  std::optional<Convolution> convolution;
  if (generic)
    convolution = anyConvolutionOf(generic);
  ProductLoops loops = convolution ? ProductLoops{{}, {0, 1, 2}, {3}, {4, 5, 6}}
                                   : loopsOf(product);
  bool swapped = isTurned(product, loops);
  if (swapped)
    std::swap(loops.rows, loops.columns);
  OpBuilder builder(product);
  Location loc = product.getLoc();
  auto [left, right] =
      convolution
          ? convolutionOperands(builder, *convolution, *layout)
          : matrixOperands(builder, product, loops, swapped, layout->turned);
  int64_t rows = layout->tile[0], columns = layout->tile[1];
  int64_t sum = layout->sumMultiple(
      cast<RankedTensorType>(left.getType()).getShape().back());
  left = padded(builder, loc, left, wholeTiles(left, rows, sum));
  right = padded(builder, loc, right,
                 layout->turned ? wholeTiles(right, columns, sum)
                                : wholeTiles(right, sum, columns));
  linalg::GenericOp sums =
      laidOut(builder, product, left, right, layout->turned);
  copyBody(product, sums, swapped);
  for (StringRef mark : {choiceMark, gatheredMark})
    if (Attribute value = product->getAttr(mark))
      sums->setAttr(mark, value);
  sums->setAttr(kernelMark, chosen(product, "strategy"));
  builder.setInsertionPointAfter(sums);
  product->getResult(0).replaceAllUsesWith(
      cutOut(builder, loc, sums.getResult(0), product, loops));
  product.erase();
  return success();
}

/// Notes on `root` that there must be a kernel with the instruction of each of
/// `products`.
static void noteInstructions(Operation *root,
                             ArrayRef<linalg::LinalgOp> products) {
  NamedAttrList counts;
  if (auto noted = root->getAttrOfType<DictionaryAttr>(instructionsMark))
    counts.append(noted.begin(), noted.end());
  Builder builder(root->getContext());
  for (linalg::LinalgOp product : products) {
    auto name = dyn_cast_or_null<StringAttr>(chosen(product, "instruction"));
    if (!name || name.empty())
      continue;
    auto before = dyn_cast_or_null<IntegerAttr>(counts.get(name));
    counts.set(name,
               builder.getI64IntegerAttr((before ? before.getInt() : 0) + 1));
  }
  if (!counts.empty())
    root->setAttr(instructionsMark, counts.getDictionary(root->getContext()));
}

namespace {
struct LayOutProductsPass
    : lh::impl::LayOutProductsPassBase<LayOutProductsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (chosen(op, "strategy"))
        products.push_back(op);
    });
    remarkOnUntaken(getOperation());
    noteInstructions(getOperation(), products);
    for (linalg::LinalgOp product : products)
      if (failed(layOut(product)))
        return signalPassFailure();
  }
};
} // namespace
