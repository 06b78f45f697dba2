// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_window and select_and_scatter: sliding windows with any body.
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/emit/Window.h"
#include "compiler/ingress/stablehlo/OpTable.h"
#include "compiler/ingress/stablehlo/Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

namespace {
/// A window over all dimensions of an operand.
struct FullWindow {
  SmallVector<int64_t> size, strides, gaps, dilations, low, high;

  size_t rank() const { return size.size(); }
  int64_t extent(size_t dim) const {
    return (size[dim] - 1) * dilations[dim] + 1;
  }
};
} // namespace

static FailureOr<FullWindow> windowOf(OpContext &c) {
  auto rank = static_cast<size_t>(c.rank());
  auto size = c.integers("window_dimensions", rank, 1);
  auto strides = c.integers("window_strides", rank, 1);
  auto gaps = c.integers("base_dilations", rank, 1);
  auto dilations = c.integers("window_dilations", rank, 1);
  auto padding = c.integers("padding", 2 * rank, 0);
  if (failed(size) || failed(strides) || failed(gaps) || failed(dilations) ||
      failed(padding))
    return failure();
  FullWindow window{*size, *strides, *gaps, *dilations, {}, {}};
  for (ArrayRef<int64_t> numbers :
       {ArrayRef<int64_t>(window.size), ArrayRef<int64_t>(window.strides),
        ArrayRef<int64_t>(window.gaps), ArrayRef<int64_t>(window.dilations)})
    for (int64_t number : numbers)
      if (number < 1 || number > maxWindowValue)
        return c.error("its window has the number " + Twine(number) +
                       ", which is out of range");
  for (size_t dim = 0; dim < rank; ++dim) {
    window.low.push_back((*padding)[2 * dim]);
    window.high.push_back((*padding)[2 * dim + 1]);
    if (!isMargin(window.low.back()) || !isMargin(window.high.back()))
      return c.error("its padding is out of range");
  }
  return window;
}

/// The operand with `padding` round and between its elements.
static Value paddedOperand(Emitter &emit, Value tensor,
                           const FullWindow &window, Value padding) {
  Margins margins{
      emit.staticSizes(window.low), emit.staticSizes(window.high), {}};
  for (int64_t gap : window.gaps)
    margins.interior.push_back(emit.index(gap - 1));
  return withMargins(emit, tensor, margins, padding);
}

/// The numbers of windows along each dimension of a padded operand.
static Sizes windowCounts(Emitter &emit, const FullWindow &window,
                          const Sizes &sizes) {
  Sizes counts;
  for (size_t dim = 0; dim < window.rank(); ++dim) {
    std::optional<int64_t> known = emit.known(sizes[dim]);
    if (known && *known < window.extent(dim)) {
      counts.push_back(emit.index(0));
      continue;
    }
    OpFoldResult room = emit.sub(sizes[dim], emit.index(window.extent(dim)));
    counts.push_back(
        emit.add(emit.floorDiv(room, window.strides[dim]), emit.index(1)));
  }
  return counts;
}

/// Two dimensions of images, for which there is a named pool: which they are.
static std::optional<SmallVector<int64_t>>
imageOrder(const FullWindow &window) {
  if (window.rank() != 4)
    return std::nullopt;
  SmallVector<int64_t> plain, slid;
  for (size_t dim = 0; dim < 4; ++dim) {
    bool isPlain = window.size[dim] == 1 && window.strides[dim] == 1;
    (isPlain ? plain : slid).push_back(static_cast<int64_t>(dim));
  }
  if (plain.size() != 2)
    return std::nullopt;
  plain.append(slid);
  return plain;
}

/// A pool of images: channels second, the named operation, and back.
static Value poolImages(OpContext &c, Value input, ArrayRef<int64_t> order,
                        const FullWindow &window, const Sizes &counts,
                        Combination how, Value init) {
  Emitter &emit = c.emit;
  Window image;
  for (size_t i = 2; i < 4; ++i) {
    auto dim = static_cast<size_t>(order[i]);
    image.kernel.push_back(window.size[dim]);
    image.strides.push_back(window.strides[dim]);
    image.dilations.push_back(window.dilations[dim]);
  }
  Sizes sizes;
  SmallVector<int64_t> back(4);
  for (auto [i, dim] : llvm::enumerate(order)) {
    sizes.push_back(counts[static_cast<size_t>(dim)]);
    back[static_cast<size_t>(dim)] = static_cast<int64_t>(i);
  }
  Value tensor = emit.transpose(input, order);
  Value start = emit.filled(sizes, init);
  Value pooled =
      how == Combination::Sum
          ? namedPool<linalg::PoolingNchwSumOp>(emit, tensor, start, image)
          : namedPool<linalg::PoolingNchwMaxOp>(emit, tensor, start, image);
  return emit.transpose(pooled, back);
}

