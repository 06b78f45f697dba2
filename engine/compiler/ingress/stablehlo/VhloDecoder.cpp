// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VHLO's attributes.
#include "compiler/ingress/stablehlo/VhloDecoder.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace lh;
using namespace mlir;

template <size_t N> Attribute VhloDecoder::word(const char *const (&words)[N]) {
  uint64_t value = 0;
  if (failed(reader.readVarInt(value)))
    return {};
  if (value >= N || !words[value])
    return refuse<Attribute>("an enumeration of VHLO has the unknown value " +
                             Twine(value) + ofNewerFile);
  return b.getStringAttr(words[value]);
}

Attribute VhloDecoder::flag() {
  uint64_t value = 0;
  if (failed(reader.readVarInt(value)))
    return {};
  return b.getBoolAttr(value != 0);
}

Attribute VhloDecoder::array() {
  SmallVector<Attribute> values;
  if (failed(reader.readAttributes(values)))
    return {};
  return b.getArrayAttr(values);
}

Attribute VhloDecoder::dictionary() {
  SmallVector<std::pair<Attribute, Attribute>> pairs;
  auto readOne = [&]() -> FailureOr<std::pair<Attribute, Attribute>> {
    std::pair<Attribute, Attribute> pair;
    if (failed(reader.readAttribute(pair.first)) ||
        failed(reader.readAttribute(pair.second)))
      return failure();
    return pair;
  };
  if (failed(reader.readList(pairs, readOne)))
    return {};
  NamedAttrList fields;
  for (auto [name, value] : pairs)
    if (auto word = dyn_cast<StringAttr>(name))
      fields.set(word, value);
  return fields.getDictionary(context);
}

Attribute VhloDecoder::floating() {
  Type type;
  if (failed(reader.readType(type)))
    return {};
  auto format = dyn_cast<FloatType>(type);
  if (!format)
    return refuse<Attribute>("a float of VHLO has no float type");
  auto value = reader.readAPFloatWithKnownSemantics(format.getFloatSemantics());
  if (failed(value))
    return {};
  return FloatAttr::get(format, *value);
}

