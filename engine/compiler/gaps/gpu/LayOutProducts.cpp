// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// Which dimension of what `map` indexes goes along `loop`.
static int64_t positionOf(AffineMap map, unsigned loop) {
  return *map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

/// The dimensions of what `map` indexes in the order of these loops.
static SmallVector<int64_t> orderBy(AffineMap map,
                                    ArrayRef<ArrayRef<unsigned>> groups) {
  SmallVector<int64_t> order;
  for (ArrayRef<unsigned> group : groups)
    for (unsigned loop : group)
      order.push_back(positionOf(map, loop));
  return order;
}

static Value inOrder(TensorBuilder &tensors, Value tensor,
                     ArrayRef<int64_t> order) {
  return isIdentityPermutation(order) ? tensor
                                      : tensors.transposed(tensor, order);
}

/// An operand with one dimension for each group of loops.
static Value arranged(TensorBuilder &tensors, OpOperand &operand,
                      ArrayRef<ArrayRef<unsigned>> groups) {
  auto product = cast<linalg::LinalgOp>(operand.getOwner());
  SmallVector<int64_t> order =
      orderBy(product.getMatchingIndexingMap(&operand), groups);
  Value turned = inOrder(tensors, operand.get(), order);
  SmallVector<ReassociationIndices> dims = together(groups);
  return dims.size() == order.size() ? turned : tensors.collapsed(turned, dims);
}

Value lh::padded(TensorBuilder &tensors, Value tensor, ArrayRef<int64_t> shape,
                 ArrayRef<int64_t> begin) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  SmallVector<int64_t> first(begin);
  first.resize(shape.size(), 0);
  return tensors.inserted(tensor, tensors.zeros(shape, type.getElementType()),
                          tensors.numbers(first),
                          tensors.numbers(type.getShape()));
}

/// The two last sizes of `tensor` raised to multiples of these.
static SmallVector<int64_t> wholeTiles(Value tensor, int64_t rows,
                                       int64_t columns) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(tensor.getType()).getShape());
  int64_t &last = shape.back(), &beforeLast = shape[shape.size() - 2];
  last = roundUp(last, columns);
  beforeLast = roundUp(beforeLast, rows);
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
  IRMapping values;
  from->getRegion(0).cloneInto(&to.getRegion(), values);
  if (!swapped)
    return;
  Block &body = to.getRegion().front();
  BlockArgument left = body.getArgument(0);
  left.replaceAllUsesWith(
      body.insertArgument(2U, left.getType(), left.getLoc()));
  body.eraseArgument(0);
}

/// The part of `sums` that is the result, in the result's form.
static Value cutOut(TensorBuilder &tensors, OpBuilder &builder, Value sums,
                    linalg::LinalgOp product, const ProductLoops &loops) {
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  SmallVector<ArrayRef<unsigned>> groups = {loops.batch, loops.rows,
                                            loops.columns};
  SmallVector<int64_t> single, grouped;
  for (ArrayRef<unsigned> group : groups) {
    int64_t size = 1;
    for (unsigned loop : group) {
      single.push_back(ranges[loop]);
      size *= ranges[loop];
    }
    if (!group.empty())
      grouped.push_back(size);
  }
  Value result = sums;
  auto type = cast<RankedTensorType>(sums.getType());
  if (type.getShape() != ArrayRef<int64_t>(grouped))
    result = tensors.slice(
        sums, tensors.numbers(SmallVector<int64_t>(grouped.size(), 0)),
        tensors.numbers(grouped));
  if (single.size() != grouped.size())
    result = tensor::ExpandShapeOp::create(
        builder, product.getLoc(),
        RankedTensorType::get(single, type.getElementType()), result,
        together(groups));
  return inOrder(tensors, result,
                 invertPermutationVector(
                     orderBy(product.getIndexingMapsArray()[2], groups)));
}

/// Whether the result has its columns before its rows: then the factors swap
/// their roles, which costs nothing.
static bool isTurned(linalg::LinalgOp product, const ProductLoops &loops) {
  AffineMap map = product.getIndexingMapsArray()[2];
  return positionOf(map, loops.columns.back()) <
         positionOf(map, loops.rows.front());
}

/// The operands in the order that the kernel reads. `loops` has rows and
/// columns as they were, or swapped.
static MatrixOperands matrixOperands(TensorBuilder &tensors,
                                     linalg::LinalgOp product,
                                     const ProductLoops &loops, bool swapped,
                                     bool turned) {
  ArrayRef<unsigned> second = turned ? loops.columns : loops.sum;
  ArrayRef<unsigned> third = turned ? loops.sum : loops.columns;
  unsigned left = swapped ? 1 : 0;
  return {arranged(tensors, product->getOpOperand(left),
                   {loops.batch, loops.rows, loops.sum}),
          arranged(tensors, product->getOpOperand(1 - left),
                   {loops.batch, second, third})};
}

static MatrixOperands convolutionOperands(TensorBuilder &tensors,
                                          const Convolution &convolution,
                                          const ProductLayout &layout) {
  MatrixOperands operands = windowOperands(tensors, convolution, layout);
  if (layout.turned)
    operands.right = tensors.transposed(operands.right, {1, 0});
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
  TensorBuilder tensors(builder, product.getLoc());
  auto [left, right] =
      convolution
          ? convolutionOperands(tensors, *convolution, *layout)
          : matrixOperands(tensors, product, loops, swapped, layout->turned);
  int64_t rows = layout->tile[0], columns = layout->tile[1];
  int64_t sum = layout->sumMultiple(
      cast<RankedTensorType>(left.getType()).getShape().back());
  left = padded(tensors, left, wholeTiles(left, rows, sum));
  right = padded(tensors, right,
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
      cutOut(tensors, builder, sums.getResult(0), product, loops));
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