/// Loops over (places..., places in a window...), of which those of one element
/// are left out.
static SmallVector<Value> reduceWindows(OpContext &c, ArrayRef<Value> inputs,
                                        ArrayRef<Value> inits,
                                        const FullWindow &window,
                                        const Sizes &counts,
                                        ScalarBodyOf &body) {
  Emitter &emit = c.emit;
  auto rank = static_cast<unsigned>(window.rank());
  SmallVector<AffineExpr> read, inside;
  SmallVector<int64_t> slid;
  for (unsigned dim = 0; dim < rank; ++dim) {
    AffineExpr place = emit.builder.getAffineDimExpr(dim) * window.strides[dim];
    if (window.size[dim] > 1) {
      AffineExpr k = emit.builder.getAffineDimExpr(
          rank + static_cast<unsigned>(slid.size()));
      place = place + k * window.dilations[dim];
      inside.push_back(k);
      slid.push_back(window.size[dim]);
    }
    read.push_back(place);
  }
  unsigned loops = rank + static_cast<unsigned>(slid.size());
  MLIRContext *context = emit.builder.getContext();
  SmallVector<AffineMap> maps(inputs.size(),
                              AffineMap::get(loops, 0, read, context));
  SmallVector<Value> operands(inputs);
  // Only its shape is read: how many elements a window has.
  operands.push_back(
      emit.empty(emit.staticSizes(slid), emit.builder.getI8Type()));
  maps.push_back(AffineMap::get(loops, 0, inside, context));
  SmallVector<Value> starts;
  for (Value init : inits) {
    starts.push_back(emit.filled(counts, init));
    maps.push_back(
        AffineMap::getMultiDimIdentityMap(loops, context).getMajorSubMap(rank));
  }
  SmallVector<bool> reduces(loops, false);
  std::fill(reduces.begin() + rank, reduces.end(), true);
  size_t count = inputs.size();
  SmallVector<DType> types;
  for (size_t i = 0; i < count; ++i)
    types.push_back(c.dtype(i));
  return emit.genericMany(
      operands, maps, starts, reduces,
      [&](OpBuilder &b, Location loc, ValueRange v) {
        SmallVector<Value> arguments(v.drop_front(count + 1));
        arguments.append(v.begin(), v.begin() + static_cast<ptrdiff_t>(count));
        return body(b, loc, arguments, types);
      });
}

static LogicalResult reduceWindow(OpContext &c) {
  size_t count = c.inputCount() / 2;
  if (c.inputCount() != 2 * count || c.resultCount() != count)
    return c.error("it needs an initial value and a result for each input");
  FailureOr<FullWindow> window = windowOf(c);
  if (failed(window))
    return failure();
  Emitter &emit = c.emit;
  SmallVector<Value> inputs, inits;
  for (size_t i = 0; i < count; ++i) {
    if (failed(c.needScalar(count + i, "an initial value")))
      return failure();
    if (c.dtype(count + i) != c.dtype(i) ||
        tensorTypeOf(c.in(i)).getShape() != tensorTypeOf(c.in(0)).getShape())
      return c.mismatch("its inputs must have one shape, and initial values "
                        "their element types");
    inits.push_back(emit.scalarOf(c.in(count + i)));
    inputs.push_back(paddedOperand(emit, c.in(i), *window, inits.back()));
  }
  Sizes counts = windowCounts(emit, *window, emit.sizesOf(inputs.front()));
  Combination how = combinationOf(c.op.getRegion(0));
  bool isPool = count == 1 && c.resultType() == c.dtype() &&
                computeTypeOf(c.dtype()) == c.dtype() &&
                (how == Combination::Sum ||
                 (how == Combination::Largest && !isUnsigned(c.dtype())));
  if (auto order = imageOrder(*window); order && isPool)
    return c.result(
        poolImages(c, inputs[0], *order, *window, counts, how, inits[0]));
  ScalarBodyOf body(c);
  auto results = reduceWindows(c, inputs, inits, *window, counts, body);
  for (auto [i, result] : llvm::enumerate(results))
    c.set(i, result);
  return body.finish(success());
}

