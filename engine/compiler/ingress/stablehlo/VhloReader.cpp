// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VHLO's bytecode: its attributes and types by their codes (VhloBytecode.cpp
// of openxla/stablehlo, v1.20), as builtin ones.
#include "compiler/ingress/stablehlo/VhloReader.h"

#include "compiler/ingress/stablehlo/VhloAttributes.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;
using namespace mlir;

namespace {

/// Decodes one attribute or type. What can't be read gives null, after an
/// error.
class Decoder {
public:
  Decoder(DialectBytecodeReader &reader, MLIRContext *context)
      : reader(reader), context(context), b(context) {}

  Attribute attribute();
  Type type();

private:
  template <size_t N> Attribute word(const char *const (&words)[N]);
  Attribute flag();
  Attribute array();
  Attribute dictionary();
  Attribute floating();
  Attribute integer();
  Attribute text();
  Attribute tensor();
  Attribute typeAttribute();
  Attribute bounds();
  Attribute outputAlias();
  Attribute accuracy();
  Attribute mesh(uint64_t code);

  Type integerType(unsigned bits, bool isUnsigned);
  Type functionType();
  Type complexType();
  Type tensorType(bool hasEncoding);
  Type unrankedType();
  Type bufferType();
  Type tupleType();
  Type quantisedType(bool perAxis);

  template <typename T> T refuse(const Twine &message) {
    reader.emitError(message);
    return T();
  }

  DialectBytecodeReader &reader;
  MLIRContext *context;
  Builder b;
};

} // namespace

static constexpr StringRef newerFile =
    "; the file was written by a newer StableHLO";

template <size_t N> Attribute Decoder::word(const char *const (&words)[N]) {
  uint64_t value = 0;
  if (failed(reader.readVarInt(value)))
    return {};
  if (value >= N || !words[value])
    return refuse<Attribute>("an enumeration of VHLO has the unknown value " +
                             Twine(value) + newerFile);
  return b.getStringAttr(words[value]);
}

Attribute Decoder::flag() {
  uint64_t value = 0;
  if (failed(reader.readVarInt(value)))
    return {};
  return b.getBoolAttr(value != 0);
}

Attribute Decoder::array() {
  SmallVector<Attribute> values;
  if (failed(reader.readAttributes(values)))
    return {};
  return b.getArrayAttr(values);
}

Attribute Decoder::dictionary() {
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

Attribute Decoder::floating() {
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

Attribute Decoder::integer() {
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

Attribute Decoder::text() {
  StringRef value;
  if (failed(reader.readString(value)))
    return {};
  return b.getStringAttr(value);
}

Attribute Decoder::typeAttribute() {
  Type type;
  if (failed(reader.readType(type)))
    return {};
  return TypeAttr::get(type);
}

/// `#stablehlo.bounds`, an encoding of tensors.
Attribute Decoder::bounds() {
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

Attribute Decoder::tensor() {
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

Attribute Decoder::outputAlias() {
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

Attribute Decoder::accuracy() {
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
Attribute Decoder::mesh(uint64_t code) {
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

Attribute Decoder::attribute() {
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
                             " that is known here" + newerFile);
  }
}

/// Signed ones are signless, as in StableHLO's text.
Type Decoder::integerType(unsigned bits, bool isUnsigned) {
  return IntegerType::get(context, bits,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

Type Decoder::functionType() {
  SmallVector<Type> inputs, results;
  if (failed(reader.readTypes(inputs)) || failed(reader.readTypes(results)))
    return {};
  return FunctionType::get(context, inputs, results);
}

Type Decoder::complexType() {
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

Type Decoder::tensorType(bool hasEncoding) {
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

Type Decoder::unrankedType() {
  Type element;
  if (failed(reader.readType(element)))
    return {};
  if (!TensorType::isValidElementType(element))
    return refuse<Type>("a tensor has no valid type");
  return UnrankedTensorType::get(element);
}

Type Decoder::bufferType() {
  SmallVector<int64_t> shape;
  Type element;
  if (failed(reader.readSignedVarInts(shape)) ||
      failed(reader.readType(element)))
    return {};
  if (!isShape(shape) || !BaseMemRefType::isValidElementType(element))
    return refuse<Type>("a buffer has no valid type");
  return MemRefType::get(shape, element);
}

Type Decoder::tupleType() {
  SmallVector<Type> types;
  if (failed(reader.readTypes(types)))
    return {};
  return TupleType::get(context, types);
}

Type Decoder::quantisedType(bool perAxis) {
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

Type Decoder::type() {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (code) {
  case 0:
    return integerType(1, false);
  case 1:
    return complexType();
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
  case 8:
    return functionType();
  case 9:
    return b.getIndexType();
  case 10:
  case 11:
  case 12:
  case 13:
  case 14:
    return integerType(4u << (code - 10), false);
  case 15:
  case 16:
  case 17:
  case 18:
  case 19:
    return integerType(4u << (code - 15), true);
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
  case 33:
    return b.getNoneType();
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
  case 41:
    return bufferType();
  default:
    return refuse<Type>("VHLO has no type " + Twine(code) +
                        " that is known here" + newerFile);
  }
}

namespace {

struct VhloInterface : BytecodeDialectInterface {
  explicit VhloInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    return Decoder(reader, getContext()).attribute();
  }
  Type readType(DialectBytecodeReader &reader) const override {
    return Decoder(reader, getContext()).type();
  }
};

struct VhloDialect : Dialect {
  explicit VhloDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<VhloDialect>()) {
    allowUnknownOperations();
    allowUnknownTypes();
    addInterfaces<VhloInterface>();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() { return "vhlo"; }
};

/// Since StableHLO 0.15 attributes come as properties: one after the other,
/// without their names.
struct VhloProperties
    : BytecodeOpInterface::ExternalModel<VhloProperties, Operation *> {
  static LogicalResult readProperties(DialectBytecodeReader &reader,
                                      OperationState &state);
  void writeProperties(Operation *, DialectBytecodeWriter &) const {}
};

} // namespace

LogicalResult VhloProperties::readProperties(DialectBytecodeReader &reader,
                                             OperationState &state) {
  StringRef name = state.name.stripDialect();
  const VhloAttributes *row =
      llvm::find_if(vhloAttributes(),
                    [&](const VhloAttributes &of) { return of.op == name; });
  if (row == vhloAttributes().end())
    return reader.emitError("the attributes of '")
           << state.name << "' are not known here" << newerFile;
  NamedAttrList fields;
  for (StringRef field : llvm::split(row->names, ' ')) {
    Attribute value;
    if (failed(reader.readAttribute(value)))
      return failure();
    fields.append(field, value);
  }
  state.propertiesAttr = fields.getDictionary(reader.getContext());
  return success();
}

void lh::loadVhlo(MLIRContext &context) {
  if (context.getLoadedDialect<VhloDialect>())
    return;
  context.loadDialect<VhloDialect>();
  for (const VhloAttributes &row : vhloAttributes())
    OperationName(("vhlo." + row.op).str(), &context)
        .attachInterface<VhloProperties>();
}
