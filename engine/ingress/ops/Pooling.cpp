// MaxPool, AveragePool, LpPool and the global pools.
#include "ingress/ops/Pooling.h"
#include "ingress/ops/Window.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace lh;
using namespace mlir;

/// A pool's window, padding and result, worked out.
struct Pool {
  Window window;
  Padding padding;  ///< as the attributes say
  Padding extended; ///< with what ceil_mode adds at the high end
  Sizes sizes;      ///< of the result
};

/// ceil_mode: the last window may hang over the end, but must start inside
/// the input or its low padding.
static OpFoldResult roundedUpCount(Emitter &emit, OpFoldResult size,
                                   OpFoldResult low, OpFoldResult padded,
                                   const Window &window, size_t i) {
  OpFoldResult room = emit.sub(padded, emit.index(window.extent(i)));
  OpFoldResult count =
      emit.add(emit.ceilDiv(room, window.strides[i]), emit.index(1));
  OpFoldResult fewer = emit.sub(count, emit.index(1));
  OpFoldResult lastStart = emit.mul(fewer, emit.index(window.strides[i]));
  return emit.selectLess(lastStart, emit.add(size, low), count, fewer);
}

static FailureOr<Pool> readPool(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t rank = node.rank(0) - 2;
  std::optional<std::vector<int64_t>> kernel = node.integers("kernel_shape");
  if (rank < 1 || !kernel || static_cast<int64_t>(kernel->size()) != rank)
    return node.error("'kernel_shape' must have a value per spatial dimension "
                      "of the input of shape " +
                      shapeText(node.in(0)));
  FailureOr<Window> window = readWindow(node, *kernel);
  if (failed(window))
    return failure();
  Pool pool{*window, {}, {}, {}};
  Sizes input = emit.sizesOf(node.in(0));
  pool.padding = resolvePadding(emit, input, pool.window);
  pool.extended = pool.padding;
  if (failed(checkWindowFits(node, input, pool.window, pool.padding)))
    return failure();
  pool.sizes = {input[0], input[1]};
  for (size_t i = 0; i < pool.window.rank(); ++i) {
    OpFoldResult low = pool.padding.low[i], size = input[2 + i];
    OpFoldResult padded = emit.add(emit.add(size, low), pool.padding.high[i]);
    OpFoldResult count =
        pool.window.roundsUp
            ? roundedUpCount(emit, size, low, padded, pool.window, i)
            : windowCount(emit, padded, pool.window, i);
    pool.sizes.push_back(count);
    if (!pool.window.roundsUp)
      continue;
    OpFoldResult span = emit.add(emit.mul(emit.sub(count, emit.index(1)),
                                          emit.index(pool.window.strides[i])),
                                 emit.index(pool.window.extent(i)));
    OpFoldResult missing = emit.sub(span, padded);
    pool.extended.high[i] =
        emit.add(pool.padding.high[i], emit.max(missing, emit.index(0)));
  }
  return pool;
}

/// Loops (n, c, position..., inside window...) over a padded input, a tensor
/// of the window's shape, and the result.
struct WindowLoops {
  AffineMap read, kernel, result;
  SmallVector<bool> reduces;
};

static WindowLoops windowLoops(Builder &b, const Window &window) {
  auto rank = static_cast<unsigned>(window.rank());
  unsigned loops = 2 + 2 * rank;
  SmallVector<AffineExpr> read{b.getAffineDimExpr(0), b.getAffineDimExpr(1)};
  SmallVector<AffineExpr> kernel;
  for (unsigned i = 0; i < rank; ++i) {
    AffineExpr position = b.getAffineDimExpr(2 + i);
    AffineExpr inside = b.getAffineDimExpr(2 + rank + i);
    read.push_back(position * window.strides[i] + inside * window.dilations[i]);
    kernel.push_back(inside);
  }
  MLIRContext *context = b.getContext();
  WindowLoops result;
  result.read = AffineMap::get(loops, 0, read, context);
  result.kernel = AffineMap::get(loops, 0, kernel, context);
  result.result = AffineMap::getMultiDimIdentityMap(2 + rank, context)
                      .replaceDimsAndSymbols({}, {}, loops, 0);
  result.reduces.assign(loops, false);
  std::fill(result.reduces.begin() + 2 + rank, result.reduces.end(), true);
  return result;
}

/// Combines the elements of each window of a padded input.
static Value windowed(NodeContext &node, Value padded, Value init,
                      const Window &window, ScalarBody combine) {
  Emitter &emit = node.emit;
  WindowLoops loops = windowLoops(emit.builder, window);
  Value shape = emit.empty(emit.staticSizes(window.kernel), node.elementType());
  return emit.generic({padded, shape}, {loops.read, loops.kernel, loops.result},
                      init, loops.reduces,
                      [&](OpBuilder &at, Location loc, ValueRange v) {
                        return combine(at, loc, ValueRange{v[0], v[2]});
                      });
}

