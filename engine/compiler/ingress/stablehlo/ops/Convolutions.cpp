// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// convolution: any order of dimensions, as that which emitters take.
#include "compiler/ingress/emit/Convolution.h"

#include "compiler/ingress/stablehlo/OpTable.h"

#include "mlir/IR/Matchers.h"

using namespace lh;
using namespace mlir;

namespace {

/// Which dimension of an operand is what: (batch or filters, channels,
/// spatial...), the order that emitters take.
using Order = SmallVector<int64_t>;

struct Attributes {
  Order input, kernel, output;
  SmallVector<int64_t> strides, low, high, inputGaps, kernelGaps, reversed;
  int64_t featureGroups = 1, batchGroups = 1;
};

} // namespace

static FailureOr<Order> readOrder(OpContext &c, int64_t rank, StringRef first,
                                  StringRef second, StringRef spatial) {
  auto a = c.integer(first), b = c.integer(second);
  auto rest = c.dimensions(spatial, rank);
  if (failed(a) || failed(b) || failed(rest))
    return failure();
  Order order{*a, *b};
  order.append(*rest);
  SmallVector<bool> seen(static_cast<size_t>(rank), false);
  bool fits = static_cast<int64_t>(order.size()) == rank;
  for (int64_t dim : order) {
    fits = fits && dim >= 0 && dim < rank && !seen[static_cast<size_t>(dim)];
    if (fits)
      seen[static_cast<size_t>(dim)] = true;
  }
  if (fits)
    return order;
  return c.error("'" + spatial + "' and its kin don't name each of the " +
                 Twine(rank) + " dimensions once");
}

/// Low and high numbers by turns; of dynamic_conv an operand, which must be
/// known.
static FailureOr<SmallVector<int64_t>> paddingOf(OpContext &c, size_t spatial) {
  if (c.inputCount() == 2)
    return c.integers("padding", 2 * spatial, 0);
  DenseElementsAttr known;
  if (!isInteger(c.dtype(2)) || !matchPattern(c.in(2), m_Constant(&known)) ||
      known.getNumElements() != static_cast<int64_t>(2 * spatial))
    return c.error("its padding must be constant, two numbers for each of " +
                       Twine(spatial) + " dimensions",
                   DiagKind::IngressUnsupportedOp);
  SmallVector<int64_t> numbers;
  for (const APInt &number : known.getValues<APInt>())
    numbers.push_back(number.getSExtValue());
  return numbers;
}

static LogicalResult readConvolutionWindow(OpContext &c, Attributes &of,
                                           size_t spatial) {
  auto strides = c.integers("window_strides", spatial, 1);
  auto padding = paddingOf(c, spatial);
  auto inputGaps = c.integers("lhs_dilation", spatial, 1);
  auto kernelGaps = c.integers("rhs_dilation", spatial, 1);
  auto reversed = c.integers("window_reversal", spatial, 0);
  if (failed(strides) || failed(padding) || failed(inputGaps) ||
      failed(kernelGaps) || failed(reversed))
    return failure();
  for (ArrayRef<int64_t> numbers :
       {ArrayRef<int64_t>(*strides), ArrayRef<int64_t>(*inputGaps),
        ArrayRef<int64_t>(*kernelGaps)})
    for (int64_t number : numbers)
      if (number < 1 || number > maxWindowValue)
        return c.error("its window has the number " + Twine(number) +
                       ", which is out of range");
  for (size_t i = 0; i < spatial; ++i) {
    of.low.push_back((*padding)[2 * i]);
    of.high.push_back((*padding)[2 * i + 1]);
    if (!isMargin(of.low.back()) || !isMargin(of.high.back()))
      return c.error("its padding is out of range");
  }
  of.strides = *strides;
  of.inputGaps = *inputGaps;
  of.kernelGaps = *kernelGaps;
  of.reversed = *reversed;
  return success();
}

