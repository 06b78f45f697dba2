// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize: which elements every place of a dimension reads, and the sums.
//
// Each resized dimension gets tables (an index per place; for linear and cubic
// also weights), computed once. Nearest then copies elements; the other modes
// sum along one dimension after the other, small floats in float32 and all
// other numbers in float64.
#include "compiler/ingress/onnx/ops/Resize.h"
#include "compiler/ingress/onnx/ops/Sampling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace lh;
using namespace mlir;

/// Where output index `x` lies in the input (coordinate_transformation_mode).
static Value sourcePosition(const Scalars &s, const Resize &resize,
                            const ResizeAxis &axis, Value x) {
  Value half = s.number(0.5), one = s.number(1), zero = s.number(0);
  Value in = numberOf(s, axis.inputSize), out = numberOf(s, axis.outputSize);
  const std::string &mode = resize.coordinates;
  if (mode == "asymmetric")
    return s.div(x, axis.scale);
  if (mode == "align_corners") {
    Value isOne = s.equal(axis.length, one);
    Value steps = s.select(isOne, one, s.sub(axis.length, one));
    Value position = s.div(s.mul(x, s.sub(in, one)), steps);
    return s.select(isOne, zero, position);
  }
  if (mode == "tf_crop_and_resize") {
    Value last = s.sub(in, one);
    Value isOne = s.equal(out, one);
    Value steps = s.select(isOne, one, s.sub(out, one));
    Value extent = s.mul(s.sub(axis.roiEnd, axis.roiStart), last);
    Value start = s.mul(axis.roiStart, last);
    Value spread = s.add(start, s.div(s.mul(x, extent), steps));
    Value middle = s.mul(half, s.mul(s.add(axis.roiStart, axis.roiEnd), last));
    return s.select(isOne, middle, spread);
  }
  Value centred = s.sub(s.div(s.add(x, half), axis.scale), half);
  if (mode == "pytorch_half_pixel")
    return s.select(s.less(one, out), centred, zero);
  if (mode == "half_pixel_symmetric") {
    Value adjustment = s.div(out, axis.length);
    Value centre = s.div(in, s.number(2));
    Value offset = s.mul(centre, s.sub(one, adjustment));
    return s.add(offset, centred);
  }
  if (mode == "tf_half_pixel_for_nn")
    return s.div(s.add(x, half), axis.scale);
  return centred; // half_pixel
}

static Value nearestOf(const Scalars &s, StringRef mode, Value position) {
  Value half = s.number(0.5);
  if (mode == "floor")
    return floorOf(s, position);
  if (mode == "ceil")
    return ceilOf(s, position);
  if (mode == "round_prefer_ceil")
    return floorOf(s, s.add(position, half));
  return ceilOf(s, s.sub(position, half)); // round_prefer_floor
}

/// i1: tf_crop_and_resize does not read there.
static Value isOutside(const Scalars &s, const ResizeAxis &axis,
                       Value position) {
  Value last = s.sub(numberOf(s, axis.inputSize), s.number(1));
  return arith::OrIOp::create(s.builder, s.loc, s.less(position, s.number(0)),
                              s.less(last, position));
}

/// An element per place of the resized dimension, from its position in the
/// input.
static Value
tableOf(NodeContext &node, const Resize &resize, size_t dim, Type element,
        llvm::function_ref<Value(const Scalars &, Value position)> entry) {
  return node.emit.generate({resize.sizes[dim]}, element,
                            [&](OpBuilder &b, Location loc, ValueRange at) {
                              Scalars s(b, loc, DType::Float64);
                              return entry(
                                  s, sourcePosition(s, resize, resize.axes[dim],
                                                    numberOf(s, at.front())));
                            });
}

/// Nearest: the index that is read; -1 for the extrapolation value.
static Value indexTable(NodeContext &node, const Resize &resize, size_t dim) {
  const ResizeAxis &axis = resize.axes[dim];
  return tableOf(
      node, resize, dim, node.typeOf(DType::Int64),
      [&](const Scalars &s, Value position) {
        Value index = indexOf(s, nearestOf(s, resize.nearest, position));
        index = clampIndex(s.builder, s.loc, index, axis.inputSize);
        if (resize.crops())
          index = indexSelect(s.builder, s.loc, isOutside(s, axis, position),
                              indexConstant(s.builder, s.loc, -1), index);
        return fromIndex(s.builder, s.loc, index, DType::Int64);
      });
}

