// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads ONNX's TensorProto from untrusted bytes.
#include "core/numerics/TensorProto.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <protozero/pbf_reader.hpp>

#include <bit>
#include <cstring>
#include <limits>

using namespace lh;

namespace {

using protozero::pbf_wire_type;

/// TensorProto's field numbers, as onnx.proto gives them.
enum Field : uint32_t {
  Dims = 1,
  DataType = 2,
  Segment = 3,
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  Name = 8,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  DocString = 12,
  ExternalData = 13,
  DataLocation = 14
};

/// What stands in the message, undecided yet whether it fits together.
struct Fields {
  std::vector<int64_t> shape;
  int32_t dataType = 0;
  std::string name;
  std::optional<StringRef> raw;
  /// Values of the typed fields as bits; `typedField` is the field they came
  /// from.
  std::vector<uint64_t> values;
  uint32_t typedField = 0;
  bool mixedFields = false, external = false, segmented = false;
  /// Field 1 was text: a SequenceProto or OptionalProto has its name there.
  bool dimsLookLikeName = false;
  uint32_t wrongField = 0; ///< a known field with another wire type
};

struct OnnxType {
  StringRef name;
  std::optional<DType> dtype;
  uint32_t typedField;
};

constexpr uint32_t tag(uint32_t field, pbf_wire_type type) {
  return protozero::tag_and_type(field, type);
}

/// Decodes one message. protozero throws on malformed bytes, and asserts when
/// a field is read as another wire type than it has: hence the pairs below.
class Collector {
public:
  explicit Collector(StringRef bytes) : reader(bytes.data(), bytes.size()) {}

  void collect() {
    while (reader.next())
      if (!collectShape() && !collectValue() && !collectContent())
        collectUnknown();
  }

  Fields fields;

private:
  static constexpr auto varint = pbf_wire_type::varint;
  static constexpr auto delimited = pbf_wire_type::length_delimited;

  StringRef view() {
    protozero::data_view data = reader.get_view();
    return {data.data(), data.size()};
  }

  bool collectShape() {
    switch (reader.tag_and_type()) {
    case tag(Dims, varint):
      fields.shape.push_back(reader.get_int64());
      return true;
    case tag(Dims, delimited): {
      StringRef bytes = view();
      fields.dimsLookLikeName = llvm::all_of(bytes, llvm::isPrint);
      protozero::pbf_reader::const_int64_iterator it{
          bytes.data(), bytes.data() + bytes.size()},
          end{bytes.data() + bytes.size(), bytes.data() + bytes.size()};
      for (; it != end; ++it)
        fields.shape.push_back(*it);
      return true;
    }
    case tag(DataType, varint):
      fields.dataType = reader.get_int32();
      return true;
    default:
      return false;
    }
  }

  void add(uint32_t field, uint64_t bits) {
    fields.mixedFields |= fields.typedField && fields.typedField != field;
    fields.typedField = field;
    fields.values.push_back(bits);
  }

  template <typename Range> void addAll(uint32_t field, const Range &range) {
    for (auto value : range) {
      if constexpr (std::is_same_v<decltype(value), float>)
        add(field, std::bit_cast<uint32_t>(value));
      else
        add(field, std::bit_cast<uint64_t>(value));
    }
  }

  bool collectValue() {
    switch (reader.tag_and_type()) {
    case tag(FloatData, pbf_wire_type::fixed32):
      add(FloatData, std::bit_cast<uint32_t>(reader.get_float()));
      return true;
    case tag(FloatData, delimited):
      addAll(FloatData, reader.get_packed_float());
      return true;
    case tag(DoubleData, pbf_wire_type::fixed64):
      add(DoubleData, std::bit_cast<uint64_t>(reader.get_double()));
      return true;
    case tag(DoubleData, delimited):
      addAll(DoubleData, reader.get_packed_double());
      return true;
    case tag(Int32Data, varint):
    case tag(Int64Data, varint):
    case tag(Uint64Data, varint):
      // The three differ in how they are sign-extended, and int32 values are
      // written as 64-bit varints.
      add(reader.tag(), reader.get_uint64());
      return true;
    case tag(Int32Data, delimited):
    case tag(Int64Data, delimited):
    case tag(Uint64Data, delimited): {
      uint32_t field = reader.tag();
      addAll(field, reader.get_packed_uint64());
      return true;
    }
    default:
      return false;
    }
  }

