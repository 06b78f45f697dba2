// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says in words what a product of matrices is made of, so that a schedule can
// choose by it: the transform dialect's matchers don't compare element types.

#include "compiler/gaps/Marks.h"
#include "compiler/gaps/products/Convolution.h"
#include "compiler/gaps/products/NormalForm.h"
#include "compiler/gaps/products/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace lh;
using namespace mlir;

namespace {
/// A product's factors as they are read, and what they are summed up in.
struct ProductTypes {
  std::string left, right, sum;
};
} // namespace

/// The operation of one of these kinds that makes `value`; null for others.
template <typename... Kinds> static Operation *madeBy(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<Kinds...>(op) ? op : nullptr;
}

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// `factor` as it is read: "f16", or "u8" for bytes that are widened without
/// their sign. Empty when it is more than an argument of `body`, widened.
static std::string factorName(Value factor, Block &body, unsigned input) {
  Operation *widening =
      madeBy<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(factor);
  Value read = widening ? widening->getOperand(0) : factor;
  if (read != body.getArgument(input))
    return "";
  if (isa_and_nonnull<arith::ExtUIOp>(widening))
    return "u" + std::to_string(read.getType().getIntOrFloatBitWidth());
  return typeName(read.getType());
}

/// What `op` multiplies and sums up; nothing when its body does anything else.
static std::optional<ProductTypes> typesOf(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  Operation *sum =
      madeBy<arith::AddFOp, arith::AddIOp>(body.getTerminator()->getOperand(0));
  if (body.getNumArguments() != 3 || !sum)
    return std::nullopt;
  unsigned started = sum->getOperand(0) == body.getArgument(2) ? 0 : 1;
  Operation *times =
      madeBy<arith::MulFOp, arith::MulIOp>(sum->getOperand(1 - started));
  if (sum->getOperand(started) != body.getArgument(2) || !times)
    return std::nullopt;
  for (unsigned first : {0U, 1U}) {
    ProductTypes types = {factorName(times->getOperand(first), body, 0),
                          factorName(times->getOperand(1 - first), body, 1),
                          typeName(body.getArgument(2).getType())};
    if (!types.left.empty() && !types.right.empty())
      return types;
  }
  return std::nullopt;
}

static bool startsAtZero(linalg::LinalgOp product) {
  auto fill = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.value(), m_AnyZeroFloat()) ||
                  matchPattern(fill.value(), m_Zero()));
}

/// A contraction that sums up to one tensor.
static bool sumsUpOneTensor(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) && op.hasPureTensorSemantics() &&
         op->getNumResults() == 1;
}

/// Why `product` isn't one of two matrices, or of batches of them, of known
/// sizes; empty when it is.
static StringRef whyNoMatrices(linalg::LinalgOp product) {
  if (!startsAtZero(product))
    return "it doesn't start from zeros";
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return "its sizes aren't known";
  if (llvm::is_contained(ranges, 0))
    return "it is empty";
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(product);
  if (failed(dims) || dims->k.empty())
    return "it has nothing to sum up";
  if (dims->m.empty())
    return "it has no rows";
  return dims->n.empty() ? "it has no columns" : "";
}

/// A convolution of images of known sizes, with channels last.
static std::optional<Convolution> imageConvolution(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || !startsAtZero(op))
    return std::nullopt;
  return anyConvolutionOf(generic);
}

static bool isBatched(linalg::LinalgOp product) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(product);
  return succeeded(dims) && !dims->batch.empty();
}

/// Whether the result has at most `most` rows, or columns; a convolution's rows
/// are the points of its images, its columns are the filters.
static bool isThin(linalg::LinalgOp product, bool isConvolution, int64_t most) {
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  SmallVector<unsigned, 2> rows = {0, 1, 2}, columns = {3};
  if (!isConvolution) {
    linalg::ContractionDimensions dims = *linalg::inferContractionDims(product);
    rows = dims.m;
    columns = dims.n;
  }
  auto size = [&](ArrayRef<unsigned> loops) {
    int64_t product = 1;
    for (unsigned loop : loops)
      product *= ranges[loop];
    return product;
  };
  return std::min(size(rows), size(columns)) <= most;
}

static void describe(linalg::LinalgOp product, int64_t thin) {
  std::optional<ProductTypes> types = typesOf(product);
  std::optional<Convolution> convolution = imageConvolution(product);
  StringRef problem = convolution ? "" : whyNoMatrices(product);
  if (problem.empty() && !types)
    problem = "it computes more than products and their sum";
  if (!problem.empty()) {
    product->setAttr(untypedMark,
                     StringAttr::get(product->getContext(), problem));
    return;
  }
  bool isGathered = convolution && !convolution->windows.isWholePixels();
  bool batched = !convolution && isBatched(product);
  bool fewOnly = isThin(product, convolution.has_value(), thin);
  Attribute choice = product->getAttr(choiceMark);
  if (types->sum == "f16" || types->sum == "bf16") {
    product = widenSums(product);
    types->sum = "f32";
  }
  if (choice)
    product->setAttr(choiceMark, choice);
  else
    product->setAttr(typesMark,
                     StringAttr::get(product->getContext(),
                                     types->left + " x " + types->right +
                                         " -> " + types->sum));
  product->setAttr(batchedMark, BoolAttr::get(product->getContext(), batched));
  product->setAttr(gatheredMark,
                   BoolAttr::get(product->getContext(), isGathered));
  product->setAttr(smallMark, BoolAttr::get(product->getContext(), fewOnly));
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
    if (sumsUpOneTensor(op) || imageConvolution(op))
      products.push_back(op);
    else if (isOpenConvolution(op))
      op->emitRemark("a convolution of open sizes stays one, and is computed "
                     "by a thread for each element");
  });
  for (linalg::LinalgOp product : products)
    describe(product, thin);
}