namespace {
struct NearestPlace {
  SmallVector<Value> indices;
  Value isInside; ///< i1; empty: always
};
} // namespace

/// What is read for a loop position whose table entries are `entries`.
static NearestPlace nearestPlace(OpBuilder &b, Location loc,
                                 const Resize &resize, ValueRange entries) {
  NearestPlace place;
  unsigned next = 0;
  for (auto [dim, axis] : llvm::enumerate(resize.axes)) {
    if (!axis.isResized) {
      place.indices.push_back(
          Emitter::loopIndex(b, loc, static_cast<unsigned>(dim)));
      continue;
    }
    Value index = toIndex(b, loc, entries[next++], DType::Int64);
    if (resize.crops()) {
      place.isInside = andBits(b, loc, place.isInside,
                               isInsideOf(b, loc, index, axis.inputSize));
      index = clampIndex(b, loc, index, axis.inputSize);
    }
    place.indices.push_back(index);
  }
  return place;
}

/// Copies the elements that the index tables name.
static Value copyNearest(NodeContext &node, const Resize &resize) {
  Emitter &emit = node.emit;
  auto rank = static_cast<unsigned>(resize.axes.size());
  SmallVector<Value> tables;
  SmallVector<AffineMap> maps;
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (!resize.axes[dim].isResized)
      continue;
    tables.push_back(indexTable(node, resize, dim));
    maps.push_back(AffineMap::get(rank, 0, emit.builder.getAffineDimExpr(dim)));
  }
  maps.push_back(emit.builder.getMultiDimIdentityMap(rank));
  Value input = node.in(0);
  DType dtype = node.dtype();
  return emit.generic(
      tables, maps, emit.empty(resize.sizes, node.elementType()),
      SmallVector<bool>(rank, false),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        NearestPlace place = nearestPlace(b, loc, resize, v);
        Value element = extractElement(b, loc, input, place.indices);
        if (!place.isInside)
          return element;
        Scalars s(b, loc, dtype);
        return s.select(place.isInside, element,
                        s.number(resize.extrapolation));
      });
}

namespace {
/// The elements that count for a place lie at base + first ... base + first +
/// count - 1, where base is the last element before the position.
struct Reach {
  OpFoldResult first, count;
  Value narrowing; ///< f64: at most 1; antialiasing stretches by its inverse
};
} // namespace

/// Smaller scales would need absurd tables.
static constexpr double leastScale = 1.0 / 65536;

static Reach reachOf(NodeContext &node, const Resize &resize,
                     const ResizeAxis &axis) {
  Emitter &emit = node.emit;
  Scalars s = node.scalars(DType::Float64);
  double support = resize.mode == ResizeMode::Linear ? 1 : 2;
  Reach reach;
  if (!resize.antialiases) {
    reach.first = emit.index(1 - static_cast<int64_t>(support));
    reach.narrowing = s.number(1);
  } else if (axis.knownScale) {
    double narrowing = std::max(std::min(*axis.knownScale, 1.0), leastScale);
    reach.first =
        emit.index(1 + static_cast<int64_t>(std::floor(-support / narrowing)));
    reach.narrowing = s.number(narrowing);
  } else {
    reach.narrowing =
        s.max(s.min(axis.scale, s.number(1)), s.number(leastScale));
    Value wide = floorOf(s, s.div(s.number(-support), reach.narrowing));
    reach.first = emit.add(indexOf(s, wide), emit.index(1));
  }
  reach.count = emit.sub(emit.index(2), emit.mul(reach.first, emit.index(2)));
  return reach;
}

