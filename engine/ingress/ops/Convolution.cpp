// Conv: padding, groups, dilations, and the named linalg convolutions.
#include "ingress/ops/Window.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace lh;
using namespace mlir;

/// The result's sizes: batch, output channels, window positions.
static Sizes resultSizes(Emitter &emit, const Sizes &padded,
                         OpFoldResult channels, const Window &window) {
  Sizes sizes{padded[0], channels};
  for (size_t i = 0; i < window.rank(); ++i)
    sizes.push_back(windowCount(emit, padded[2 + i], window, i));
  return sizes;
}

static Value biasOrZero(NodeContext &node, const Sizes &sizes) {
  Emitter &emit = node.emit;
  if (!node.has(2))
    return emit.filled(sizes, node.scalars(node.dtype()).number(0));
  Value bias = node.in(2);
  Value init = emit.empty(sizes, node.elementType());
  SmallVector<int64_t> dimensions{0};
  for (size_t dim = 2; dim < sizes.size(); ++dim)
    dimensions.push_back(static_cast<int64_t>(dim));
  Value result = linalg::BroadcastOp::create(emit.builder, emit.loc, bias, init,
                                             dimensions)
                     ->getResult(0);
  return emit.remember(result, sizes);
}

template <typename Op>
static Value named(Emitter &emit, Value input, Value weight, Value init,
                   const Window &window) {
  Value result = Op::create(emit.builder, emit.loc, TypeRange{init.getType()},
                            ValueRange{input, weight}, ValueRange{init},
                            emit.builder.getI64TensorAttr(window.strides),
                            emit.builder.getI64TensorAttr(window.dilations))
                     .getResult(0);
  return emit.remember(result, emit.sizesOf(init));
}

/// Splits dimension `dim` of size g*n into (g, n).
static Value splitGroups(Emitter &emit, Value tensor, size_t dim,
                         int64_t groups) {
  Sizes sizes = emit.sizesOf(tensor);
  sizes[dim] = emit.index(*emit.known(sizes[dim]) / groups);
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dim),
               emit.index(groups));
  return emit.reshape(tensor, sizes);
}

/// Grouped convolutions of ranks that have no named operation:
/// (n, g, f, spatial..., c, kernel...).
static Value groupedGeneric(NodeContext &node, Value input, Value weight,
                            Value init, const Window &window) {
  Emitter &emit = node.emit;
  auto rank = static_cast<unsigned>(window.rank());
  Builder &b = emit.builder;
  auto dim = [&](unsigned i) { return b.getAffineDimExpr(i); };
  SmallVector<AffineExpr> x{dim(0), dim(1), dim(3 + rank)},
      w{dim(1), dim(2), dim(3 + rank)}, y{dim(0), dim(1), dim(2)};
  for (unsigned i = 0; i < rank; ++i) {
    AffineExpr out = dim(3 + i), kernel = dim(4 + rank + i);
    x.push_back(out * window.strides[i] + kernel * window.dilations[i]);
    w.push_back(kernel);
    y.push_back(out);
  }
  unsigned loops = 4 + 2 * rank;
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> exprs :
       {ArrayRef<AffineExpr>(x), ArrayRef<AffineExpr>(w),
        ArrayRef<AffineExpr>(y)})
    maps.push_back(AffineMap::get(loops, 0, exprs, b.getContext()));
  SmallVector<bool> reduces(loops, false);
  std::fill(reduces.begin() + 3 + rank, reduces.end(), true);
  DType dtype = node.dtype();
  return emit.generic({input, weight}, maps, init, reduces,
                      [&](OpBuilder &at, Location loc, ValueRange v) {
                        Scalars s(at, loc, dtype);
                        return s.add(v[2], s.mul(v[0], v[1]));
                      });
}

static Value convolveGroups(NodeContext &node, Value input, Value weight,
                            Value init, const Window &window, int64_t groups) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(init);
  ArrayRef<int64_t> shape = tensorTypeOf(weight).getShape();
  bool isDepthwise = window.rank() == 2 && shape[1] == 1 && shape[0] == groups;
  if (isDepthwise) {
    Sizes kernel = emit.sizesOf(weight);
    weight = emit.reshape(weight, {kernel[0], kernel[2], kernel[3]});
    return named<linalg::DepthwiseConv2DNchwChwOp>(emit, input, weight, init,
                                                   window);
  }
  input = splitGroups(emit, input, 1, groups);
  weight = splitGroups(emit, weight, 0, groups);
  init = splitGroups(emit, init, 1, groups);
  Value result =
      window.rank() == 2
          ? named<linalg::Conv2DNgchwGfchwOp>(emit, input, weight, init, window)
          : groupedGeneric(node, input, weight, init, window);
  return emit.reshape(result, sizes);
}

