// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lays out the operands of products for the kernels that were chosen for them:
// in the order that the kernel reads, padded to whole tiles. A kernel then has
// no edges; what comes out beside the result is cut off.

#include "compiler/gaps/Choice.h"
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/gpu/ProductLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/StringExtras.h"

namespace lh {
#define GEN_PASS_DEF_LAYOUTPRODUCTSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// Why no kernel can take `product`; empty where one can.
static StringRef whyUnfit(linalg::LinalgOp product, const ProductForm &form) {
  if (auto problem = product->getAttrOfType<StringAttr>(untypedMark))
    return problem;
  bool isProduct =
      linalg::isaContractionOpInterface(product) || form.convolution;
  return isProduct ? "" : "it is no product";
}

static FailureOr<ProductLayout> layoutOf(linalg::LinalgOp product,
                                         const ProductForm &form) {
  if (StringRef problem = whyUnfit(product, form); !problem.empty())
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

namespace {
/// Loops in groups, of which each that has any makes one dimension.
struct Groups {
  explicit Groups(ArrayRef<ArrayRef<unsigned>> groups) {
    for (ArrayRef<unsigned> group : groups) {
      if (group.empty())
        continue;
      llvm::append_range(dims.emplace_back(),
                         llvm::seq(loops.size(), loops.size() + group.size()));
      llvm::append_range(loops, group);
    }
  }

  SmallVector<unsigned> loops;
  SmallVector<ReassociationIndices> dims;
};
} // namespace

static Value inOrder(TensorBuilder &tensors, Value tensor,
                     ArrayRef<int64_t> order) {
  return isIdentityPermutation(order) ? tensor
                                      : tensors.transposed(tensor, order);
}

/// An operand with one dimension for each group of loops.
static Value arranged(TensorBuilder &tensors, OpOperand &operand,
                      const Groups &groups) {
  auto product = cast<linalg::LinalgOp>(operand.getOwner());
  Value turned = inOrder(
      tensors, operand.get(),
      filterOrder(product.getMatchingIndexingMap(&operand), groups.loops));
  return groups.dims.size() == groups.loops.size()
             ? turned
             : tensors.collapsed(turned, groups.dims);
}

Value lh::padded(TensorBuilder &tensors, Value tensor, ArrayRef<int64_t> shape,
                 ArrayRef<int64_t> begin) {
  RankedTensorType type = typeOf(tensor);
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
  SmallVector<int64_t> shape(typeOf(tensor).getShape());
  int64_t &last = shape.back(), &beforeLast = shape[shape.size() - 2];
  last = roundUp(last, columns);
  beforeLast = roundUp(beforeLast, rows);
  return shape;
}

/// The product of laid out operands, which may be the factors of `product`
/// swapped: loops ([batch,] row, column, sum).
static linalg::GenericOp laidOut(OpBuilder &builder, linalg::LinalgOp product,
                                 Value left, Value right, bool turned,
                                 bool swapped) {
  Location loc = product.getLoc();
  RankedTensorType leftType = typeOf(left), rightType = typeOf(right);
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
      kinds, [&](OpBuilder &inside, Location, ValueRange values) {
        IRMapping copies;
        Block::BlockArgListType arguments = product.getBlock()->getArguments();
        copies.map(arguments, values);
        if (swapped)
          copies.map(arguments.take_front(2), ValueRange{values[1], values[0]});
        for (Operation &op : *product.getBlock())
          inside.clone(op, copies);
      });
}

/// The part of `sums` that is the result, in the result's form.
static Value cutOut(TensorBuilder &tensors, OpBuilder &builder, Value sums,
                    linalg::LinalgOp product, const Groups &groups) {
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  auto split = RankedTensorType::get(
      llvm::map_to_vector(groups.loops,
                          [&](unsigned loop) { return ranges[loop]; }),
      getElementTypeOrSelf(sums.getType()));
  auto whole = tensor::CollapseShapeOp::inferCollapsedType(split, groups.dims);
  if (sums.getType() != whole)
    sums = tensors.slice(
        sums, tensors.numbers(SmallVector<int64_t>(groups.dims.size(), 0)),
        tensors.numbers(whole.getShape()));
  if (split != whole)
    sums = tensor::ExpandShapeOp::create(builder, product.getLoc(), split, sums,
                                         groups.dims);
  return inOrder(tensors, sums,
                 invertPermutationVector(filterOrder(
                     product.getIndexingMapsArray()[2], groups.loops)));
}

/// The operands in the order that the kernel reads. `form` has rows and columns
/// as they were, or swapped.
static MatrixOperands operandsOf(TensorBuilder &tensors,
                                 linalg::LinalgOp product,
                                 const ProductForm &form, bool swapped,
                                 const ProductLayout &layout) {
  if (form.convolution) {
    MatrixOperands operands =
        windowOperands(tensors, *form.convolution, layout);
    if (layout.turned)
      operands.right = tensors.transposed(operands.right, {1, 0});
    return operands;
  }
  ArrayRef<unsigned> second = layout.turned ? form.columns : form.sum;
  ArrayRef<unsigned> third = layout.turned ? form.sum : form.columns;
  unsigned left = swapped ? 1 : 0;
  return {arranged(tensors, product->getOpOperand(left),
                   Groups({form.batch, form.rows, form.sum})),
          arranged(tensors, product->getOpOperand(1 - left),
                   Groups({form.batch, second, third}))};
}

static LogicalResult layOut(linalg::LinalgOp product) {
  ProductForm form = formOf(product);
  FailureOr<ProductLayout> layout = layoutOf(product, form);
  if (failed(layout))
    return failure();
  // Where the result has its columns before its rows, the factors swap their
  // roles, which costs nothing.
  SmallVector<int64_t> order =
      filterOrder(product.getIndexingMapsArray()[2],
                  {form.columns.back(), form.rows.front()});
  bool swapped = order[0] < order[1];
  if (swapped)
    std::swap(form.rows, form.columns);
  OpBuilder builder(product);
  TensorBuilder tensors(builder, product.getLoc());
  auto [left, right] = operandsOf(tensors, product, form, swapped, *layout);
  int64_t rows = layout->tile[0], columns = layout->tile[1];
  int64_t sum = layout->sumMultiple(typeOf(left).getShape().back());
  left = padded(tensors, left, wholeTiles(left, rows, sum));
  right = padded(tensors, right,
                 layout->turned ? wholeTiles(right, columns, sum)
                                : wholeTiles(right, sum, columns));
  linalg::GenericOp sums =
      laidOut(builder, product, left, right, layout->turned, swapped);
  for (StringRef mark : {choiceMark, gatheredMark})
    if (Attribute value = product->getAttr(mark))
      sums->setAttr(mark, value);
  sums->setAttr(kernelMark, chosen(product, "strategy"));
  builder.setInsertionPointAfter(sums);
  product->getResult(0).replaceAllUsesWith(
      cutOut(tensors, builder, sums.getResult(0), product,
             Groups({form.batch, form.rows, form.columns})));
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

/// How often a contraction or a convolution multiplies; a size that isn't known
/// counts as 1. Of any other op 0.
static double multiplicationsOf(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) &&
      !linalg::isaConvolutionOpInterface(op))
    return 0;
  double count = 1;
  for (int64_t size : op.getStaticLoopRanges())
    count *= ShapedType::isDynamic(size) ? 1 : static_cast<double>(size);
  return count;
}

