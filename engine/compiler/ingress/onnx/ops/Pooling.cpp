// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxPool, AveragePool and their global forms.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Pool.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace lh;
using namespace mlir;

/// Where the element that a body of windowLoops() sees lies in the unpadded
/// input.
struct Place {
  Value flat;     ///< row-major (or column-major) over the whole tensor
  Value isInside; ///< i1: it is no padding
};

/// The unpadded input as such a body needs it.
struct PooledInput {
  SmallVector<Value> sizes, low;
  bool isColumnMajor = false; ///< storage_order
};

static Place placeOf(OpBuilder &b, Location loc, const Window &window,
                     const PooledInput &input) {
  auto rank = static_cast<unsigned>(window.rank());
  auto loop = [&](unsigned i) { return Emitter::loopIndex(b, loc, i); };
  Place place;
  place.flat =
      indexAdd(b, loc, indexMul(b, loc, loop(0), input.sizes[1]), loop(1));
  for (unsigned i = 0; i < rank; ++i) {
    unsigned dim = input.isColumnMajor ? rank - 1 - i : i;
    Value size = input.sizes[2 + dim];
    Value start = indexMul(b, loc, loop(2 + dim),
                           indexConstant(b, loc, window.strides[dim]));
    Value inside = indexMul(b, loc, loop(2 + rank + dim),
                            indexConstant(b, loc, window.dilations[dim]));
    Value position =
        indexSub(b, loc, indexAdd(b, loc, start, inside), input.low[dim]);
    place.flat = indexMul(b, loc, place.flat, size);
    place.flat = indexAdd(b, loc, place.flat, position);
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                       position, size);
    place.isInside =
        place.isInside
            ? Value(arith::AndIOp::create(b, loc, place.isInside, fits))
            : fits;
  }
  return place;
}

/// The maximum of each window and where it was first met: a reduction over
/// (value, position) pairs. The first element is taken whatever it is, so that
/// a window of lowest values has a position, too.
static SmallVector<Value> maxPoolWithIndices(NodeContext &node,
                                             const Pool &pool, Value padded) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  PooledInput input;
  input.isColumnMajor = node.integer("storage_order", 0) != 0;
  input.sizes = emit.asValues(emit.sizesOf(node.in(0)));
  input.low = emit.asValues(pool.padding.low);
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
        Scalars at(b, loc, dtype), index(b, loc, DType::Int64);
        Place place = placeOf(b, loc, pool.window, input);
        Value isFirst = index.less(v[3], index.integer(0));
        Value better =
            arith::OrIOp::create(b, loc, isFirst, at.less(v[2], v[0]));
        better = arith::AndIOp::create(b, loc, better, place.isInside);
        Value flat = fromIndex(b, loc, place.flat, DType::Int64);
        return SmallVector<Value>{at.select(better, v[0], v[2]),
                                  at.select(better, flat, v[3])};
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
  return node.result(windowed(node.emit, padded, init, pool->window,
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

static LogicalResult averagePool(NodeContext &node) {
  FailureOr<Pool> pool = readPool(node);
  if (failed(pool))
    return failure();
  DType dtype = node.dtype();
  Value zero = node.scalars(dtype).number(0);
  Value padded = padSpatially(node.emit, node.in(0), pool->extended, zero);
  Value sum =
      sumPool(node.emit, padded, pool->sizes, pool->window, node.dtype());
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
  table.add("AveragePool", {1, 1, Float | WidenHalf, averagePool});
  table.add("GlobalMaxPool", {1, 1, Float | WidenHalf, globalMaxPool});
  table.add("GlobalAveragePool", {1, 1, Float | WidenHalf, globalAveragePool});
}