Attribute VhloDecoder::integer() {
  Type type;
  if (failed(reader.readType(type)))
    return {};
  if (!type.isIntOrIndex())
    return refuse<Attribute>("an integer of VHLO has no integer type");
  auto value = reader.readAPIntWithKnownWidth(
      type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  if (failed(value))
    return {};
  return IntegerAttr::get(type, *value);
}

Attribute VhloDecoder::text() {
  StringRef value;
  if (failed(reader.readString(value)))
    return {};
  return b.getStringAttr(value);
}

Attribute VhloDecoder::typeAttribute() {
  Type type;
  if (failed(reader.readType(type)))
    return {};
  return TypeAttr::get(type);
}

/// `#stablehlo.bounds`, an encoding of tensors.
Attribute VhloDecoder::bounds() {
  SmallVector<int64_t> values;
  if (failed(reader.readSignedVarInts(values)))
    return {};
  return b.getDictionaryAttr(
      b.getNamedAttr("bounds", b.getDenseI64ArrayAttr(values)));
}

/// Truth values came packed, as a byte each, and as one byte for all, as
/// MLIR's own form of them changed.
static Attribute truthValues(ShapedType type, ArrayRef<char> bytes) {
  auto count = static_cast<size_t>(type.getNumElements());
  if (bytes.size() == 1 && (bytes[0] == char(0xff) || count == 1))
    return DenseElementsAttr::get(type, bytes[0] != 0);
  bool isPacked = bytes.size() != count && bytes.size() == (count + 7) / 8;
  if (!isPacked && bytes.size() != count)
    return {};
  SmallVector<bool> bits(count);
  for (size_t i = 0; i < count; ++i)
    bits[i] = isPacked ? ((bytes[i / 8] >> (i % 8)) & 1) != 0 : bytes[i] != 0;
  return DenseElementsAttr::get(type, bits);
}

Attribute VhloDecoder::tensor() {
  Type type;
  ArrayRef<char> bytes;
  if (failed(reader.readType(type)) || failed(reader.readBlob(bytes)))
    return {};
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return refuse<Attribute>("a constant has no known shape");
  Attribute value;
  if (shaped.getElementType().isInteger(1)) {
    value = truthValues(shaped, bytes);
  } else {
    if (auto quantised =
            dyn_cast<quant::QuantizedType>(shaped.getElementType()))
      shaped = shaped.clone(quantised.getStorageType());
    bool isSplat = false;
    bool fits = shaped.getElementType().isIntOrIndexOrFloat() ||
                isa<ComplexType>(shaped.getElementType());
    if (fits && DenseElementsAttr::isValidRawBuffer(shaped, bytes, isSplat))
      value = DenseElementsAttr::getFromRawBuffer(shaped, bytes);
  }
  return value ? value
               : refuse<Attribute>("the bytes of a constant don't fit its "
                                   "type");
}

Attribute VhloDecoder::outputAlias() {
  SmallVector<int64_t> output, operand;
  int64_t index = 0;
  if (failed(reader.readSignedVarInts(output)) ||
      failed(reader.readSignedVarInt(index)) ||
      failed(reader.readSignedVarInts(operand)))
    return {};
  return b.getArrayAttr({b.getDenseI64ArrayAttr(output),
                         b.getI64IntegerAttr(index),
                         b.getDenseI64ArrayAttr(operand)});
}

Attribute VhloDecoder::accuracy() {
  const llvm::fltSemantics &f64 = APFloat::IEEEdouble();
  auto absolute = reader.readAPFloatWithKnownSemantics(f64);
  if (failed(absolute))
    return {};
  auto relative = reader.readAPFloatWithKnownSemantics(f64);
  int64_t ulps = 0;
  Attribute mode;
  if (failed(relative) || failed(reader.readSignedVarInt(ulps)) ||
      failed(reader.readAttribute(mode)))
    return {};
  return b.getArrayAttr({b.getFloatAttr(b.getF64Type(), *absolute),
                         b.getFloatAttr(b.getF64Type(), *relative),
                         b.getI64IntegerAttr(ulps), mode});
}

/// Of programs for several devices, which the importer refuses.
Attribute VhloDecoder::mesh(uint64_t code) {
  SmallVector<Attribute> parts;
  auto readNumber = [&] {
    int64_t number = 0;
    if (failed(reader.readSignedVarInt(number)))
      return false;
    parts.push_back(b.getI64IntegerAttr(number));
    return true;
  };
  auto readPart = [&] {
    return succeeded(reader.readAttribute(parts.emplace_back()));
  };
  bool isRead = false;
  uint64_t hasMore = 0;
  switch (code) {
  case 21:
    isRead = readNumber() && readNumber();
    break;
  case 23:
    isRead = readPart() && readPart();
    break;
  case 24:
    isRead = readPart() && readNumber();
    break;
  default:
    isRead = readPart() && succeeded(reader.readVarInt(hasMore)) &&
             (hasMore == 0 || readPart());
  }
  return isRead ? b.getArrayAttr(parts) : Attribute();
}

Attribute VhloDecoder::attribute() {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (code) {
  case 1:
    return array();
  case 2:
    return flag();
  case 3:
    return word({"EQ", "NE", "GE", "GT", "LE", "LT"});
  case 4:
    return word({"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"});
  case 5:
    return word({"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                 "API_VERSION_STATUS_RETURNING",
                 "API_VERSION_STATUS_RETURNING_UNIFIED",
                 "API_VERSION_TYPED_FFI"});
  case 6:
    return dictionary();
  case 7:
    return word({"FFT", "IFFT", "RFFT", "IRFFT"});
  case 8:
    return floating();
  case 9:
    return integer();
  case 10:
    return outputAlias();
  case 11:
    return word({"DEFAULT", "HIGH", "HIGHEST"});
  case 12:
    return word({"DEFAULT", "THREE_FRY", "PHILOX"});
  case 13:
    return word({nullptr, "UNIFORM", "NORMAL"});
  case 14:
    return text();
  case 15:
    return tensor();
  case 16:
    return word({"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"});
  case 17:
    return typeAttribute();
  case 18:
    return bounds();
  case 19:
    return word({"DEFAULT", "HIGHEST", "TOLERANCE"});
  case 20:
    return accuracy();
  case 21:
  case 22:
  case 23:
  case 24:
  case 25:
    return mesh(code);
  default:
    return refuse<Attribute>("VHLO has no attribute " + Twine(code) +
                             " that is known here" + ofNewerFile);
  }
}