static std::string percent(double part, double whole) {
  double share = whole > 0 ? 100 * part / whole : 0;
  return share < 1 ? "less than 1" : std::to_string(std::lround(share));
}

static void remarkOn(linalg::LinalgOp product, double all) {
  auto types = product->getAttrOfType<StringAttr>(typesMark);
  auto untyped = product->getAttrOfType<StringAttr>(untypedMark);
  InFlightDiagnostic remark = product->emitRemark();
  remark << "loops compute this product";
  if (types)
    remark << ", " << types.getValue();
  remark << " (" << percent(multiplicationsOf(product), all)
         << " % of the module's multiplications): "
         << (types ? "no kernel here is for these types" : untyped.getValue());
}

/// Says which products have no kernel: a matrix unit that lies idle should not
/// have to be found by its speed. Each has a remark with what it multiplies,
/// its part of all multiplications, and why no kernel takes it.
static void remarkOnUntaken(Operation *root) {
  double all = 0;
  SmallVector<linalg::LinalgOp> untaken;
  root->walk([&](linalg::LinalgOp op) {
    all += multiplicationsOf(op);
    if (!op->hasAttr(choiceMark) &&
        (op->hasAttr(typesMark) || op->hasAttr(untypedMark)))
      untaken.push_back(op);
  });
  for (linalg::LinalgOp product : untaken)
    remarkOn(product, all);
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