static FailureOr<Attributes> readConvolution(OpContext &c) {
  int64_t rank = c.rank(0);
  if (rank < 2 || c.rank(1) != rank || c.declared().getRank() != rank)
    return c.mismatch("operands of shape " + shapeText(c.in(0)) + " and " +
                      shapeText(c.in(1)) + " must have one rank of at least 2");
  auto input = readOrder(c, rank, "input_batch_dimension",
                         "input_feature_dimension", "input_spatial_dimensions");
  auto kernel =
      readOrder(c, rank, "kernel_output_feature_dimension",
                "kernel_input_feature_dimension", "kernel_spatial_dimensions");
  auto output =
      readOrder(c, rank, "output_batch_dimension", "output_feature_dimension",
                "output_spatial_dimensions");
  if (failed(input) || failed(kernel) || failed(output))
    return failure();
  Attributes attributes{*input, *kernel, *output, {}, {}, {}, {}, {}, {}};
  attributes.featureGroups = c.integer("feature_group_count", 1);
  attributes.batchGroups = c.integer("batch_group_count", 1);
  if (failed(
          readConvolutionWindow(c, attributes, static_cast<size_t>(rank - 2))))
    return failure();
  return attributes;
}

/// The channels and groups must fit before anything is built.
static LogicalResult checkChannels(OpContext &c, const Attributes &of) {
  RankedTensorType input = tensorTypeOf(c.in(0)),
                   kernel = tensorTypeOf(c.in(1));
  if (kernel.hasStaticShape() && kernel.getNumElements() == 0)
    return c.mismatch("its kernel of shape " + shapeText(c.in(1)) +
                      " has no elements");
  if (!kernel.hasStaticShape())
    return c.error("the shape of its kernel must be static",
                   DiagKind::IngressUnsupportedOp);
  int64_t batch = input.getDimSize(static_cast<unsigned>(of.input[0]));
  int64_t channels = input.getDimSize(static_cast<unsigned>(of.input[1]));
  int64_t filters = kernel.getDimSize(static_cast<unsigned>(of.kernel[0]));
  int64_t perGroup = kernel.getDimSize(static_cast<unsigned>(of.kernel[1]));
  bool fits = of.featureGroups >= 1 && of.batchGroups >= 1 &&
              (of.featureGroups == 1 || of.batchGroups == 1) &&
              filters % (of.featureGroups * of.batchGroups) == 0 &&
              (ShapedType::isDynamic(channels) ||
               channels == perGroup * of.featureGroups) &&
              (of.batchGroups == 1 ||
               (!ShapedType::isDynamic(batch) && batch % of.batchGroups == 0));
  if (fits)
    return success();
  return c.mismatch("a kernel of shape " + shapeText(c.in(1)) + " with " +
                    Twine(of.featureGroups) + " groups of features and " +
                    Twine(of.batchGroups) +
                    " of batches doesn't fit an input of shape " +
                    shapeText(c.in(0)));
}

/// The input with zeros between its elements, for a transposed convolution, and
/// with margins; negative margins cut.
static Value prepared(Emitter &emit, Value input, const Attributes &of,
                      DType dtype) {
  Sizes none{emit.index(0), emit.index(0)};
  Margins margins{none, none, none};
  margins.low.append(emit.staticSizes(of.low));
  margins.high.append(emit.staticSizes(of.high));
  for (int64_t gap : of.inputGaps)
    margins.interior.push_back(emit.index(gap - 1));
  return withMargins(emit, input, margins, emit.scalars(dtype).number(0));
}

/// The kernel with those spatial dimensions reversed that are marked.
static Value reversedKernel(OpContext &c, Value kernel, const Attributes &of) {
  if (llvm::none_of(of.reversed, [](int64_t is) { return is != 0; }))
    return kernel;
  Emitter &emit = c.emit;
  RankedTensorType type = tensorTypeOf(kernel);
  return emit.generate(
      emit.sizesOf(kernel), type.getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        SmallVector<Value> from(at);
        for (size_t i = 0; i < of.reversed.size(); ++i)
          if (of.reversed[i] != 0)
            from[2 + i] = indexSub(
                b, loc,
                indexConstant(
                    b, loc, type.getDimSize(static_cast<unsigned>(2 + i)) - 1),
                from[2 + i]);
        return extractElement(b, loc, kernel, from);
      });
}