static Value cubicWeight(const Scalars &s, double a, Value distance) {
  Value x = s.abs(distance), one = s.number(1), two = s.number(2);
  Value near = s.add(
      s.mul(s.mul(s.sub(s.mul(s.number(a + 2), x), s.number(a + 3)), x), x),
      one);
  Value far = s.sub(s.mul(s.number(a), x), s.number(5 * a));
  far = s.add(s.mul(far, x), s.number(8 * a));
  far = s.sub(s.mul(far, x), s.number(4 * a));
  Value outer = s.select(s.less(x, two), far, s.number(0));
  return s.select(s.lessEqual(x, one), near, outer);
}

/// The last element strictly before `position`: what lies on an element
/// belongs to the gap at its left.
static Value baseOf(const Scalars &s, Value position) {
  return s.sub(ceilOf(s, position), s.number(1));
}

/// The weight of element base + `offset` for a position.
static Value weightOf(const Scalars &s, const Resize &resize,
                      const Reach &reach, Value position, Value offset) {
  Value fraction = s.sub(position, baseOf(s, position)), one = s.number(1);
  Value away = s.sub(numberOf(s, offset), fraction);
  if (resize.mode == ResizeMode::Cubic)
    return cubicWeight(s, resize.cubicCoefficient,
                       s.mul(away, reach.narrowing));
  if (resize.antialiases) {
    Value weight = s.sub(one, s.abs(s.mul(away, reach.narrowing)));
    return s.max(weight, s.number(0));
  }
  Value isBase = s.equal(numberOf(s, offset), s.number(0));
  return s.select(isBase, s.sub(one, fraction), fraction);
}

/// Divides each row by its sum.
static Value normalizedRows(Emitter &emit, Value weights) {
  Scalars zero(emit.builder, emit.loc, DType::Float64);
  Value sums =
      emit.reduce(weights, {false, true}, zero.number(0),
                  [](OpBuilder &b, Location loc, ValueRange v) {
                    return Scalars(b, loc, DType::Float64).add(v[0], v[1]);
                  });
  return emit.map({weights, emit.unreduce(sums, {false, true})},
                  tensorTypeOf(weights).getElementType(),
                  [](OpBuilder &b, Location loc, ValueRange v) {
                    return Scalars(b, loc, DType::Float64).div(v[0], v[1]);
                  });
}

/// The same, or 0 where only what lies inside of the input counts.
static Value weightInside(const Scalars &s, const Resize &resize,
                          const ResizeAxis &axis, const Reach &reach,
                          Value position, Value offset) {
  Value weight = weightOf(s, resize, reach, position, offset);
  if (!resize.excludesOutside)
    return weight;
  Value base = indexOf(s, baseOf(s, position));
  Value index = indexAdd(s.builder, s.loc, base, offset);
  return s.select(isInsideOf(s.builder, s.loc, index, axis.inputSize), weight,
                  s.number(0));
}

/// The first element that each place reads, which may be outside.
static Value firstTable(NodeContext &node, const Resize &resize, size_t dim,
                        Value first) {
  return tableOf(node, resize, dim, node.typeOf(DType::Int64),
                 [&](const Scalars &s, Value position) {
                   Value base = indexOf(s, baseOf(s, position));
                   return fromIndex(s.builder, s.loc,
                                    indexAdd(s.builder, s.loc, base, first),
                                    DType::Int64);
                 });
}

/// tensor<places x count x f64>, for any count.
static Value weightTable(NodeContext &node, const Resize &resize, size_t dim,
                         const Reach &reach, Value first) {
  Emitter &emit = node.emit;
  const ResizeAxis &axis = resize.axes[dim];
  Value weights = emit.generate(
      {resize.sizes[dim], reach.count}, node.typeOf(DType::Float64),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, DType::Float64);
        Value position = sourcePosition(s, resize, axis, numberOf(s, at[0]));
        Value offset = indexAdd(b, loc, first, at[1]);
        return weightInside(s, resize, axis, reach, position, offset);
      });
  return normalizedRows(emit, weights);
}