template <typename Op>
static Value namedPool(Emitter &emit, Value padded, Value init,
                       const Window &window) {
  Value shape = emit.empty(emit.staticSizes(window.kernel),
                           tensorTypeOf(padded).getElementType());
  Value result = Op::create(emit.builder, emit.loc, TypeRange{init.getType()},
                            ValueRange{padded, shape}, ValueRange{init},
                            emit.builder.getI64TensorAttr(window.strides),
                            emit.builder.getI64TensorAttr(window.dilations))
                     .getResult(0);
  return emit.remember(result, emit.sizesOf(init));
}

static Value sumPool(NodeContext &node, Value padded, const Sizes &sizes,
                     const Window &window) {
  DType dtype = node.dtype();
  Value init = node.emit.filled(sizes, node.scalars(dtype).number(0));
  if (window.rank() == 2)
    return namedPool<linalg::PoolingNchwSumOp>(node.emit, padded, init, window);
  return windowed(node, padded, init, window,
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    return Scalars(b, loc, dtype).add(v[0], v[1]);
                  });
}

/// The position in the flattened, unpadded input of the element that a body
/// of windowLoops() sees.
static Value flatPosition(OpBuilder &b, Location loc, const Window &window,
                          ArrayRef<Value> inputSizes, ArrayRef<Value> low,
                          bool isColumnMajor) {
  auto rank = static_cast<unsigned>(window.rank());
  auto loop = [&](unsigned i) { return Emitter::loopIndex(b, loc, i); };
  Value flat =
      indexAdd(b, loc, indexMul(b, loc, loop(0), inputSizes[1]), loop(1));
  for (unsigned i = 0; i < rank; ++i) {
    unsigned dim = isColumnMajor ? rank - 1 - i : i;
    Value start = indexMul(b, loc, loop(2 + dim),
                           indexConstant(b, loc, window.strides[dim]));
    Value inside = indexMul(b, loc, loop(2 + rank + dim),
                            indexConstant(b, loc, window.dilations[dim]));
    Value position =
        indexSub(b, loc, indexAdd(b, loc, start, inside), low[dim]);
    flat = indexMul(b, loc, flat, inputSizes[2 + dim]);
    flat = indexAdd(b, loc, flat, position);
  }
  return flat;
}

/// The maximum of each window and where it was first met: a reduction over
/// (value, position) pairs.
static SmallVector<Value> maxPoolWithIndices(NodeContext &node,
                                             const Pool &pool, Value padded) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  SmallVector<Value> inputSizes, low;
  for (OpFoldResult size : emit.sizesOf(node.in(0)))
    inputSizes.push_back(emit.asValue(size));
  for (OpFoldResult size : pool.padding.low)
    low.push_back(emit.asValue(size));
  bool isColumnMajor = node.integer("storage_order", 0) != 0;
  WindowLoops loops = windowLoops(emit.builder, pool.window);
  Scalars s = node.scalars(dtype);
  Value values = emit.filled(pool.sizes, s.lowest());
  Value indices =
      emit.filled(pool.sizes, node.scalars(DType::Int64).integer(-1));
  Value shape = emit.empty(emit.staticSizes(pool.window.kernel), s.type());
  return emit.genericMany(
      {padded, shape}, {loops.read, loops.kernel, loops.result, loops.result},
      {values, indices}, loops.reduces,
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars at(b, loc, dtype);
        Value flat =
            flatPosition(b, loc, pool.window, inputSizes, low, isColumnMajor);
        Value better = at.less(v[2], v[0]);
        Value index = fromIndex(b, loc, flat, DType::Int64);
        return SmallVector<Value>{at.select(better, v[0], v[2]),
                                  at.select(better, index, v[3])};
      });
}

static LogicalResult maxPool(NodeContext &node) {
  FailureOr<Pool> pool = readPool(node);
  if (failed(pool))
    return failure();
  DType dtype = node.dtype();
  Value lowest = node.scalars(dtype).lowest();
  Value padded = padSpatially(node.emit, node.in(0), pool->extended, lowest);
  if (node.wants(1)) {
    SmallVector<Value> both = maxPoolWithIndices(node, *pool, padded);
    node.set(1, both[1], DType::Int64);
    return node.result(both[0], dtype);
  }
  Value init = node.emit.filled(pool->sizes, lowest);
  if (pool->window.rank() == 2 && isFloat(dtype))
    return node.result(namedPool<linalg::PoolingNchwMaxOp>(node.emit, padded,
                                                           init, pool->window),
                       dtype);
  return node.result(windowed(node, padded, init, pool->window,
                              [&](OpBuilder &b, Location loc, ValueRange v) {
                                return Scalars(b, loc, dtype).max(v[0], v[1]);
                              }),
                     dtype);
}