/// Groups of batches become groups of channels: (g n, c, ...) to (n, g c, ...).
static Value batchesAsChannels(Emitter &emit, Value input, int64_t groups) {
  Sizes own = emit.sizesOf(input), split = own, joined = own;
  int64_t batch = *emit.known(own[0]) / groups;
  split[0] = emit.index(batch);
  split.insert(split.begin(), emit.index(groups));
  Value grouped = emit.reshape(input, split);
  SmallVector<int64_t> order{1, 0};
  for (size_t dim = 2; dim < split.size(); ++dim)
    order.push_back(static_cast<int64_t>(dim));
  joined[0] = emit.index(batch);
  joined[1] = emit.mul(own[1], emit.index(groups));
  return emit.reshape(emit.transpose(grouped, order), joined);
}

/// No spatial dimension: one of one element.
static Value withLine(Emitter &emit, Value tensor) {
  Sizes sizes = emit.sizesOf(tensor);
  sizes.push_back(emit.index(1));
  return emit.reshape(tensor, sizes);
}

static LogicalResult convolution(OpContext &c) {
  FailureOr<Attributes> read = readConvolution(c);
  if (failed(read) || failed(checkChannels(c, *read)))
    return failure();
  Attributes &of = *read;
  Emitter &emit = c.emit;
  DType dtype = computeTypeOf(c.resultType());
  Value input =
      emit.convert(emit.transpose(c.in(0), of.input), c.dtype(0), dtype);
  Value kernel =
      emit.convert(emit.transpose(c.in(1), of.kernel), c.dtype(1), dtype);
  bool isProduct = c.rank() == 2;
  if (isProduct) {
    input = withLine(emit, input);
    kernel = withLine(emit, kernel);
    of.strides = of.inputGaps = of.kernelGaps = {1};
    of.low = of.high = of.reversed = {0};
  }
  ConvolutionPlan plan;
  plan.groups = of.featureGroups * of.batchGroups;
  if (of.batchGroups > 1)
    input = batchesAsChannels(emit, input, of.batchGroups);
  kernel = reversedKernel(c, kernel, of);
  input = prepared(emit, input, of, dtype);
  ArrayRef<int64_t> shape = tensorTypeOf(kernel).getShape();
  plan.window.kernel = shape.drop_front(2).vec();
  plan.window.strides.assign(of.strides.begin(), of.strides.end());
  plan.window.dilations.assign(of.kernelGaps.begin(), of.kernelGaps.end());
  plan.window.low.assign(of.low.size(), 0);
  plan.window.high = plan.window.low;
  plan.padding.low = plan.padding.high = emit.staticSizes(plan.window.low);
  Sizes own = emit.sizesOf(input);
  for (size_t i = 0; i < plan.window.rank(); ++i)
    if (std::optional<int64_t> size = emit.known(own[2 + i]);
        size && *size < plan.window.extent(i))
      return c.result(
          emit.filled(c.sizesOr(emit.staticSizes(c.declared().getShape())),
                      emit.scalars(c.resultType()).number(0)));
  int64_t rank = rankOf(input);
  takeLinesAsImages(emit, plan, input, kernel);
  Value sums = emitConvolution(emit, plan, input, kernel, Value(), dtype);
  sums = inRank(emit, sums, rank);
  if (isProduct) {
    Sizes sizes = emit.sizesOf(sums);
    sizes.pop_back();
    sums = emit.reshape(sums, sizes);
  }
  SmallVector<int64_t> back(of.output.size());
  for (auto [i, dim] : llvm::enumerate(of.output))
    back[static_cast<size_t>(dim)] = static_cast<int64_t>(i);
  return c.result(c.rounded(emit.transpose(sums, back), dtype));
}

void lh::addConvolutionOps(HloTable &t) {
  t["stablehlo.convolution"] = {2, 2, 1, 0, convolution};
  t["stablehlo.dynamic_conv"] = {3, 3, 1, 0, convolution};
}
