// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says in words what a product of matrices is made of, so that a schedule can
// choose by it: the transform dialect's matchers don't compare element types.

#include "compiler/gaps/Marks.h"
#include "compiler/gaps/gpu/ProductLayout.h"
#include "compiler/gaps/products/Convolution.h"
#include "compiler/gaps/products/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace lh;
using namespace mlir;

ProductForm lh::formOf(linalg::LinalgOp product) {
  if (auto generic = dyn_cast<linalg::GenericOp>(product.getOperation()))
    if (std::optional<Convolution> convolution = anyConvolutionOf(generic))
      return {convolution, {}, {0, 1, 2}, {3}, {4, 5, 6}};
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(product);
  if (failed(dims))
    return {};
  auto ordered = [](AffineMap map, ArrayRef<unsigned> loops) {
    SmallVector<unsigned, 2> order;
    for (AffineExpr result : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(result))
        if (llvm::is_contained(loops, loop.getPosition()))
          order.push_back(loop.getPosition());
    return order;
  };
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  return {std::nullopt, ordered(maps[2], dims->batch),
          ordered(maps[2], dims->m), ordered(maps[2], dims->n),
          ordered(maps[0], dims->k)};
}

/// `factor` as it is read: "f16", or "u8" for bytes that are widened without
/// their sign. Empty when it is more than `argument`, widened.
static std::string factorName(Value factor, BlockArgument argument) {
  Operation *op = factor.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    factor = op->getOperand(0);
  if (factor != argument)
    return "";
  if (isa_and_nonnull<arith::ExtUIOp>(op))
    return "u" + std::to_string(factor.getType().getIntOrFloatBitWidth());
  return llvm::to_string(factor.getType());
}

/// What `op` multiplies and sums up, "f16 x f16 -> f32"; empty when its body
/// does anything else.
static std::string typesOf(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (body.getNumArguments() != 3 ||
      !isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return "";
  unsigned started = sum->getOperand(0) == body.getArgument(2) ? 0 : 1;
  Operation *times = sum->getOperand(1 - started).getDefiningOp();
  if (sum->getOperand(started) != body.getArgument(2) ||
      !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(times))
    return "";
  for (unsigned first : {0U, 1U}) {
    std::string left =
                    factorName(times->getOperand(first), body.getArgument(0)),
                right = factorName(times->getOperand(1 - first),
                                   body.getArgument(1));
    if (!left.empty() && !right.empty())
      return left + " x " + right + " -> " +
             llvm::to_string(body.getArgument(2).getType());
  }
  return "";
}

/// A contraction, or a convolution from zeros, that sums up to one tensor.
static bool sumsUpOneTensor(linalg::LinalgOp op) {
  if (linalg::isaContractionOpInterface(op))
    return op.hasPureTensorSemantics() && op->getNumResults() == 1;
  return formOf(op).convolution && isZeros(op.getDpsInits()[0]);
}

/// Why `product` isn't one of two matrices, or of batches of them, of known
/// sizes; empty when it is.
static StringRef whyNoMatrices(linalg::LinalgOp product,
                               const ProductForm &form) {
  if (!isZeros(product.getDpsInits()[0]))
    return "it doesn't start from zeros";
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return "its sizes aren't known";
  if (llvm::is_contained(ranges, 0))
    return "it is empty";
  if (form.sum.empty())
    return "it has nothing to sum up";
  if (form.rows.empty())
    return "it has no rows";
  return form.columns.empty() ? "it has no columns" : "";
}

static void describe(linalg::LinalgOp product, int64_t thin) {
  Builder builder(product.getContext());
  ProductForm form = formOf(product);
  std::string types = typesOf(product);
  StringRef problem = whyNoMatrices(product, form);
  if (problem.empty() && types.empty())
    problem = "it computes more than products and their sum";
  if (!problem.empty())
    return product->setAttr(untypedMark, builder.getStringAttr(problem));
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  auto sizeOf = [&](ArrayRef<unsigned> loops) {
    return computeProduct(llvm::map_to_vector(
        loops, [&](unsigned loop) { return ranges[loop]; }));
  };
  int64_t fewest = std::min(sizeOf(form.rows), sizeOf(form.columns));
  Attribute choice = product->getAttr(choiceMark);
  Type sum = getElementTypeOrSelf(product->getResult(0).getType());
  if (sum.isF16() || sum.isBF16()) {
    product = widenSums(product);
    types = typesOf(product);
  }
  if (choice)
    product->setAttr(choiceMark, choice);
  else
    product->setAttr(typesMark, builder.getStringAttr(types));
  bool isGathered =
      form.convolution && !form.convolution->windows.isWholePixels();
  product->setAttr(batchedMark, builder.getBoolAttr(!form.batch.empty()));
  product->setAttr(gatheredMark, builder.getBoolAttr(isGathered));
  product->setAttr(smallMark, builder.getBoolAttr(fewest <= thin));
}

/// Kernels are mapped for known sizes only.
static bool isOpenConvolution(linalg::LinalgOp op) {
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  return succeeded(dims) && !dims->inputChannel.empty() && op.hasDynamicShape();
}

void lh::typeProducts(Operation *root, int64_t thin) {
  SmallVector<linalg::LinalgOp> products;
  root->walk([&](linalg::LinalgOp op) {
    if (sumsUpOneTensor(op))
      products.push_back(op);
    else if (isOpenConvolution(op))
      op->emitRemark("a convolution of open sizes stays one, and is computed "
                     "by a thread for each element");
  });
  for (linalg::LinalgOp product : products)
    describe(product, thin);
}
