// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of images with channels last.
#include "compiler/gaps/products/Convolution.h"

#include "compiler/gaps/Marks.h"
#include "compiler/gaps/products/Products.h"

using namespace lh;
using namespace mlir;

SmallVector<int64_t> lh::filterOrder(AffineMap filter,
                                     ArrayRef<unsigned> loops) {
  SmallVector<int64_t> order;
  for (unsigned loop : loops)
    order.push_back(
        *filter.getResultPosition(getAffineDimExpr(loop, filter.getContext())));
  return order;
}

/// `op` as a convolution of images with so many dimensions for groups.
static std::optional<Convolution> readConvolution(linalg::GenericOp op,
                                                  unsigned groupings) {
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  if (failed(dims) || !linalg::isaConvolutionOpInterface(op) ||
      !op.hasPureTensorSemantics() || !hasKnownLoops(op))
    return std::nullopt;
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned loops = 7 + groupings, filters = 3 + groupings;
  AffineMap result = AffineMap::getMultiDimIdentityMap(loops, context)
                         .getMajorSubMap(4 + groupings);
  if (dims->depth.size() != groupings || dims->batch.size() != 1 ||
      dims->outputImage.size() != 2 || dims->outputChannel.size() != 1 ||
      dims->inputChannel.size() != 1 || dims->filterLoop.size() != 2 ||
      maps[2] != result)
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  unsigned y = dims->filterLoop[0], x = dims->filterLoop[1];
  unsigned c = dims->inputChannel[0];
  Windows windows{sizes[0],          sizes[1],         sizes[2],
                  sizes[y],          sizes[x],         sizes[c],
                  dims->strides[0],  dims->strides[1], dims->dilations[0],
                  dims->dilations[1]};
  SmallVector<unsigned> order = {y, x, c, filters};
  AffineExpr n, oh, ow;
  bindDims(context, n, oh, ow);
  AffineExpr kh = getAffineDimExpr(y, context),
             kw = getAffineDimExpr(x, context);
  SmallVector<AffineExpr> from = {
      n, oh * windows.rowStride + kh * windows.rowDilation,
      ow * windows.columnStride + kw * windows.columnDilation};
  if (groupings > 0) {
    windows.groups = sizes[3];
    from.push_back(getAffineDimExpr(3, context));
    order.insert(order.begin(), 3);
  }
  from.push_back(getAffineDimExpr(c, context));
  if (dims->outputImage[0] != 1 ||
      maps[0] != AffineMap::get(loops, 0, from, context) ||
      !maps[1].isProjectedPermutation() ||
      maps[1].getNumResults() != order.size())
    return std::nullopt;
  return Convolution{op, windows, sizes[filters], filterOrder(maps[1], order)};
}

/// Numbers of one type, or words (lh-pack-words).
static bool addsProductsOrWords(linalg::GenericOp op) {
  return addsProducts(op) || op->hasAttr(productMark);
}

std::optional<Convolution> lh::convolutionOf(linalg::GenericOp op) {
  return addsProductsOrWords(op) ? readConvolution(op, 0) : std::nullopt;
}

std::optional<Convolution> lh::anyConvolutionOf(linalg::GenericOp op) {
  return readConvolution(op, 0);
}

std::optional<Convolution> lh::groupedConvolutionOf(linalg::GenericOp op) {
  return addsProductsOrWords(op) ? readConvolution(op, 1) : std::nullopt;
}

Value lh::orderFilters(TensorBuilder &tensors, const Convolution &convolution) {
  linalg::GenericOp op = convolution.op;
  return tensors.transposed(op.getInputs()[1], convolution.filterOrder);
}

void lh::replaceSum(TensorBuilder &tensors, linalg::GenericOp op, Value sum) {
  if (Value start = op.getOutputs()[0]; !isZeros(start))
    sum = tensors.add(start, sum);
  op.getResult(0).replaceAllUsesWith(sum);
  op.erase();
}
