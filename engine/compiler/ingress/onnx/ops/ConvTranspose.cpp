// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvTranspose: as a convolution where sizes are known, else every output
// element gathers the inputs whose kernels reach it.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/TransposedPhases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

/// What the transposed convolution of one node needs.
struct Transposed {
  Window window;
  std::vector<int64_t> outputPadding, outputShape;
  int64_t groups = 1;
};

static FailureOr<Transposed> readTransposed(NodeContext &node) {
  if (failed(checkFilters(node)))
    return failure();
  RankedTensorType input = tensorTypeOf(node.in(0));
  RankedTensorType weight = tensorTypeOf(node.in(1));
  Transposed result;
  result.groups = node.integer("group", 1);
  int64_t channels = input.getDimSize(1);
  if (result.groups < 1 || weight.getDimSize(0) % result.groups != 0 ||
      (!ShapedType::isDynamic(channels) && channels != weight.getDimSize(0)))
    return node.error(
        "W of shape " + shapeText(node.in(1)) + " and " + Twine(result.groups) +
            " groups do not fit X of shape " + shapeText(node.in(0)),
        DiagKind::IngressShapeMismatch);
  int64_t filters = weight.getDimSize(1) * result.groups;
  if (node.has(2) &&
      (node.rank(2) != 1 || tensorTypeOf(node.in(2)).getDimSize(0) != filters))
    return node.error("B must have one element per filter",
                      DiagKind::IngressShapeMismatch);
  FailureOr<Window> window = readWindow(node, weight.getShape().drop_front(2));
  if (failed(window))
    return failure();
  result.window = *window;
  size_t rank = result.window.rank();
  result.outputPadding =
      node.integers("output_padding").value_or(std::vector<int64_t>(rank, 0));
  result.outputShape =
      node.integers("output_shape").value_or(std::vector<int64_t>());
  if (result.outputShape.size() == rank + 2)
    result.outputShape.erase(result.outputShape.begin(),
                             result.outputShape.begin() + 2);
  bool fits = result.outputPadding.size() == rank &&
              (result.outputShape.empty() || result.outputShape.size() == rank);
  for (int64_t padding : result.outputPadding)
    fits &= padding >= 0 && padding < (1 << 24);
  for (int64_t size : result.outputShape)
    fits &= size > 0 && size < (1 << 24);
  if (!fits)
    return node.error("'output_padding' and 'output_shape' need a value in "
                      "range per spatial dimension");
  return result;
}

/// One spatial dimension of the result and how much of the full sum is cut
/// off at its start.
struct Extent {
  OpFoldResult size, cut;
};

static Extent extentOf(Emitter &emit, const Transposed &conv,
                       OpFoldResult input, size_t i) {
  const Window &window = conv.window;
  OpFoldResult full = emit.add(
      emit.mul(emit.sub(input, emit.index(1)), emit.index(window.strides[i])),
      emit.index(window.extent(i) + conv.outputPadding[i]));
  bool isSame = window.autoPad == Window::AutoPad::SameUpper ||
                window.autoPad == Window::AutoPad::SameLower;
  if (conv.outputShape.empty() && !isSame) {
    bool none = window.autoPad == Window::AutoPad::Valid;
    int64_t low = none ? 0 : window.low[i], high = none ? 0 : window.high[i];
    return {emit.sub(full, emit.index(low + high)), emit.index(low)};
  }
  OpFoldResult size = conv.outputShape.empty()
                          ? emit.mul(input, emit.index(window.strides[i]))
                          : emit.index(conv.outputShape[i]);
  OpFoldResult total = emit.max(emit.sub(full, size), emit.index(0));
  OpFoldResult half = emit.floorDiv(total, 2);
  bool upper = window.autoPad == Window::AutoPad::SameUpper;
  return {size, upper ? half : emit.sub(total, half)};
}

