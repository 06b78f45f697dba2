// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolutions as convolutions with a filter for each phase.
#include "compiler/ingress/onnx/ops/TransposedPhases.h"

#include "llvm/Support/MathExtras.h"

using namespace lh;
using namespace mlir;

bool lh::convolvesPhases(const Transposition &conv, Value input) {
  const Window &window = conv.window;
  bool isSpread = false;
  for (size_t i = 0; i < window.rank(); ++i)
    isSpread |= window.strides[i] > 1 && window.dilations[i] > 1;
  return !isSpread && window.rank() <= 3 &&
         tensorTypeOf(input).hasStaticShape() &&
         !ShapedType::isDynamicShape(conv.sizes) &&
         !ShapedType::isDynamicShape(conv.cuts);
}

namespace {
/// One dimension of the convolution: it computes `count` results of each phase,
/// of which the transposed one's begin at `offset`.
struct Phases {
  int64_t stride, taps, dilation;
  int64_t low, high; ///< padding
  int64_t count, offset, size;
};
} // namespace

static Phases phasesOf(const Transposition &conv, size_t i, int64_t input) {
  const Window &window = conv.window;
  Phases phases{};
  phases.stride = window.strides[i];
  phases.taps = llvm::divideCeil(window.kernel[i], phases.stride);
  phases.dilation = phases.stride == 1 ? window.dilations[i] : 1;
  phases.size = conv.sizes[i];
  int64_t reach = phases.dilation * (phases.taps - 1), cut = conv.cuts[i];
  int64_t skipped = std::min(cut / phases.stride, reach);
  phases.low = reach - skipped;
  phases.offset = cut - skipped * phases.stride;
  int64_t needed = llvm::divideCeil(phases.offset + phases.size, phases.stride);
  phases.high = std::max<int64_t>(needed + skipped - input, 0);
  phases.count = input + phases.high - skipped;
  return phases;
}

/// W [g c][f][window...] as filters [g f phases...][c][taps...], turned round.
static Value filtersOfPhases(Emitter &emit, Value weight, int64_t groups,
                             ArrayRef<Phases> phases, Value zero) {
  auto rank = static_cast<unsigned>(phases.size());
  ArrayRef<int64_t> shape = tensorTypeOf(weight).getShape();
  int64_t channels = shape[0] / groups, filters = shape[1], all = filters;
  Sizes low(rank + 2, emit.index(0)), high = low;
  SmallVector<int64_t> sizes = {groups, filters};
  auto dim = [&](unsigned i) { return emit.builder.getAffineDimExpr(i); };
  SmallVector<AffineExpr> from = {dim(0) * channels + dim(2 + rank), dim(1)};
  for (unsigned i = 0; i < rank; ++i) {
    const Phases &each = phases[i];
    high[2 + i] = emit.index(each.taps * each.stride - shape[2 + i]);
    from.push_back((-dim(3 + rank + i) + (each.taps - 1)) * each.stride +
                   dim(2 + i));
    sizes.push_back(each.stride);
    all *= each.stride;
  }
  sizes.push_back(channels);
  SmallVector<int64_t> result = {groups * all, channels};
  for (const Phases &each : phases) {
    sizes.push_back(each.taps);
    result.push_back(each.taps);
  }
  unsigned loops = 3 + 2 * rank;
  MLIRContext *context = emit.builder.getContext();
  Value filter =
      emit.generic({emit.pad(weight, low, high, zero)},
                   {AffineMap::get(loops, 0, from, context),
                    AffineMap::getMultiDimIdentityMap(loops, context)},
                   emit.empty(emit.staticSizes(sizes),
                              tensorTypeOf(weight).getElementType()),
                   SmallVector<bool>(loops, false),
                   [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  return emit.reshape(filter, emit.staticSizes(result));
}

/// [n][f phases...][y...] as [n][f][y phases...], and of that the result.
static Value interleave(Emitter &emit, Value sums, int64_t filters,
                        ArrayRef<Phases> phases) {
  auto rank = static_cast<int64_t>(phases.size());
  int64_t batch = tensorTypeOf(sums).getDimSize(0);
  SmallVector<int64_t> apart = {batch, filters}, order = {0, 1};
  SmallVector<int64_t> whole = apart, wanted = apart;
  Sizes offsets(2, emit.index(0));
  for (const Phases &each : phases)
    apart.push_back(each.stride);
  for (auto [i, each] : llvm::enumerate(phases)) {
    apart.push_back(each.count);
    order.append(
        {2 + rank + static_cast<int64_t>(i), 2 + static_cast<int64_t>(i)});
    whole.push_back(each.count * each.stride);
    wanted.push_back(each.size);
    offsets.push_back(emit.index(each.offset));
  }
  bool hasPhases =
      llvm::any_of(phases, [](const Phases &each) { return each.stride > 1; });
  if (hasPhases) {
    sums = emit.transpose(emit.reshape(sums, emit.staticSizes(apart)), order);
    sums = emit.reshape(sums, emit.staticSizes(whole));
  }
  if (whole == wanted)
    return sums;
  return emit.slice(sums, offsets, emit.staticSizes(wanted),
                    Sizes(whole.size(), emit.index(1)));
}

/// A filter's number for each of its phases.
static Value spreadBias(Emitter &emit, Value bias, int64_t filters,
                        int64_t phases) {
  if (!bias || phases == 1)
    return bias;
  Value each = emit.reshape(bias, emit.staticSizes({filters, 1}));
  return emit.reshape(
      emit.broadcastTo(each, emit.staticSizes({filters, phases})),
      emit.staticSizes({filters * phases}));
}

Value lh::convolvePhases(NodeContext &node, const Transposition &conv,
                         Value bias) {
  Emitter &emit = node.emit;
  Value input = node.in(0);
  SmallVector<Phases> phases;
  ConvolutionPlan plan;
  plan.groups = conv.groups;
  int64_t all = 1;
  for (size_t i = 0; i < conv.window.rank(); ++i) {
    auto dimension = static_cast<unsigned>(2 + i);
    phases.push_back(
        phasesOf(conv, i, tensorTypeOf(input).getDimSize(dimension)));
    const Phases &each = phases.back();
    plan.window.kernel.push_back(each.taps);
    plan.window.strides.push_back(1);
    plan.window.dilations.push_back(each.dilation);
    plan.padding.low.push_back(emit.index(each.low));
    plan.padding.high.push_back(emit.index(each.high));
    all *= each.stride;
  }
  DType dtype = node.dtype();
  Value zero = node.scalars(dtype).number(0);
  int64_t filters = tensorTypeOf(node.in(1)).getDimSize(1) * conv.groups;
  Value weight = filtersOfPhases(emit, node.in(1), conv.groups, phases, zero);
  int64_t rank = rankOf(input);
  takeLinesAsImages(emit, plan, input, weight);
  Value padded = padSpatially(emit, input, plan.padding, zero);
  Value sums = emitConvolution(node.emit, plan, padded, weight,
                               spreadBias(emit, bias, filters, all), dtype);
  return interleave(emit, inRank(emit, sums, rank), filters, phases);
}