/// One tap and no stride: every pixel is multiplied by the filters, and nothing
/// has to be gathered.
static bool isPointwise(Value input, const Window &window) {
  auto isOne = [](int64_t value) { return value == 1; };
  return llvm::all_of(window.kernel, isOne) &&
         llvm::all_of(window.strides, isOne) &&
         llvm::none_of(tensorTypeOf(input).getShape().drop_front(2),
                       ShapedType::isDynamic);
}

/// y[n, f, pixel] += w[f, c] * x[n, c, pixel].
static Value pointwise(NodeContext &node, Value input, Value weight,
                       Value init) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(init), filters = emit.sizesOf(weight);
  Sizes channels = emit.sizesOf(input);
  OpFoldResult pixels = emit.product(ArrayRef(sizes).drop_front(2));
  input = emit.reshape(input, {channels[0], channels[1], pixels});
  weight = emit.reshape(weight, {filters[0], filters[1]});
  init = emit.reshape(init, {sizes[0], sizes[1], pixels});
  AffineExpr n, f, pixel, c;
  bindDims(emit.builder.getContext(), n, f, pixel, c);
  auto maps = AffineMap::inferFromExprList(
      ArrayRef<ArrayRef<AffineExpr>>{{f, c}, {n, c, pixel}, {n, f, pixel}},
      emit.builder.getContext());
  DType dtype = node.dtype();
  Value result = emit.generic({weight, input}, maps, init,
                              {false, false, false, true},
                              [&](OpBuilder &at, Location loc, ValueRange v) {
                                Scalars s(at, loc, dtype);
                                return s.add(v[2], s.mul(v[0], v[1]));
                              });
  return emit.reshape(result, sizes);
}

static Value convolve(NodeContext &node, Value input, Value weight, Value init,
                      const Window &window, int64_t groups) {
  Emitter &emit = node.emit;
  if (groups == 1 && isPointwise(input, window))
    return pointwise(node, input, weight, init);
  if (groups > 1 || window.rank() > 3)
    return convolveGroups(node, input, weight, init, window, groups);
  if (window.rank() == 1)
    return named<linalg::Conv1DNcwFcwOp>(emit, input, weight, init, window);
  if (window.rank() == 2)
    return named<linalg::Conv2DNchwFchwOp>(emit, input, weight, init, window);
  return named<linalg::Conv3DNcdhwFcdhwOp>(emit, input, weight, init, window);
}

/// Shapes and groups of a Conv must agree before anything is built.
static LogicalResult checkShapes(NodeContext &node, int64_t groups) {
  RankedTensorType input = tensorTypeOf(node.in(0));
  RankedTensorType weight = tensorTypeOf(node.in(1));
  if (input.getRank() < 3 || input.getRank() != weight.getRank())
    return node.error("X of shape " + shapeText(node.in(0)) +
                          " and W of shape " + shapeText(node.in(1)) +
                          " must have one rank of at least 3",
                      DiagKind::IngressShapeMismatch);
  if (!weight.hasStaticShape())
    return node.error("the shape of W must be static",
                      DiagKind::IngressUnsupportedOp);
  int64_t channels = input.getDimSize(1), filters = weight.getDimSize(0);
  int64_t perGroup = weight.getDimSize(1);
  bool fits = groups > 0 && perGroup > 0 && filters % groups == 0;
  fits &= ShapedType::isDynamic(channels)
              ? groups == 1
              : channels % groups == 0 && channels / groups == perGroup;
  if (!fits)
    return node.error("W of shape " + shapeText(node.in(1)) + " and " +
                          Twine(groups) + " groups do not fit X of shape " +
                          shapeText(node.in(0)),
                      DiagKind::IngressShapeMismatch);
  if (node.has(2) &&
      (node.rank(2) != 1 || tensorTypeOf(node.in(2)).getDimSize(0) != filters))
    return node.error("B of shape " + shapeText(node.in(2)) +
                          " must have one element per filter",
                      DiagKind::IngressShapeMismatch);
  return success();
}

static LogicalResult conv(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t groups = node.integer("group", 1);
  if (failed(checkShapes(node, groups)))
    return failure();
  Value input = node.in(0), weight = node.in(1);
  FailureOr<Window> window =
      readWindow(node, tensorTypeOf(weight).getShape().drop_front(2));
  if (failed(window))
    return failure();
  Padding padding = resolvePadding(emit, emit.sizesOf(input), *window);
  if (failed(checkWindowFits(node, emit.sizesOf(input), *window, padding)))
    return failure();
  input =
      padSpatially(emit, input, padding, node.scalars(node.dtype()).number(0));
  Sizes sizes =
      resultSizes(emit, emit.sizesOf(input), emit.sizesOf(weight)[0], *window);
  Value init = biasOrZero(node, sizes);
  return node.result(convolve(node, input, weight, init, *window, groups),
                     node.dtype());
}

void lh::addConvolutionOps(OpTable &table) {
  using namespace OpRule;
  table.add("Conv", {1, 2, Float | Same | WidenHalf, conv});
}