/// The loops (n, f, o..., c, k...): an output element gathers, for every
/// kernel position k, the input at (o + cut - k * dilation) / stride where
/// that is a whole index.
static Value gatherTransposed(NodeContext &node, const Transposed &conv,
                              Value init, ArrayRef<OpFoldResult> whereCut) {
  Emitter &emit = node.emit;
  SmallVector<Value> cuts = emit.asValues(whereCut);
  const Window &window = conv.window;
  auto rank = static_cast<unsigned>(window.rank());
  RankedTensorType weight = tensorTypeOf(node.in(1));
  int64_t perGroup = weight.getDimSize(0) / conv.groups;
  int64_t filters = weight.getDimSize(1);
  unsigned loops = 3 + 2 * rank;
  MLIRContext *context = emit.builder.getContext();
  SmallVector<AffineExpr> reduced;
  for (unsigned i = 2 + rank; i < loops; ++i)
    reduced.push_back(emit.builder.getAffineDimExpr(i));
  SmallVector<bool> reduces(loops, false);
  std::fill(reduces.begin() + 2 + rank, reduces.end(), true);
  SmallVector<int64_t> extent{perGroup};
  extent.append(window.kernel.begin(), window.kernel.end());
  Value shape = emit.empty(emit.staticSizes(extent), node.elementType());
  SmallVector<Value> sizes = emit.asValues(emit.sizesOf(node.in(0)));
  Value input = node.in(0), kernel = node.in(1);
  DType dtype = node.dtype();
  AffineMap result = AffineMap::getMultiDimIdentityMap(2 + rank, context)
                         .replaceDimsAndSymbols({}, {}, loops, 0);
  return emit.generic(
      {shape}, {AffineMap::get(loops, 0, reduced, context), result}, init,
      reduces, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype);
        auto loop = [&](unsigned i) { return Emitter::loopIndex(b, loc, i); };
        Value each = indexConstant(b, loc, filters);
        Value first = indexMul(b, loc, indexDiv(b, loc, loop(1), each),
                               indexConstant(b, loc, perGroup));
        Value channel = indexAdd(b, loc, first, loop(2 + rank));
        SmallVector<Value> from{loop(0), channel};
        SmallVector<Value> with{channel, indexRem(b, loc, loop(1), each)};
        Value matches = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
        for (unsigned i = 0; i < rank; ++i) {
          with.push_back(loop(3 + rank + i));
          Source source =
              sourceOf(b, loc, loop(2 + i), cuts[i], with.back(), sizes[2 + i],
                       window.strides[i], window.dilations[i]);
          from.push_back(source.index);
          matches = arith::AndIOp::create(b, loc, matches, source.matches);
        }
        Value product = s.mul(extractElement(b, loc, input, from),
                              extractElement(b, loc, kernel, with));
        return s.select(matches, s.add(v[1], product), v[1]);
      });
}

static LogicalResult convTranspose(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Transposed> conv = readTransposed(node);
  if (failed(conv))
    return failure();
  Sizes input = emit.sizesOf(node.in(0));
  int64_t filters = tensorTypeOf(node.in(1)).getDimSize(1) * conv->groups;
  Sizes sizes{input[0], emit.index(filters)};
  SmallVector<OpFoldResult> cuts;
  Transposition phases{conv->window, conv->groups, {}, {}};
  for (size_t i = 0; i < conv->window.rank(); ++i) {
    Extent extent = extentOf(emit, *conv, input[2 + i], i);
    std::optional<int64_t> size = emit.known(extent.size);
    if (size && *size < 0)
      return node.error("'pads' cut off more than spatial dimension " +
                            Twine(i) + " has",
                        DiagKind::IngressShapeMismatch);
    sizes.push_back(extent.size);
    phases.sizes.push_back(size.value_or(ShapedType::kDynamic));
    phases.cuts.push_back(
        emit.known(extent.cut).value_or(ShapedType::kDynamic));
    cuts.push_back(extent.cut);
  }
  if (convolvesPhases(phases, node.in(0))) {
    Value bias = node.has(2) ? node.in(2) : Value();
    return node.result(convolvePhases(node, phases, bias), node.dtype());
  }
  Value init = channelBias(node, 2, sizes);
  return node.result(gatherTransposed(node, *conv, init, cuts), node.dtype());
}

void lh::addConvTransposeOps(OpTable &table) {
  using namespace OpRule;
  table.add("ConvTranspose", {1, 2, Float | Same | WidenHalf, convTranspose});
}