  bool collectContent() {
    switch (reader.tag_and_type()) {
    case tag(Name, delimited):
      fields.name = view().str();
      return true;
    case tag(RawData, delimited):
      fields.raw = view();
      return true;
    case tag(ExternalData, delimited):
      fields.external = true;
      reader.skip();
      return true;
    case tag(DataLocation, varint):
      fields.external |= reader.get_int32() != 0;
      return true;
    case tag(Segment, delimited):
      fields.segmented = true;
      reader.skip();
      return true;
    case tag(StringData, delimited):
    case tag(DocString, delimited):
      reader.skip();
      return true;
    default:
      return false;
    }
  }

  void collectUnknown() {
    if (reader.tag() <= DataLocation && fields.wrongField == 0)
      fields.wrongField = reader.tag();
    reader.skip();
  }

  protozero::pbf_reader reader;
};

/// Turns collected fields into a tensor, or says why not.
class Builder {
public:
  Builder(const Fields &fields, StringRef file, DiagnosticSink &sink)
      : fields(fields), where{file.str()}, sink(sink) {}

  FailureOr<Tensor> build();
  LogicalResult malformed(const Twine &message);

private:
  LogicalResult checkKind(const OnnxType *type);
  FailureOr<Tensor> fromRaw(DType dtype, size_t count);
  FailureOr<Tensor> fromValues(const OnnxType &type, size_t count);
  FailureOr<Tensor> fromPackedValues(const OnnxType &type);
  LogicalResult store(Tensor &tensor, size_t i);

  const Fields &fields;
  SourceSpan where;
  DiagnosticSink &sink;
};

} // namespace

/// ONNX's element types by number; those without a DType are refused by name.
static const OnnxType *findType(int32_t number) {
  static constexpr OnnxType types[] = {
      {"undefined", std::nullopt, 0},
      {"float32", DType::Float32, FloatData},
      {"uint8", DType::UInt8, Int32Data},
      {"int8", DType::Int8, Int32Data},
      {"uint16", DType::UInt16, Int32Data},
      {"int16", DType::Int16, Int32Data},
      {"int32", DType::Int32, Int32Data},
      {"int64", DType::Int64, Int64Data},
      {"string", std::nullopt, StringData},
      {"bool", DType::Bool, Int32Data},
      {"float16", DType::Float16, Int32Data},
      {"float64", DType::Float64, DoubleData},
      {"uint32", DType::UInt32, Uint64Data},
      {"uint64", DType::UInt64, Uint64Data},
      {"complex64", std::nullopt, FloatData},
      {"complex128", std::nullopt, DoubleData},
      {"bfloat16", DType::BFloat16, Int32Data},
      {"float8e4m3fn", DType::Float8E4M3FN, Int32Data},
      {"float8e4m3fnuz", DType::Float8E4M3FNUZ, Int32Data},
      {"float8e5m2", DType::Float8E5M2, Int32Data},
      {"float8e5m2fnuz", DType::Float8E5M2FNUZ, Int32Data},
      {"uint4", DType::UInt4, Int32Data},
      {"int4", DType::Int4, Int32Data},
      {"float4e2m1", DType::Float4E2M1, Int32Data},
      {"float8e8m0", DType::Float8E8M0, Int32Data},
      {"uint2", DType::UInt2, Int32Data},
      {"int2", DType::Int2, Int32Data}};
  if (number < 0 || size_t(number) >= std::size(types))
    return nullptr;
  return &types[number];
}

LogicalResult Builder::malformed(const Twine &message) {
  if (fields.dimsLookLikeName && fields.name.empty() && !fields.raw)
    return sink.error(DiagKind::NumericsUnsupportedType, where,
                      "this .pb file seems to hold a sequence or an optional; "
                      "only tensors are read");
  return sink.error(DiagKind::NumericsMalformedPb, where, message);
}

LogicalResult Builder::checkKind(const OnnxType *type) {
  if (fields.segmented)
    return sink.error(DiagKind::NumericsUnsupportedType, where,
                      "this .pb file holds a sequence or an optional; only "
                      "tensors are read");
  if (fields.wrongField)
    return malformed("field " + Twine(fields.wrongField) +
                     " of the TensorProto has the wrong wire type");
  if (!type || type->name == "undefined")
    return malformed("element type " + Twine(fields.dataType) +
                     " is none of ONNX's");
  if (!type->dtype)
    return sink.error(DiagKind::NumericsUnsupportedType, where,
                      "tensors of " + type->name + " are not supported");
  if (fields.external)
    return sink.error(DiagKind::NumericsExternalData, where,
                      "the tensor's data lies in another file; only a model's "
                      "weights may");
  return success();
}