/// How many elements each window averages: real ones, and with
/// count_include_pad also the declared padding, but never what ceil_mode adds.
static Value windowCounts(NodeContext &node, const Pool &pool) {
  Emitter &emit = node.emit;
  const Window &window = pool.window;
  bool countsPadding = node.integer("count_include_pad", 0) != 0;
  Sizes input = emit.sizesOf(node.in(0));
  SmallVector<Value> first, last; // counted positions, in padded coordinates
  for (size_t i = 0; i < window.rank(); ++i) {
    OpFoldResult low = pool.padding.low[i];
    OpFoldResult end = emit.add(low, input[2 + i]);
    first.push_back(emit.asValue(countsPadding ? emit.index(0) : low));
    last.push_back(emit.asValue(
        countsPadding ? emit.add(end, pool.padding.high[i]) : end));
  }
  Sizes spatial(pool.sizes.begin() + 2, pool.sizes.end());
  DType dtype = node.dtype();
  return emit.generate(
      spatial, node.elementType(),
      [&](OpBuilder &b, Location loc, ValueRange indices) {
        Value total = indexConstant(b, loc, 1);
        for (size_t i = 0; i < window.rank(); ++i) {
          Value start = indexMul(b, loc, indices[i],
                                 indexConstant(b, loc, window.strides[i]));
          Value count = indexConstant(b, loc, 0);
          Value one = indexConstant(b, loc, 1), zero = count;
          for (int64_t k = 0; k < window.kernel[i]; ++k) {
            Value at = indexAdd(b, loc, start,
                                indexConstant(b, loc, k * window.dilations[i]));
            Value inside =
                indexSelect(b, loc, indexLess(b, loc, at, last[i]), one, zero);
            Value counted = indexSelect(b, loc, indexLess(b, loc, at, first[i]),
                                        zero, inside);
            count = indexAdd(b, loc, count, counted);
          }
          total = indexMul(b, loc, total, count);
        }
        Value number = fromIndex(b, loc, total, DType::Int64);
        return convertScalar(b, loc, number, DType::Int64, dtype);
      });
}

static Value dividedBy(NodeContext &node, Value sum, double count) {
  DType dtype = node.dtype();
  return node.emit.map({sum}, node.typeOf(dtype),
                       [&](OpBuilder &b, Location loc, ValueRange v) {
                         Scalars s(b, loc, dtype);
                         return s.div(v[0], s.number(count));
                       });
}

/// Kernels larger than this would unroll into too much counting code.
static constexpr int64_t maxCountedKernel = 4096;

LogicalResult lh::convertAveragePool(NodeContext &node) {
  FailureOr<Pool> pool = readPool(node);
  if (failed(pool))
    return failure();
  DType dtype = node.dtype();
  Value zero = node.scalars(dtype).number(0);
  Value padded = padSpatially(node.emit, node.in(0), pool->extended, zero);
  Value sum = sumPool(node, padded, pool->sizes, pool->window);
  int64_t area = 1, longest = 0;
  bool isFull = !pool->window.roundsUp;
  for (size_t i = 0; i < pool->window.rank(); ++i) {
    area *= pool->window.kernel[i];
    longest = std::max(longest, pool->window.kernel[i]);
    bool unpadded = node.emit.known(pool->padding.low[i]) == 0 &&
                    node.emit.known(pool->padding.high[i]) == 0;
    isFull &= unpadded || node.integer("count_include_pad", 0) != 0;
  }
  if (isFull)
    return node.result(dividedBy(node, sum, static_cast<double>(area)), dtype);
  if (longest > maxCountedKernel)
    return node.error("a padded kernel of " + Twine(longest) +
                      " elements is not supported");
  Value counts = windowCounts(node, *pool);
  return node.result(
      node.emit.map({sum, counts}, node.typeOf(dtype),
                    [&](OpBuilder &b, Location loc, ValueRange v) {
                      return Scalars(b, loc, dtype).div(v[0], v[1]);
                    }),
      dtype);
}

/// Global pools are reductions over all spatial dimensions.
static FailureOr<SmallVector<bool>> spatialAxes(NodeContext &node) {
  if (node.rank(0) < 2)
    return node.error("the input of shape " + shapeText(node.in(0)) +
                      " has no spatial dimension");
  SmallVector<bool> axes(static_cast<size_t>(node.rank(0)), true);
  axes[0] = axes[1] = false;
  return axes;
}

static LogicalResult globalMaxPool(NodeContext &node) {
  FailureOr<SmallVector<bool>> axes = spatialAxes(node);
  if (failed(axes))
    return failure();
  DType dtype = node.dtype();
  Value reduced =
      node.emit.reduce(node.in(0), *axes, node.scalars(dtype).lowest(),
                       [&](OpBuilder &b, Location loc, ValueRange v) {
                         return Scalars(b, loc, dtype).max(v[0], v[1]);
                       });
  return node.result(node.emit.unreduce(reduced, *axes), dtype);
}

static LogicalResult globalAveragePool(NodeContext &node) {
  FailureOr<SmallVector<bool>> axes = spatialAxes(node);
  if (failed(axes))
    return failure();
  Value mean = emitMean(node, node.in(0), *axes);
  return node.result(node.emit.unreduce(mean, *axes), node.dtype());
}

void lh::addPoolingOps(OpTable &table) {
  using namespace OpRule;
  table.add("MaxPool", {1, 1, Numeric | WidenHalf, maxPool});
  table.add("AveragePool", {1, 1, Float | WidenHalf, convertAveragePool});
  table.add("GlobalMaxPool", {1, 1, Float | WidenHalf, globalMaxPool});
  table.add("GlobalAveragePool", {1, 1, Float | WidenHalf, globalAveragePool});
}
