// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linalg operations the other families are built from.
#include "compiler/ingress/emit/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace lh;
using namespace mlir;

Value Emitter::filled(ArrayRef<OpFoldResult> sizes, Value scalar) {
  Value init = empty(sizes, scalar.getType());
  Value result =
      linalg::FillOp::create(builder, loc, ValueRange{scalar}, ValueRange{init})
          .getResult(0);
  return remember(result, sizesOf(init));
}

SmallVector<Value> Emitter::genericMany(
    ArrayRef<Value> inputs, ArrayRef<AffineMap> maps, ArrayRef<Value> inits,
    ArrayRef<bool> loops,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>
        body) {
  SmallVector<utils::IteratorType> iterators;
  for (bool reduces : loops)
    iterators.push_back(reduces ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
  SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  auto op = linalg::GenericOp::create(
      builder, loc, types, inputs, inits, maps, iterators,
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        linalg::YieldOp::create(b, at, body(b, at, arguments));
      });
  SmallVector<Value> results;
  for (auto [result, init] : llvm::zip(op.getResults(), inits))
    results.push_back(remember(result, sizesOf(init)));
  return results;
}

Value Emitter::generic(ArrayRef<Value> inputs, ArrayRef<AffineMap> maps,
                       Value init, ArrayRef<bool> loops, ScalarBody body) {
  return genericMany(inputs, maps, {init}, loops,
                     [&](OpBuilder &b, Location at, ValueRange arguments) {
                       return SmallVector<Value>{body(b, at, arguments)};
                     })
      .front();
}

Value Emitter::loopIndex(OpBuilder &b, Location loc, unsigned dim) {
  return linalg::IndexOp::create(b, loc, dim);
}

Value Emitter::generate(Sizes sizes, Type element, ScalarBody body) {
  // Upstream's tiling crashes on loops over nothing.
  if (llvm::any_of(sizes, [&](OpFoldResult size) { return known(size) == 0; }))
    return empty(sizes, element);
  auto rank = static_cast<unsigned>(sizes.size());
  SmallVector<bool> loops(rank, false);
  return generic({}, {builder.getMultiDimIdentityMap(rank)},
                 empty(sizes, element), loops,
                 [&](OpBuilder &b, Location at, ValueRange) {
                   SmallVector<Value> indices;
                   for (unsigned dim = 0; dim < rank; ++dim)
                     indices.push_back(loopIndex(b, at, dim));
                   return body(b, at, indices);
                 });
}

FailureOr<Sizes> Emitter::broadcastSizes(ArrayRef<Value> tensors) {
  int64_t rank = 0;
  for (Value tensor : tensors)
    rank = std::max(rank, rankOf(tensor));
  Sizes result(static_cast<size_t>(rank), index(1));
  for (Value tensor : tensors) {
    Sizes sizes = sizesOf(tensor);
    size_t offset = result.size() - sizes.size();
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      OpFoldResult &soFar = result[offset + dim];
      std::optional<int64_t> a = known(soFar), b = known(sizes[dim]);
      if (same(soFar, sizes[dim]) || b == 1)
        continue;
      if (a == 1)
        soFar = sizes[dim];
      else if (a && b)
        return failure();
      else if (!a && b)
        soFar = sizes[dim];
      else if (!a)
        soFar = selectEqual(soFar, index(1), sizes[dim], soFar);
    }
  }
  return result;
}

/// How a broadcast operand is read: by an affine map, or, when only the run
/// shows which of its dimensions are 1, element by element.
struct OperandAccess {
  AffineMap map;
  SmallVector<bool> mayBeOne; ///< not empty: read by tensor.extract
};

static OperandAccess accessOf(Emitter &emitter, Value operand,
                              const Sizes &sizes) {
  Sizes own = emitter.sizesOf(operand);
  auto offset = static_cast<unsigned>(sizes.size() - own.size());
  SmallVector<AffineExpr> exprs;
  OperandAccess access;
  bool needsExtract = false;
  for (unsigned dim = 0; dim < own.size(); ++dim) {
    OpFoldResult out = sizes[offset + dim];
    bool isOne = emitter.known(own[dim]) == 1 && emitter.known(out) != 1;
    bool unsure = !emitter.known(own[dim]) && !emitter.same(own[dim], out);
    if (unsure)
      emitter.requireBroadcast(own[dim], out);
    exprs.push_back(isOne ? emitter.builder.getAffineConstantExpr(0)
                          : emitter.builder.getAffineDimExpr(offset + dim));
    access.mayBeOne.push_back(isOne || unsure);
    needsExtract |= unsure;
  }
  access.map = AffineMap::get(static_cast<unsigned>(sizes.size()), 0, exprs,
                              emitter.builder.getContext());
  if (!needsExtract)
    access.mayBeOne.clear();
  return access;
}

