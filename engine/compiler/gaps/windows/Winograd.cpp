// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions by 3 x 3 windows as F(4 x 4, 3 x 3): 36 products of matrices
// where 144 multiply-adds were, between two transforms of tiles. Lavin & Gray,
// "Fast Algorithms for Convolutional Neural Networks", arXiv 1509.09308.
#include "compiler/gaps/windows/Winograd.h"

#include "compiler/gaps/products/Convolution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

static constexpr int64_t products = winogradSpan * winogradSpan;
static constexpr auto form = linalg::WinogradConv2DFmr::F_4_3;

namespace {
/// Rewrites one convolution; its methods are the steps.
class WinogradRewriter : TensorBuilder {
public:
  WinogradRewriter(const Convolution &convolution, int64_t tiles)
      : TensorBuilder(position, convolution.op->getLoc()),
        convolution(convolution), w(convolution.windows),
        filters(convolution.filters), op(convolution.op), position(op),
        element(getElementTypeOrSelf(op.getResult(0).getType())),
        tileRows(llvm::divideCeil(w.height, winogradStep)),
        tileColumns(llvm::divideCeil(w.width, winogradStep)),
        blockRows(rowsOfBlock(tiles)) {}

  void run() {
    Value padded = image(), transformed = matrices();
    Value result = empty(
        {w.batch, winogradStep * tileRows, winogradStep * tileColumns, filters},
        element);
    auto blocks = scf::ForallOp::create(
        builder, loc, numbers({w.batch, tileRows / blockRows}),
        ValueRange{result}, std::nullopt);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(blocks.getBody());
      AffineExpr number = builder.getAffineDimExpr(0);
      OpFoldResult zero = builder.getIndexAttr(0);
      Value row =
          apply(number * (winogradStep * blockRows), blocks.getInductionVar(1));
      SmallVector<OpFoldResult> from = {blocks.getInductionVar(0), row, zero,
                                        zero};
      Value piece =
          slice(padded, from,
                numbers({1, winogradStep * blockRows + 2,
                         winogradStep * tileColumns + 2, w.channels}));
      auto sizes = numbers(
          {1, winogradStep * blockRows, winogradStep * tileColumns, filters});
      Value into = slice(blocks.getRegionIterArgs()[0], from, sizes);
      Value part = block(piece, transformed, into);
      builder.setInsertionPointToStart(blocks.getTerminator().getBody());
      tensor::ParallelInsertSliceOp::create(builder, loc, part,
                                            blocks.getRegionIterArgs()[0], from,
                                            sizes, numbers({1, 1, 1, 1}));
    }
    Value all = blocks.getResult(0);
    if (w.height % winogradStep != 0 || w.width % winogradStep != 0)
      all = slice(all, numbers({0, 0, 0, 0}),
                  numbers({w.batch, w.height, w.width, filters}));
    replaceSum(*this, op, all);
  }

private:
  /// The largest number of rows of tiles that divides them and holds no more
  /// than `tiles`: a block's matrices stay in the cache.
  int64_t rowsOfBlock(int64_t tiles) const {
    int64_t rows = std::clamp<int64_t>(tiles / tileColumns, 1, tileRows);
    while (tileRows % rows != 0)
      --rows;
    return rows;
  }

  /// The input with zeros added, so that tiles cover the result; around what is
  /// padded already, canonicalization makes one of both.
  Value image() {
    Value input = op.getInputs()[0];
    int64_t below = winogradStep * tileRows - w.height,
            right = winogradStep * tileColumns - w.width;
    if (below == 0 && right == 0)
      return input;
    return tensor::PadOp::create(builder, loc, RankedTensorType(), input,
                                 numbers({0, 0, 0, 0}),
                                 numbers({0, below, right, 0}), zero(element));
  }

  /// The transformed filter along one of its first two dimensions: each of 6
  /// results is a combination of 3, by G.
  Value combine(Value tensor, unsigned along) {
    static constexpr std::array<std::array<float, winogradSpan>, 3> g = {
        {{1.0f / 4, -1.0f / 6, -1.0f / 6, 1.0f / 24, 1.0f / 24, 0},
         {0, -1.0f / 6, 1.0f / 6, 1.0f / 12, -1.0f / 12, 0},
         {0, -1.0f / 6, -1.0f / 6, 1.0f / 6, 1.0f / 6, 1}}};
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(type.getShape()), kept = shape, sizes = shape,
                                                 start(4, 0);
    kept.erase(kept.begin() + along);
    sizes[along] = 1;
    shape[along] = winogradSpan;
    SmallVector<Value> inputs, factors;
    for (const auto &column : g) {
      inputs.push_back(tensor::ExtractSliceOp::create(
          builder, loc, type.clone(kept), tensor, numbers(start),
          numbers(sizes), numbers({1, 1, 1, 1})));
      factors.push_back(arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(RankedTensorType::get({winogradSpan}, element),
                                 ArrayRef(column))));
      ++start[along];
    }
    inputs.append(factors);
    AffineMap all = builder.getMultiDimIdentityMap(4);
    SmallVector<AffineMap> maps(3, all.dropResult(along));
    maps.append(3, all.getSubMap({along}));
    auto body = [](OpBuilder &b, Location at, ValueRange in) {
      Value sum = arith::MulFOp::create(b, at, in[0], in[3]);
      for (unsigned tap : {1u, 2u})
        sum = arith::AddFOp::create(
            b, at, sum, arith::MulFOp::create(b, at, in[tap], in[tap + 3]));
      return sum;
    };
    return generic(inputs, maps, empty(shape, element), body).getResult(0);
  }

  /// G g G^T as 36 matrices [channels][filters].
  Value matrices() {
    return collapsed(combine(combine(orderFilters(*this, convolution), 0), 1),
                     {{0, 1}, {2}, {3}});
  }

  /// A^T [(B^T d B) x matrices] A for a block's rows of the image.
  Value block(Value image, Value matrices, Value into) {
    int64_t count = blockRows * tileColumns;
    SmallVector<ReassociationIndices> groups = {{0, 1}, {2, 3, 4}, {5}};
    SmallVector<int64_t> tiles = {
        winogradSpan, winogradSpan, blockRows, tileColumns, 1, w.channels};
    Value v = empty(tiles, element);
    v = linalg::WinogradInputTransformOp::create(builder, loc, v.getType(),
                                                 image, v, form)
            ->getResult(0);
    v = collapsed(v, groups);
    Value start = zeros({products, count, filters}, element);
    Value m = linalg::BatchMatmulOp::create(builder, loc, start.getType(),
                                            ValueRange{v, matrices}, start)
                  ->getResult(0);
    tiles.back() = filters;
    m = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(tiles, element), m, groups);
    return linalg::WinogradOutputTransformOp::create(
               builder, loc, into.getType(), m, into, form)
        ->getResult(0);
  }

  const Convolution &convolution;
  const Windows &w;
  int64_t filters;
  linalg::GenericOp op;
  OpBuilder position;
  Type element;
  int64_t tileRows, tileColumns, blockRows;
};
} // namespace

bool lh::multiplyTiles(linalg::GenericOp op, int64_t tiles) {
  std::optional<Convolution> convolution = convolutionOf(op);
  if (!convolution)
    return false;
  const Windows &w = convolution->windows;
  if (w.rows != 3 || w.columns != 3 || w.rowStride != 1 ||
      w.columnStride != 1 || w.rowDilation != 1 || w.columnDilation != 1 ||
      !getElementTypeOrSelf(op.getResult(0).getType()).isF32())
    return false;
  WinogradRewriter(*convolution, tiles).run();
  return true;
}