FailureOr<Tensor> Builder::build() {
  const OnnxType *type = findType(fields.dataType);
  if (failed(checkKind(type)))
    return failure();
  std::optional<size_t> count = checkedSizeInBytes(DType::UInt8, fields.shape);
  if (!count || !checkedSizeInBytes(*type->dtype, fields.shape))
    return malformed("a dimension is negative or their product overflows");
  if (fields.raw && !fields.values.empty())
    return malformed("the tensor has both raw and typed data");
  if (fields.raw)
    return fromRaw(*type->dtype, *count);
  return fromValues(*type, *count);
}

FailureOr<Tensor> Builder::fromRaw(DType dtype, size_t count) {
  size_t bytes = storedBytes(dtype, count);
  if (fields.raw->size() != bytes)
    return malformed("shape and type need " + Twine(bytes) +
                     " bytes, but the raw data has " +
                     Twine(fields.raw->size()));
  Tensor tensor(dtype, fields.shape);
  if (isPacked(dtype))
    unpackElements(dtype, fields.raw->bytes_begin(),
                   {tensor.as<uint8_t>(), count});
  else if (bytes)
    std::memcpy(tensor.data(), fields.raw->data(), bytes);
  if (dtype == DType::Bool)
    for (size_t i = 0; i < bytes; ++i)
      tensor.as<uint8_t>()[i] = tensor.as<uint8_t>()[i] != 0;
  return tensor;
}

FailureOr<Tensor> Builder::fromValues(const OnnxType &type, size_t count) {
  // A value of the typed fields holds as many packed elements as a byte.
  size_t needed =
      isPacked(*type.dtype) ? storedBytes(*type.dtype, count) : count;
  bool wrongField = fields.typedField && fields.typedField != type.typedField;
  if (needed != fields.values.size() || wrongField || fields.mixedFields) {
    if (wrongField || fields.mixedFields)
      return malformed("the values of a " + type.name +
                       " tensor must be in field " + Twine(type.typedField));
    return malformed("the shape needs " + Twine(needed) +
                     " values, but there are " + Twine(fields.values.size()));
  }
  if (isPacked(*type.dtype))
    return fromPackedValues(type);
  Tensor tensor(*type.dtype, fields.shape);
  for (size_t i = 0; i < needed; ++i)
    if (failed(store(tensor, i)))
      return failure();
  return tensor;
}

FailureOr<Tensor> Builder::fromPackedValues(const OnnxType &type) {
  std::vector<uint8_t> packed;
  for (uint64_t value : fields.values) {
    if (value > 255)
      return malformed("value " + Twine(int64_t(value)) +
                       " is no byte of packed " + type.name);
    packed.push_back(uint8_t(value));
  }
  Tensor tensor(*type.dtype, fields.shape);
  unpackElements(*type.dtype, packed.data(),
                 {tensor.as<uint8_t>(), size_t(tensor.elementCount())});
  return tensor;
}

/// Whether the varint `bits` is a value of `T`, written sign-extended or not.
template <typename T> static bool fits(uint64_t bits) {
  auto value = int64_t(bits);
  if constexpr (std::is_signed_v<T>)
    return value >= std::numeric_limits<T>::min() &&
           value <= std::numeric_limits<T>::max();
  return bits <= std::numeric_limits<T>::max();
}

LogicalResult Builder::store(Tensor &tensor, size_t i) {
  uint64_t bits = fields.values[i];
  auto put = [&]<typename T>(T) -> LogicalResult {
    if (!fits<T>(bits))
      return malformed("value " + Twine(int64_t(bits)) + " at position " +
                       Twine(i) + " is no " + dtypeName(tensor.dtype()));
    tensor.as<T>()[i] = T(bits);
    return success();
  };
  if (tensor.dtype() == DType::Bool) {
    tensor.as<uint8_t>()[i] = bits != 0;
    return success();
  }
  assert(!isPacked(tensor.dtype()) && "fromPackedValues() unpacks these");
  return withStorage(tensor.dtype(), [&]<typename T>(T zero) {
    if constexpr (std::is_floating_point_v<T>) // its bits
      return put(std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>());
    else
      return put(zero);
  });
}

FailureOr<NamedTensor> lh::readTensorProto(StringRef bytes, StringRef file,
                                           DiagnosticSink &sink) {
  Collector collector(bytes);
  Builder builder(collector.fields, file, sink);
  try { // protozero's only way to report malformed bytes
    collector.collect();
  } catch (const protozero::exception &error) {
    return builder.malformed(Twine("malformed protobuf message: ") +
                             error.what());
  }
  FailureOr<Tensor> tensor = builder.build();
  if (failed(tensor))
    return failure();
  return NamedTensor{collector.fields.name, std::move(*tensor)};
}