/// `operand` without the dimensions that `access` reads at 0: loops that read
/// it fuse with their producers' only if its map is a projection.
static Value withoutUnits(Emitter &emitter, Value operand,
                          OperandAccess &access) {
  Sizes own = emitter.sizesOf(operand), kept;
  SmallVector<AffineExpr> exprs;
  for (auto [size, expr] : llvm::zip_equal(own, access.map.getResults()))
    if (!isa<AffineConstantExpr>(expr)) {
      kept.push_back(size);
      exprs.push_back(expr);
    }
  if (kept.size() == own.size())
    return operand;
  access.map = AffineMap::get(access.map.getNumDims(), 0, exprs,
                              emitter.builder.getContext());
  return emitter.reshape(operand, kept);
}

/// Reads `operand` at the loop's indices, at 0 where its dimension is 1.
static Value readGuarded(OpBuilder &b, Location loc, Value operand,
                         const OperandAccess &access, ArrayRef<Value> sizes,
                         unsigned rank) {
  SmallVector<Value> indices;
  unsigned offset = rank - static_cast<unsigned>(access.mayBeOne.size());
  Value one = indexConstant(b, loc, 1), zero = indexConstant(b, loc, 0);
  for (auto [dim, mayBeOne] : llvm::enumerate(access.mayBeOne)) {
    Value position =
        Emitter::loopIndex(b, loc, offset + static_cast<unsigned>(dim));
    if (mayBeOne)
      position = indexSelect(b, loc, indexLess(b, loc, one, sizes[dim]),
                             position, zero);
    indices.push_back(position);
  }
  return tensor::ExtractOp::create(b, loc, operand, indices);
}

Value Emitter::mapTo(Sizes sizes, ArrayRef<Value> inputs, Type element,
                     ScalarBody body) {
  auto rank = static_cast<unsigned>(sizes.size());
  SmallVector<OperandAccess> accesses;
  SmallVector<SmallVector<Value>> runTimeSizes;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    accesses.push_back(accessOf(*this, input, sizes));
    runTimeSizes.emplace_back();
    if (accesses.back().mayBeOne.empty()) {
      operands.push_back(withoutUnits(*this, input, accesses.back()));
      maps.push_back(accesses.back().map);
      continue;
    }
    for (OpFoldResult size : sizesOf(input))
      runTimeSizes.back().push_back(asValue(size));
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  return generic(operands, maps, empty(sizes, element),
                 SmallVector<bool>(rank, false),
                 [&](OpBuilder &b, Location at, ValueRange arguments) {
                   SmallVector<Value> values;
                   unsigned next = 0;
                   for (auto [i, input] : llvm::enumerate(inputs)) {
                     if (accesses[i].mayBeOne.empty())
                       values.push_back(arguments[next++]);
                     else
                       values.push_back(readGuarded(b, at, input, accesses[i],
                                                    runTimeSizes[i], rank));
                   }
                   return body(b, at, values);
                 });
}

Value Emitter::map(ArrayRef<Value> inputs, Type element, ScalarBody body) {
  FailureOr<Sizes> sizes = broadcastSizes(inputs);
  if (succeeded(sizes))
    return mapTo(*sizes, inputs, element, body);
  if (!mistake)
    mistake = "cannot broadcast the shapes of its operands";
  return empty(sizesOf(inputs.front()), element);
}

Value Emitter::broadcastTo(Value tensor, Sizes sizes) {
  return mapTo(sizes, {tensor}, tensorTypeOf(tensor).getElementType(),
               [](OpBuilder &, Location, ValueRange values) -> Value {
                 return values.front();
               });
}

Value Emitter::convert(Value tensor, DType from, DType to,
                       const CastRules &rules) {
  if (from == to)
    return tensor;
  return map({tensor}, elementTypeOf(to, builder.getContext()),
             [&](OpBuilder &b, Location at, ValueRange values) {
               return convertScalar(b, at, values.front(), from, to, rules);
             });
}

Value Emitter::reduce(Value input, ArrayRef<bool> axes, Value init,
                      ScalarBody combine) {
  Sizes sizes = sizesOf(input), kept;
  SmallVector<AffineExpr> exprs;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (axes[dim])
      continue;
    kept.push_back(size);
    exprs.push_back(builder.getAffineDimExpr(static_cast<unsigned>(dim)));
  }
  auto rank = static_cast<unsigned>(sizes.size());
  AffineMap result = AffineMap::get(rank, 0, exprs, builder.getContext());
  return generic({input}, {builder.getMultiDimIdentityMap(rank), result},
                 filled(kept, init), axes, combine);
}

Value Emitter::unreduce(Value reduced, ArrayRef<bool> axes) {
  Sizes sizes, own = sizesOf(reduced);
  size_t next = 0;
  for (bool removed : axes)
    sizes.push_back(removed ? index(1) : own[next++]);
  return reshape(reduced, sizes);
}

Value Emitter::transpose(Value tensor, ArrayRef<int64_t> order) {
  // Of a scalar too: linalg.transpose has no maps for it and crashes.
  if (isIdentityPermutation(order))
    return tensor;
  Sizes own = sizesOf(tensor), sizes;
  for (int64_t dim : order)
    sizes.push_back(own[static_cast<size_t>(dim)]);
  Value init = empty(sizes, tensorTypeOf(tensor).getElementType());
  Value result = linalg::TransposeOp::create(builder, loc, tensor, init, order)
                     ->getResult(0);
  return remember(result, sizes);
}
