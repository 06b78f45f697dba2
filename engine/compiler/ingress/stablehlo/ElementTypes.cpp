// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO's element types by ours.
#include "compiler/ingress/stablehlo/ElementTypes.h"

#include "core/numerics/SmallFloat.h"

#include "mlir/IR/TypeUtilities.h"

using namespace lh;
using namespace mlir;

static std::optional<DType> integerDtype(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return DType::Bool;
  case 2:
    return isUnsigned ? DType::UInt2 : DType::Int2;
  case 4:
    return isUnsigned ? DType::UInt4 : DType::Int4;
  case 8:
    return isUnsigned ? DType::UInt8 : DType::Int8;
  case 16:
    return isUnsigned ? DType::UInt16 : DType::Int16;
  case 32:
    return isUnsigned ? DType::UInt32 : DType::Int32;
  case 64:
    return isUnsigned ? DType::UInt64 : DType::Int64;
  default:
    return std::nullopt;
  }
}

std::optional<DType> lh::dtypeOf(Type element) {
  if (quant::QuantizedType quantised = quantisedTypeOf(element))
    return dtypeOf(quantised.getExpressedType());
  if (auto integer = dyn_cast<IntegerType>(element))
    return integerDtype(integer);
  if (isa<Float16Type>(element))
    return DType::Float16;
  if (isa<BFloat16Type>(element))
    return DType::BFloat16;
  if (isa<Float32Type>(element))
    return DType::Float32;
  if (isa<Float64Type>(element))
    return DType::Float64;
  if (isa<Float8E4M3FNType>(element))
    return DType::Float8E4M3FN;
  if (isa<Float8E4M3FNUZType>(element))
    return DType::Float8E4M3FNUZ;
  if (isa<Float8E5M2Type>(element))
    return DType::Float8E5M2;
  if (isa<Float8E5M2FNUZType>(element))
    return DType::Float8E5M2FNUZ;
  if (isa<Float8E8M0FNUType>(element))
    return DType::Float8E8M0;
  if (isa<Float4E2M1FNType>(element))
    return DType::Float4E2M1;
  return std::nullopt;
}

quant::QuantizedType lh::quantisedTypeOf(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType>(
          type))
    return cast<quant::QuantizedType>(type);
  return {};
}

DType lh::computeTypeOf(DType dtype) {
  if (dtype == DType::Float16 || dtype == DType::BFloat16 ||
      isSmallFloat(dtype))
    return DType::Float32;
  if (dtype == DType::Int4 || dtype == DType::Int2)
    return DType::Int8;
  if (dtype == DType::UInt4 || dtype == DType::UInt2)
    return DType::UInt8;
  return dtype;
}
