// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recurrent net's products of its inputs leave the loop over time. A step has
// few rows, and reads all weights for them; all steps together read them once
// for each block of rows.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_HOISTSLICESPASS
#define GEN_PASS_DEF_HOISTSLICESPASS
#include "compiler/gaps/products/Passes.h.inc"
} // namespace lh

using namespace mlir;

namespace {
/// A product whose rows are one slice of a tensor (steps, rows, sum).
struct SlicedProduct {
  linalg::MatmulOp product;
  tensor::ExtractSliceOp slice;
  Value zero; ///< what its sums begin with
};
} // namespace

/// How often the loop runs; 0: unknown.
static int64_t tripsOf(scf::ForOp loop) {
  std::optional<int64_t> low = getConstantIntValue(loop.getLowerBound()),
                         high = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!low || !high || !step || *step <= 0 || *low < 0 || *high <= *low)
    return 0;
  return (*high - *low - 1) / *step + 1;
}

/// The slice that `rows` is, its dimension of size 1 left out.
static tensor::ExtractSliceOp sliceOf(Value rows) {
  if (auto collapse = rows.getDefiningOp<tensor::CollapseShapeOp>()) {
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    if (groups.size() != 2 || groups[0].size() != 2)
      return {};
    rows = collapse.getSrc();
  }
  return rows.getDefiningOp<tensor::ExtractSliceOp>();
}

/// Whether `rows`, which comes of the slice, is one of the first dimension's
/// parts, whole, and not turned by leaving out a last dimension of size 1.
static bool isOneStep(Value rows, tensor::ExtractSliceOp slice, int64_t steps) {
  auto type = slice.getSourceType();
  if (type.getRank() != 3 || !type.hasStaticShape() ||
      type.getDimSize(0) != steps)
    return false;
  ArrayRef<int64_t> sizes = slice.getStaticSizes(),
                    offsets = slice.getStaticOffsets();
  ArrayRef<int64_t> part = type.getShape().drop_front();
  return sizes[0] == 1 && sizes.drop_front() == part &&
         cast<RankedTensorType>(rows.getType()).getShape() == part &&
         offsets[1] == 0 && offsets[2] == 0 &&
         llvm::all_equal(slice.getStaticStrides()) &&
         slice.getStaticStrides()[0] == 1;
}

static std::optional<SlicedProduct>
slicedProduct(linalg::MatmulOp product, scf::ForOp loop, int64_t steps) {
  auto isThere = [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  };
  tensor::ExtractSliceOp slice = sliceOf(product.getInputs()[0]);
  auto fill = product.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  auto type = dyn_cast<RankedTensorType>(product.getResult(0).getType());
  if (!slice || !fill || product.hasUserDefinedMaps() || !type ||
      !type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
      !isOneStep(product.getInputs()[0], slice, steps) ||
      !isThere(slice.getSource()) || !isThere(product.getInputs()[1]))
    return std::nullopt;
  Value zero = fill.getInputs()[0];
  if (!matchPattern(zero, m_AnyZeroFloat()) && !matchPattern(zero, m_Zero()))
    return std::nullopt;
  return SlicedProduct{product, slice, zero};
}

/// The products of all steps, in front of the loop.
static Value productOfAll(SlicedProduct sliced, scf::ForOp loop) {
  linalg::MatmulOp product = sliced.product;
  auto type = cast<RankedTensorType>(product.getResult(0).getType());
  int64_t steps = sliced.slice.getSourceType().getDimSize(0),
          rows = type.getDimSize(0), columns = type.getDimSize(1);
  OpBuilder b(loop);
  Location loc = product.getLoc();
  SmallVector<ReassociationIndices> groups = {{0, 1}, {2}};
  Value all =
      tensor::CollapseShapeOp::create(b, loc, sliced.slice.getSource(), groups);
  Value empty = tensor::EmptyOp::create(
      b, loc, ArrayRef<int64_t>{steps * rows, columns}, type.getElementType());
  Attribute zero;
  matchPattern(sliced.zero, m_Constant(&zero));
  Value start = arith::ConstantOp::create(b, loc, cast<TypedAttr>(zero));
  Value filled = linalg::FillOp::create(b, loc, start, empty).getResult(0);
  auto sums = linalg::MatmulOp::create(
      b, loc, ValueRange{all, product.getInputs()[1]}, ValueRange{filled});
  sums->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  return tensor::ExpandShapeOp::create(
      b, loc,
      RankedTensorType::get({steps, rows, columns}, type.getElementType()),
      sums.getResult(0), groups);
}

static void hoist(SlicedProduct sliced, scf::ForOp loop) {
  Value all = productOfAll(sliced, loop);
  linalg::MatmulOp product = sliced.product;
  auto type = cast<RankedTensorType>(product.getResult(0).getType());
  OpBuilder b(product);
  SmallVector<OpFoldResult> offsets = sliced.slice.getMixedOffsets(), sizes,
                            strides(3, b.getIndexAttr(1));
  for (int64_t size : {int64_t(1), type.getDimSize(0), type.getDimSize(1)})
    sizes.push_back(b.getIndexAttr(size));
  auto step = tensor::ExtractSliceOp::create(b, product.getLoc(), type, all,
                                             offsets, sizes, strides);
  product.getResult(0).replaceAllUsesWith(step);
  product.erase();
}

namespace {
struct HoistSlices : lh::impl::HoistSlicesPassBase<HoistSlices> {
  using HoistSlicesPassBase::HoistSlicesPassBase;

  void runOnOperation() override {
    SmallVector<std::pair<SlicedProduct, scf::ForOp>> found;
    getOperation()->walk([&](scf::ForOp loop) {
      int64_t steps = tripsOf(loop);
      if (steps < 2)
        return;
      for (auto product : loop.getBody()->getOps<linalg::MatmulOp>())
        if (auto sliced = slicedProduct(product, loop, steps);
            sliced && isWorthIt(*sliced, steps))
          found.push_back({*sliced, loop});
    });
    for (auto &[sliced, loop] : found)
      hoist(sliced, loop);
  }

private:
  bool isWorthIt(const SlicedProduct &sliced, int64_t steps) {
    linalg::MatmulOp product = sliced.product;
    auto type = cast<RankedTensorType>(product.getResult(0).getType());
    int64_t bits = type.getElementTypeBitWidth();
    int64_t most = int64_t(mostBytes) / steps * 8 / bits; // elements of a step
    return type.getDimSize(0) <= int64_t(mostRows) &&
           type.getNumElements() <= most;
  }
};
} // namespace
