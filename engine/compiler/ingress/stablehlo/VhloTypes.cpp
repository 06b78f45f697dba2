// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VHLO's types.
#include "compiler/ingress/stablehlo/VhloDecoder.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace lh;
using namespace mlir;

/// Signed ones are signless, as in StableHLO's text.
Type VhloDecoder::integerType(unsigned bits, bool isUnsigned) {
  return IntegerType::get(context, bits,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

Type VhloDecoder::functionType() {
  SmallVector<Type> inputs, results;
  if (failed(reader.readTypes(inputs)) || failed(reader.readTypes(results)))
    return {};
  return FunctionType::get(context, inputs, results);
}

Type VhloDecoder::complexType() {
  Type part;
  if (failed(reader.readType(part)))
    return {};
  if (!isa<FloatType>(part))
    return refuse<Type>("a complex type has parts that are no floats");
  return ComplexType::get(part);
}

static bool isShape(ArrayRef<int64_t> shape) {
  return llvm::all_of(shape, [](int64_t size) {
    return size >= 0 || ShapedType::isDynamic(size);
  });
}

Type VhloDecoder::tensorType(bool hasEncoding) {
  Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if ((hasEncoding && failed(reader.readAttribute(encoding))) ||
      failed(reader.readSignedVarInts(shape)) ||
      failed(reader.readType(element)))
    return {};
  if (!isShape(shape) || !TensorType::isValidElementType(element))
    return refuse<Type>("a tensor has no valid type");
  return RankedTensorType::get(shape, element, encoding);
}

Type VhloDecoder::unrankedType() {
  Type element;
  if (failed(reader.readType(element)))
    return {};
  if (!TensorType::isValidElementType(element))
    return refuse<Type>("a tensor has no valid type");
  return UnrankedTensorType::get(element);
}

Type VhloDecoder::bufferType() {
  SmallVector<int64_t> shape;
  Type element;
  if (failed(reader.readSignedVarInts(shape)) ||
      failed(reader.readType(element)))
    return {};
  if (!isShape(shape) || !BaseMemRefType::isValidElementType(element))
    return refuse<Type>("a buffer has no valid type");
  return MemRefType::get(shape, element);
}

Type VhloDecoder::tupleType() {
  SmallVector<Type> types;
  if (failed(reader.readTypes(types)))
    return {};
  return TupleType::get(context, types);
}

Type VhloDecoder::quantisedType(bool perAxis) {
  uint64_t flags = 0, axis = 0;
  Type storage, expressed;
  int64_t low = 0, high = 0;
  SmallVector<double> scales;
  SmallVector<int64_t> zeros;
  auto readScale = [&]() -> FailureOr<double> {
    auto value = reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
    if (failed(value))
      return failure();
    return value->convertToDouble();
  };
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) ||
      failed(reader.readType(expressed)))
    return {};
  auto emitError = [&] { return reader.emitError("a quantised type: "); };
  if (perAxis) {
    if (failed(reader.readVarInt(axis)) ||
        failed(reader.readSignedVarInt(low)) ||
        failed(reader.readSignedVarInt(high)) ||
        failed(reader.readList(scales, readScale)) ||
        failed(reader.readSignedVarInts(zeros)))
      return {};
    return quant::UniformQuantizedPerAxisType::getChecked(
        emitError, static_cast<unsigned>(flags), storage, expressed, scales,
        zeros, static_cast<int32_t>(axis), low, high);
  }
  FailureOr<double> scale = readScale();
  if (failed(scale) || failed(reader.readSignedVarInt(zeros.emplace_back())) ||
      failed(reader.readSignedVarInt(low)) ||
      failed(reader.readSignedVarInt(high)))
    return {};
  return quant::UniformQuantizedType::getChecked(
      emitError, static_cast<unsigned>(flags), storage, expressed, *scale,
      zeros.front(), low, high);
}

/// Integers and floats; null for other codes.
Type VhloDecoder::numberType(uint64_t code) {
  if (code >= 10 && code <= 14)
    return integerType(4u << (code - 10), false);
  if (code >= 15 && code <= 19)
    return integerType(4u << (code - 15), true);
  switch (code) {
  case 0:
    return integerType(1, false);
  case 2:
    return b.getBF16Type();
  case 3:
    return b.getF16Type();
  case 4:
    return b.getF32Type();
  case 5:
    return b.getF64Type();
  case 6:
    return b.getType<Float8E4M3FNType>();
  case 7:
    return b.getType<Float8E5M2Type>();
  case 9:
    return b.getIndexType();
  case 27:
    return b.getType<Float8E4M3FNUZType>();
  case 28:
    return b.getType<Float8E5M2FNUZType>();
  case 29:
    return b.getType<Float8E4M3B11FNUZType>();
  case 31:
    return integerType(2, false);
  case 32:
    return integerType(2, true);
  case 34:
    return b.getTF32Type();
  case 35:
    return b.getType<Float8E4M3Type>();
  case 36:
    return b.getType<Float8E3M4Type>();
  case 37:
    return b.getType<Float4E2M1FNType>();
  case 38:
    return b.getType<Float6E2M3FNType>();
  case 39:
    return b.getType<Float6E3M2FNType>();
  case 40:
    return b.getType<Float8E8M0FNUType>();
  default:
    return {};
  }
}

Type VhloDecoder::type() {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code)))
    return {};
  if (Type number = numberType(code))
    return number;
  switch (code) {
  case 1:
    return complexType();
  case 8:
    return functionType();
  case 20:
  case 21:
    return tensorType(code == 21);
  case 22:
    return OpaqueType::get(b.getStringAttr("stablehlo"), "token");
  case 23:
  case 42:
    return tupleType();
  case 24:
  case 30:
    return quantisedType(code == 30);
  case 25:
    return unrankedType();
  case 26:
    return OpaqueType::get(b.getStringAttr("shape"), "witness");
  case 33:
    return b.getNoneType();
  case 41:
    return bufferType();
  default:
    return refuse<Type>("VHLO has no type " + Twine(code) +
                        " that is known here" + ofNewerFile);
  }
}