/// A tensor<places x sums> for each of `count` elements.
static SmallVector<Value> weightTables(NodeContext &node, const Resize &resize,
                                       size_t dim, const Reach &reach,
                                       Value first, int64_t count, DType sums) {
  const ResizeAxis &axis = resize.axes[dim];
  auto entry = [&](const Scalars &s, Value position, int64_t wanted) {
    Value sum, result;
    for (int64_t k = 0; k < count; ++k) {
      if (k != wanted && !resize.excludesOutside)
        continue;
      Value offset =
          indexAdd(s.builder, s.loc, first, indexConstant(s.builder, s.loc, k));
      Value weight = weightInside(s, resize, axis, reach, position, offset);
      sum = sum ? s.add(sum, weight) : weight;
      if (k == wanted)
        result = weight;
    }
    return resize.excludesOutside ? s.div(result, sum) : result;
  };
  SmallVector<Value> tables;
  for (int64_t k = 0; k < count; ++k)
    tables.push_back(tableOf(node, resize, dim, node.typeOf(sums),
                             [&](const Scalars &s, Value position) {
                               return convertScalar(s.builder, s.loc,
                                                    entry(s, position, k),
                                                    DType::Float64, sums);
                             }));
  return tables;
}

/// What numbers are summed up in: floats of up to 32 bits as other
/// implementations do it, integers exactly.
static DType sumsOf(DType dtype) {
  bool isSmall = dtype == DType::Float32 || dtype == DType::Float16 ||
                 dtype == DType::BFloat16;
  return isSmall ? DType::Float32 : DType::Float64;
}

namespace {
/// One dimension of a tensor that is resampled.
struct Resampling {
  Emitter &emit;
  unsigned dim;
  Value tensor;
  DType dtype; ///< the tensor's
  DType sums;  ///< the result's
  Value limit; ///< the dimension's size
  Sizes sizes; ///< of the result
  Value first; ///< of the elements that each place reads

  unsigned rank() const { return static_cast<unsigned>(sizes.size()); }

  /// In a body of loops over the result's elements: the tensor's element at
  /// `index`, or at the border where that is outside.
  Value element(const Scalars &s, Value index) const {
    SmallVector<Value> from;
    for (unsigned i = 0; i < rank(); ++i)
      from.push_back(Emitter::loopIndex(s.builder, s.loc, i));
    from[dim] = clampIndex(s.builder, s.loc, index, limit);
    return convertScalar(s.builder, s.loc,
                         extractElement(s.builder, s.loc, tensor, from), dtype,
                         sums);
  }
};
} // namespace

/// Sums of as many elements as the weights have columns, by a loop.
static Value sumsByLoop(const Resampling &of, Value weights) {
  Emitter &emit = of.emit;
  unsigned rank = of.rank();
  MLIRContext *context = emit.builder.getContext();
  AffineExpr place = emit.builder.getAffineDimExpr(of.dim);
  AffineExpr k = emit.builder.getAffineDimExpr(rank);
  AffineMap result = AffineMap::getMultiDimIdentityMap(rank, context)
                         .replaceDimsAndSymbols({}, {}, rank + 1, 0);
  SmallVector<bool> loops(rank + 1, false);
  loops.back() = true;
  Scalars outside(emit.builder, emit.loc, of.sums);
  return emit.generic(
      {of.first, emit.convert(weights, DType::Float64, of.sums)},
      {AffineMap::get(rank + 1, 0, place),
       AffineMap::get(rank + 1, 0, {place, k}, context), result},
      emit.filled(of.sizes, outside.number(0)), loops,
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, of.sums);
        Value index = indexAdd(b, loc, toIndex(b, loc, v[0], DType::Int64),
                               Emitter::loopIndex(b, loc, rank));
        return s.add(v[2], s.mul(of.element(s, index), v[1]));
      });
}