/// The element of a window that the `select` region prefers to all before it,
/// as its place in the operand; places outside of the operand don't count.
/// Carries (found, place..., value).
static SmallVector<Value> selectedPlace(OpContext &c, const FullWindow &window,
                                        ArrayRef<Value> starts,
                                        ScalarBodyOf &prefers) {
  Emitter &emit = c.emit;
  OpBuilder &b = emit.builder;
  Value operand = c.in(0);
  size_t rank = window.rank();
  SmallVector<Value> limits = emit.asValues(emit.sizesOf(operand));
  SmallVector<Value> carried{
      arith::ConstantOp::create(b, emit.loc, b.getBoolAttr(false))};
  for (size_t dim = 0; dim < rank; ++dim)
    carried.push_back(indexConstant(b, emit.loc, 0));
  carried.push_back(Scalars(b, emit.loc, c.dtype()).number(0));
  int64_t elements = 1;
  for (int64_t size : window.size)
    elements *= size;
  return emitLoop(
      emit, emit.index(elements), carried, [&](Value flat, ValueRange state) {
        SmallVector<Value> at(rank);
        Value isInside =
            arith::ConstantOp::create(b, emit.loc, b.getBoolAttr(true));
        for (size_t dim = rank; dim-- > 0;) {
          Value size = indexConstant(b, emit.loc, window.size[dim]);
          Value place = indexAdd(b, emit.loc, starts[dim],
                                 indexRem(b, emit.loc, flat, size));
          flat = indexDiv(b, emit.loc, flat, size);
          Value fits = arith::CmpIOp::create(
              b, emit.loc, arith::CmpIPredicate::ult, place, limits[dim]);
          isInside = arith::AndIOp::create(b, emit.loc, isInside, fits);
          at[dim] = normalizeIndex(b, emit.loc, place, limits[dim]);
        }
        Value element = emit.extract(operand, at);
        // select(a, b) says whether a, which was found before, stays.
        Value keeps =
            Scalars(b, emit.loc, DType::Bool)
                .fromBool(
                    prefers(b, emit.loc, {state.back(), element}, {DType::Bool})
                        .front());
        Value isTrue =
            arith::ConstantOp::create(b, emit.loc, b.getBoolAttr(true));
        Value isFirst = arith::XOrIOp::create(b, emit.loc, state[0], isTrue);
        Value loses = arith::XOrIOp::create(b, emit.loc, keeps, isTrue);
        Value takes = arith::AndIOp::create(
            b, emit.loc, isInside,
            arith::OrIOp::create(b, emit.loc, isFirst, loses));
        SmallVector<Value> next{
            arith::OrIOp::create(b, emit.loc, state[0], isInside)};
        for (size_t dim = 0; dim < rank; ++dim)
          next.push_back(
              indexSelect(b, emit.loc, takes, at[dim], state[1 + dim]));
        next.push_back(
            arith::SelectOp::create(b, emit.loc, takes, element, state.back()));
        return next;
      });
}

static LogicalResult selectAndScatter(OpContext &c) {
  FailureOr<FullWindow> window = windowOf(c);
  if (failed(window) || failed(c.needScalar(2, "the initial value")))
    return failure();
  if (c.rank(1) != c.rank(0) || c.dtype(1) != c.dtype() ||
      c.dtype(2) != c.dtype())
    return c.mismatch("its operands must have one rank and element type");
  if (c.op.getRegion(0).getNumArguments() != 2 ||
      !c.op.getRegion(0).hasOneBlock())
    return c.error("its first region must compare two scalars");
  Emitter &emit = c.emit;
  OpBuilder &b = emit.builder;
  ScalarBodyOf prefers(c, 0), merges(c, 1);
  Value source = c.in(1);
  Sizes places = emit.sizesOf(source), own = emit.sizesOf(c.in(0));
  SmallVector<Value> extents = emit.asValues(places);
  Value start = emit.filled(own, emit.scalarOf(c.in(2)));
  size_t rank = window->rank();
  auto results = emitLoop(
      emit, emit.product(places), {start}, [&](Value flat, ValueRange state) {
        SmallVector<Value> at(rank), starts(rank);
        for (size_t dim = rank; dim-- > 0;) {
          at[dim] = indexRem(b, emit.loc, flat, extents[dim]);
          flat = indexDiv(b, emit.loc, flat, extents[dim]);
          Value moved =
              indexMul(b, emit.loc, at[dim],
                       indexConstant(b, emit.loc, window->strides[dim]));
          starts[dim] = indexSub(b, emit.loc, moved,
                                 indexConstant(b, emit.loc, window->low[dim]));
        }
        auto found = selectedPlace(c, *window, starts, prefers);
        SmallVector<Value> place(found.begin() + 1,
                                 found.begin() + 1 +
                                     static_cast<ptrdiff_t>(rank));
        Value old = emit.extract(state[0], place);
        Value merged =
            merges(b, emit.loc, {old, emit.extract(source, at)}, {c.dtype()})
                .front();
        Value next =
            arith::SelectOp::create(b, emit.loc, found[0], merged, old);
        return SmallVector<Value>{
            tensor::InsertOp::create(b, emit.loc, next, state[0], place)};
      });
  return prefers.finish(merges.finish(c.result(results[0])));
}

void lh::addWindowOps(HloTable &t) {
  t["stablehlo.reduce_window"] = {2, HloRow::any, HloRow::any, 1, reduceWindow};
  t["stablehlo.select_and_scatter"] = {3, 3, 1, 2, selectAndScatter};
}
