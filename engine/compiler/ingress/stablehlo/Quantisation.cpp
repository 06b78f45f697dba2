// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales and zero points, for a whole tensor or along an axis.
#include "compiler/ingress/stablehlo/Quantisation.h"

#include "compiler/ingress/emit/Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

std::optional<DType> lh::dtypeOfStorage(quant::QuantizedType type) {
  auto integer = dyn_cast<IntegerType>(type.getStorageType());
  if (!integer || integer.getWidth() == 1)
    return std::nullopt;
  return dtypeOf(IntegerType::get(integer.getContext(), integer.getWidth(),
                                  type.isSigned() ? IntegerType::Signless
                                                  : IntegerType::Unsigned));
}

namespace {
struct Scaling {
  Value scales, zeros; ///< tensors that broadcast to the value's shape
};
} // namespace

static Scaling scalingOf(Emitter &emit, Value tensor, quant::QuantizedType type,
                         DType dtype) {
  if (auto whole = dyn_cast<quant::UniformQuantizedType>(type))
    return {emit.constant({}, {whole.getScale()}, dtype),
            emit.constant({}, {double(whole.getZeroPoint())}, dtype)};
  auto along = cast<quant::UniformQuantizedPerAxisType>(type);
  SmallVector<int64_t> shape(static_cast<size_t>(rankOf(tensor)), 1);
  auto axis = static_cast<size_t>(along.getQuantizedDimension());
  SmallVector<double> scales(along.getScales());
  SmallVector<double> zeros(along.getZeroPoints());
  if (axis < shape.size())
    shape[axis] = static_cast<int64_t>(scales.size());
  return {emit.constant(shape, scales, dtype),
          emit.constant(shape, zeros, dtype)};
}

Value lh::emitDequantised(Emitter &emit, Value stored,
                          quant::QuantizedType type) {
  DType storage = *dtypeOfStorage(type), expressed = *dtypeOf(type);
  DType computed = computeTypeOf(expressed);
  Scaling scaling = scalingOf(emit, stored, type, computed);
  Value result =
      emit.map({stored, scaling.scales, scaling.zeros}, emit.typeOf(computed),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc, computed);
                 Value number = convertScalar(b, loc, v[0], storage, computed);
                 return s.mul(s.sub(number, v[2]), v[1]);
               });
  return emit.convert(result, computed, expressed);
}

Value lh::emitQuantised(Emitter &emit, Value number,
                        quant::QuantizedType type) {
  DType storage = *dtypeOfStorage(type), expressed = *dtypeOf(type);
  DType computed = computeTypeOf(expressed);
  Value wide = emit.convert(number, expressed, computed);
  Scaling scaling = scalingOf(emit, number, type, computed);
  auto low = static_cast<double>(type.getStorageTypeMin());
  auto high = static_cast<double>(type.getStorageTypeMax());
  return emit.map({wide, scaling.scales, scaling.zeros}, emit.typeOf(storage),
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    Scalars s(b, loc, computed);
                    Value steps =
                        math::RoundEvenOp::create(b, loc, s.div(v[0], v[1]));
                    Value placed = s.add(steps, v[2]);
                    Value cut =
                        s.min(s.max(placed, s.number(low)), s.number(high));
                    return convertScalar(b, loc, cut, computed, storage);
                  });
}