/// Sums of an element for each of these tables of weights. Nothing is carried
/// from one to the next, so that the result is elementwise.
static Value sumsByElement(const Resampling &of, ArrayRef<Value> weights) {
  Emitter &emit = of.emit;
  unsigned rank = of.rank();
  SmallVector<Value> inputs{of.first};
  llvm::append_range(inputs, weights);
  SmallVector<AffineMap> maps(
      inputs.size(),
      AffineMap::get(rank, 0, emit.builder.getAffineDimExpr(of.dim)));
  maps.push_back(emit.builder.getMultiDimIdentityMap(rank));
  Type element = tensorTypeOf(weights.front()).getElementType();
  return emit.generic(inputs, maps, emit.empty(of.sizes, element),
                      SmallVector<bool>(rank, false),
                      [&](OpBuilder &b, Location loc, ValueRange v) {
                        Scalars s(b, loc, of.sums);
                        Value first = toIndex(b, loc, v[0], DType::Int64), sum;
                        for (size_t k = 0; k < weights.size(); ++k) {
                          Value offset =
                              indexConstant(b, loc, static_cast<int64_t>(k));
                          Value index = indexAdd(b, loc, first, offset);
                          Value term = s.mul(of.element(s, index), v[k + 1]);
                          sum = sum ? s.add(sum, term) : term;
                        }
                        return sum;
                      });
}

/// Sums along one dimension, in the type `sums`.
static Value resampled(NodeContext &node, const Resize &resize, unsigned dim,
                       Value tensor, DType dtype, DType sums) {
  Emitter &emit = node.emit;
  const ResizeAxis &axis = resize.axes[dim];
  Reach reach = reachOf(node, resize, axis);
  Value first = emit.asValue(reach.first);
  Sizes sizes = emit.sizesOf(tensor);
  sizes[dim] = resize.sizes[dim];
  Resampling of{emit,   dim,
                tensor, dtype,
                sums,   axis.inputSize,
                sizes,  firstTable(node, resize, dim, first)};
  // Antialiasing may read any number of elements.
  if (resize.antialiases)
    return sumsByLoop(of, weightTable(node, resize, dim, reach, first));
  int64_t count = resize.mode == ResizeMode::Linear ? 2 : 4;
  return sumsByElement(
      of, weightTables(node, resize, dim, reach, first, count, sums));
}

/// From sums of type `from` to the model's type, with the extrapolation value
/// where tf_crop_and_resize leaves the input.
static Value finished(NodeContext &node, const Resize &resize, Value sums,
                      DType from) {
  Emitter &emit = node.emit;
  auto rank = static_cast<unsigned>(resize.axes.size());
  SmallVector<Value> inputs{sums};
  SmallVector<AffineMap> maps{emit.builder.getMultiDimIdentityMap(rank)};
  for (unsigned dim = 0; resize.crops() && dim < rank; ++dim) {
    const ResizeAxis &axis = resize.axes[dim];
    if (!axis.isResized)
      continue;
    inputs.push_back(tableOf(node, resize, dim, node.typeOf(DType::Bool),
                             [&](const Scalars &s, Value position) {
                               return s.toBool(isOutside(s, axis, position));
                             }));
    maps.push_back(AffineMap::get(rank, 0, emit.builder.getAffineDimExpr(dim)));
  }
  maps.push_back(emit.builder.getMultiDimIdentityMap(rank));
  DType dtype = node.dtype();
  return emit.generic(
      inputs, maps, emit.empty(resize.sizes, node.elementType()),
      SmallVector<bool>(rank, false),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, from);
        Value result = v[0];
        for (size_t i = 1; i < inputs.size(); ++i)
          result = s.select(s.fromBool(v[i]), s.number(resize.extrapolation),
                            result);
        return convertScalar(b, loc, result, from, dtype);
      });
}

Value lh::emitResized(NodeContext &node, const Resize &resize) {
  bool isUnchanged = llvm::none_of(
      resize.axes, [](const ResizeAxis &axis) { return axis.isResized; });
  if (isUnchanged)
    return node.in(0);
  if (resize.mode == ResizeMode::Nearest)
    return copyNearest(node, resize);
  Value tensor = node.in(0);
  DType dtype = node.dtype(), sums = sumsOf(dtype);
  for (auto dim = static_cast<unsigned>(resize.axes.size()); dim-- > 0;) {
    if (!resize.axes[dim].isResized)
      continue;
    tensor = resampled(node, resize, dim, tensor, dtype, sums);
    dtype = sums;
  }
  return finished(node, resize, tensor, sums);
}
