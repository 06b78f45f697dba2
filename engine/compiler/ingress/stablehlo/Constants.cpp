// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of the program.
#include "compiler/ingress/stablehlo/Constants.h"

#include "compiler/ingress/stablehlo/Quantisation.h"
#include "core/numerics/SmallFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace lh;
using namespace mlir;

DenseElementsAttr lh::asKept(DenseElementsAttr value, DType dtype) {
  ShapedType type = value.getType();
  Type element = type.getElementType();
  Type kept = elementTypeOf(dtype, value.getContext());
  if (element == kept)
    return value;
  unsigned width = kept.isIntOrFloat() ? kept.getIntOrFloatBitWidth() : 0;
  auto widened = [&](const APInt &bits) {
    // Those with a sign keep it; truth values and codes don't have one.
    bool hasSign = !isUnsigned(dtype) && !isSmallFloat(dtype);
    return hasSign ? bits.sextOrTrunc(width) : bits.zextOrTrunc(width);
  };
  if (isa<IntegerType>(element))
    return value.mapValues(kept,
                           [&](const APInt &bits) { return widened(bits); });
  if (isa<FloatType>(element) && isa<IntegerType>(kept))
    return value.mapValues(kept, [&](const APFloat &number) {
      return number.bitcastToAPInt().zextOrTrunc(width);
    });
  return {};
}

FailureOr<HloValue> lh::emitConstant(const OpContext &c, Attribute attribute) {
  auto value = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!value) {
    if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(attribute);
        resource && resource.getRawHandle().getBlob()) {
      ArrayRef<char> bytes = resource.getRawHandle().getBlob()->getData();
      bool isSplat = false;
      if (DenseElementsAttr::isValidRawBuffer(resource.getType(), bytes,
                                              isSplat))
        value = DenseElementsAttr::getFromRawBuffer(resource.getType(), bytes);
    }
  }
  if (!value)
    return c.error("its value is no dense tensor");
  auto declared = cast<RankedTensorType>(c.op.getResult(0).getType());
  if (value.getType().getShape() != declared.getShape())
    return c.mismatch("its value has another shape than its result");
  Emitter &emit = c.emit;
  if (quant::QuantizedType quantised = quantisedTypeOf(declared)) {
    std::optional<DType> storage = dtypeOfStorage(quantised);
    DenseElementsAttr kept =
        storage ? asKept(value, *storage) : DenseElementsAttr();
    if (!kept)
      return c.error("its value doesn't have the storage type");
    Value tensor = arith::ConstantOp::create(emit.builder, emit.loc, kept);
    return HloValue{emitDequantised(emit, tensor, quantised),
                    *dtypeOf(quantised)};
  }
  DType dtype = c.resultType();
  DenseElementsAttr kept = asKept(value, dtype);
  if (!kept || value.getElementType() != declared.getElementType())
    return c.error("its value has another element type than its result");
  return HloValue{arith::ConstantOp::create(emit.builder, emit.loc, kept),
                  dtype};
}
