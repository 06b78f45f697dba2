// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's .pb tensors: every field form, and what is refused.
#include "core/numerics/TensorProto.h"
#include "TestSupport.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>

using namespace lh;

namespace {

/// Writes protobuf fields, independently of the library that reads them.
class Message {
public:
  Message &number(uint32_t field, uint64_t value) {
    varint(field << 3);
    varint(value);
    return *this;
  }
  Message &text(uint32_t field, StringRef bytes) {
    varint(field << 3 | 2);
    varint(bytes.size());
    buffer += bytes.str();
    return *this;
  }
  Message &single(uint32_t field, float value) {
    varint(field << 3 | 5);
    fixed(std::bit_cast<uint32_t>(value), 4);
    return *this;
  }
  Message &real(uint32_t field, double value) {
    varint(field << 3 | 1);
    fixed(std::bit_cast<uint64_t>(value), 8);
    return *this;
  }
  /// Without a tag: the content of a packed field.
  Message &varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      buffer += char(value | 0x80);
    buffer += char(value);
    return *this;
  }
  Message &fixed(uint64_t bits, int bytes) {
    for (int i = 0; i < bytes; ++i)
      buffer += char(bits >> (8 * i));
    return *this;
  }
  operator StringRef() const { return buffer; }

  std::string buffer;
};

/// ONNX's numbers, as onnx.proto gives them.
enum Onnx : int {
  Float = 1,
  Uint8,
  Int8,
  Uint16,
  Int16,
  Int32,
  Int64,
  String,
  Bool,
  Float16,
  Double,
  Uint32,
  Uint64,
  Complex64,
  Complex128,
  Bfloat16,
  Float8e4m3fn,
  Float8e4m3fnuz,
  Float8e5m2,
  Float8e5m2fnuz,
  Uint4,
  Int4,
  Float4e2m1,
  Float8e8m0,
  Uint2,
  Int2
};

} // namespace

static Message header(Onnx type, std::initializer_list<int64_t> dims) {
  Message message;
  for (int64_t dim : dims)
    message.number(1, uint64_t(dim));
  return message.number(2, type);
}

static NamedTensor readGoodProto(StringRef bytes) {
  CollectingSink sink;
  FailureOr<NamedTensor> tensor = readTensorProto(bytes, "t.pb", sink);
  if (failed(tensor))
    FAIL(sink.diagnostics()[0].message);
  REQUIRE(sink.diagnostics().empty());
  return std::move(*tensor);
}

static std::string readBadProto(StringRef bytes) {
  CollectingSink sink;
  REQUIRE(failed(readTensorProto(bytes, "t.pb", sink)));
  CHECK(sink.diagnostics()[0].where.file == "t.pb");
  return onlyKind(sink);
}

static std::string messageOfProto(StringRef bytes) {
  CollectingSink sink;
  REQUIRE(failed(readTensorProto(bytes, "t.pb", sink)));
  return sink.diagnostics()[0].message;
}

static std::vector<double> valuesIn(StringRef bytes) {
  return valuesOf(readGoodProto(bytes).tensor);
}

TEST_CASE("raw data is taken as it is", "[tensor-proto]") {
  NamedTensor named =
      readGoodProto(header(Int16, {2, 1})
                        .text(8, "x")
                        .text(9, StringRef("\x01\x00\xfe\xff", 4)));
  CHECK(named.name == "x");
  CHECK(named.tensor.dtype() == DType::Int16);
  CHECK(named.tensor.shape() == ArrayRef<int64_t>{2, 1});
  CHECK(valuesOf(named.tensor) == std::vector<double>{1, -2});
  CHECK(valuesIn(header(Bool, {2}).text(9, StringRef("\0\x05", 2))) ==
        std::vector<double>{0, 1});
}

TEST_CASE("dimensions may be packed", "[tensor-proto]") {
  Message dims;
  dims.varint(1).varint(2);
  NamedTensor named =
      readGoodProto(Message().text(1, dims).number(2, Uint8).text(9, "ab"));
  CHECK(named.tensor.shape() == ArrayRef<int64_t>{1, 2});
}

TEST_CASE("typed values may stand alone or packed", "[tensor-proto]") {
  std::vector<double> expected{1.5, -2};
  CHECK(valuesIn(header(Float, {2}).single(4, 1.5f).single(4, -2)) == expected);
  Message packed;
  packed.fixed(std::bit_cast<uint32_t>(1.5f), 4);
  packed.fixed(std::bit_cast<uint32_t>(-2.0f), 4);
  CHECK(valuesIn(header(Float, {2}).text(4, packed)) == expected);
  CHECK(valuesIn(header(Double, {2}).real(10, 1.5).real(10, -2)) == expected);
  Message wide;
  wide.fixed(std::bit_cast<uint64_t>(1.5), 8);
  CHECK(valuesIn(header(Double, {2}).text(10, wide).real(10, -2)) == expected);
}

TEST_CASE("integers of every type come from their field", "[tensor-proto]") {
  for (Onnx type : {Int8, Int16, Int32}) {
    Message packed;
    packed.varint(uint64_t(-3)).varint(100);
    CHECK(valuesIn(header(type, {2}).text(5, packed)) ==
          std::vector<double>{-3, 100});
    CHECK(valuesIn(header(type, {1}).number(5, uint64_t(-3))) ==
          std::vector<double>{-3});
  }
  for (Onnx type : {Uint8, Uint16})
    CHECK(valuesIn(header(type, {1}).number(5, 200)) ==
          std::vector<double>{200});
  CHECK(valuesIn(header(Int64, {1}).number(7, uint64_t(-5))) ==
        std::vector<double>{-5});
  CHECK(valuesIn(header(Uint32, {1}).number(11, 0xffffffff)) ==
        std::vector<double>{0xffffffff});
  NamedTensor largest =
      readGoodProto(header(Uint64, {1}).number(11, ~uint64_t(0)));
  CHECK(largest.tensor.as<uint64_t>()[0] == ~uint64_t(0));
  CHECK(valuesIn(header(Bool, {2}).number(5, 1).number(5, 0)) ==
        std::vector<double>{1, 0});
}

TEST_CASE("16-bit floats are bit patterns in int32_data", "[tensor-proto]") {
  CHECK(valuesIn(header(Float16, {2}).number(5, 0x3c00).number(5, 0xc000)) ==
        std::vector<double>{1, -2});
  CHECK(valuesIn(header(Bfloat16, {1}).number(5, 0x3f80)) ==
        std::vector<double>{1});
}

TEST_CASE("types of eight bits and less come raw, or as bytes in int32_data",
          "[tensor-proto]") {
  using Values = std::vector<double>;
  auto both = [](Onnx type, std::vector<uint8_t> bytes, int64_t count,
                 DType dtype) {
    std::string raw(bytes.begin(), bytes.end());
    NamedTensor tensor = readGoodProto(header(type, {count}).text(9, raw));
    CHECK(tensor.tensor.dtype() == dtype);
    Message typed = header(type, {count});
    for (uint8_t byte : bytes)
      typed.number(5, byte);
    CHECK(valuesIn(typed) == valuesOf(tensor.tensor));
    return valuesOf(tensor.tensor);
  };
  CHECK(both(Float8e4m3fn, {0x38, 0xfe}, 2, DType::Float8E4M3FN) ==
        Values{1, -448});
  CHECK(both(Float8e4m3fnuz, {0x40, 0x7f}, 2, DType::Float8E4M3FNUZ) ==
        Values{1, 240});
  CHECK(both(Float8e5m2, {0x3c, 0x7b}, 2, DType::Float8E5M2) ==
        Values{1, 57344});
  CHECK(both(Float8e5m2fnuz, {0x40, 0xff}, 2, DType::Float8E5M2FNUZ) ==
        Values{1, -57344});
  CHECK(both(Float8e8m0, {0x7f, 0}, 2, DType::Float8E8M0) ==
        Values{1, 0x1p-127});
  CHECK(both(Uint4, {0xf1, 0x02}, 3, DType::UInt4) == Values{1, 15, 2});
  CHECK(both(Int4, {0xf1, 0x08}, 3, DType::Int4) == Values{1, -1, -8});
  CHECK(both(Float4e2m1, {0xf2, 0x07}, 3, DType::Float4E2M1) ==
        Values{1, -6, 6});
  CHECK(both(Uint2, {0xe4, 0x02}, 5, DType::UInt2) == Values{0, 1, 2, 3, 2});
  CHECK(both(Int2, {0xe4, 0x02}, 5, DType::Int2) == Values{0, 1, -2, -1, -2});
}

TEST_CASE("packed elements need their bytes, no more and no less",
          "[tensor-proto]") {
  CHECK(readBadProto(header(Int4, {3}).text(9, "\1")) ==
        "numerics-malformed-pb");
  CHECK(readBadProto(header(Int4, {3}).text(9, "\1\1\1")) ==
        "numerics-malformed-pb");
  CHECK(readBadProto(header(Int4, {3}).number(5, 1)) ==
        "numerics-malformed-pb");
  CHECK(readBadProto(header(Int2, {4}).number(5, 256)) ==
        "numerics-malformed-pb");
  CHECK(readBadProto(header(Float8e5m2, {1}).number(5, 256)) ==
        "numerics-malformed-pb");
}

TEST_CASE("scalars and empty tensors", "[tensor-proto]") {
  CHECK(valuesIn(header(Int64, {}).number(7, 9)) == std::vector<double>{9});
  CHECK(readGoodProto(header(Float, {0, 3})).tensor.elementCount() == 0);
  CHECK(readGoodProto(header(Float, {0}).text(9, "")).tensor.elementCount() ==
        0);
}

TEST_CASE("fields of later versions are skipped", "[tensor-proto]") {
  CHECK(valuesIn(header(Uint8, {1}).text(99, "later").text(9, "a")) ==
        std::vector<double>{'a'});
}

TEST_CASE("unsupported element types are refused by name", "[tensor-proto]") {
  CHECK(readBadProto(header(String, {1}).text(6, "hello")) ==
        "numerics-unsupported-type");
  CHECK(messageOfProto(header(String, {1}).text(6, "hello")) ==
        "tensors of string are not supported");
  CHECK(messageOfProto(header(Complex64, {0})) ==
        "tensors of complex64 are not supported");
  CHECK(readBadProto(header(Onnx(99), {0})) == "numerics-malformed-pb");
  CHECK(readBadProto(header(Onnx(0), {0})) == "numerics-malformed-pb");
}

TEST_CASE("sequences and optionals are refused as such", "[tensor-proto]") {
  Message tensor = header(Float, {1}).single(4, 1);
  Message sequence;
  sequence.text(1, "sequence").number(2, 1).text(3, tensor).text(3, tensor);
  CHECK(readBadProto(sequence) == "numerics-unsupported-type");
  CHECK(
      StringRef(messageOfProto(sequence)).contains("sequence or an optional"));
  // Nested, so that the elements stand where int32_data would.
  Message nested;
  nested.text(1, "optional_input").number(2, 3).text(5, sequence);
  CHECK(readBadProto(nested) == "numerics-unsupported-type");
  Message empty;
  empty.text(1, "sequence").number(2, 1);
  CHECK(readBadProto(empty) == "numerics-unsupported-type");
}

TEST_CASE("external data is refused here", "[tensor-proto]") {
  Message entry;
  entry.text(1, "location").text(2, "../../secret");
  CHECK(readBadProto(header(Float, {1}).text(13, entry).number(14, 1)) ==
        "numerics-external-data");
}

TEST_CASE("a .pb file's lying shapes are refused before anything is allocated",
          "[tensor-proto]") {
  constexpr int64_t huge = int64_t(1) << 62;
  std::initializer_list<int64_t> shapes[] = {
      {2}, {0}, {-1}, {-1, -4}, {huge}, {huge, huge}, {0, huge, huge}};
  for (const auto &shape : shapes) {
    CHECK(readBadProto(header(Float, shape).text(9, "abcd")) ==
          "numerics-malformed-pb");
    CHECK(readBadProto(header(Float, shape).single(4, 1)) ==
          "numerics-malformed-pb");
  }
}

TEST_CASE("values that don't fit their type are refused", "[tensor-proto]") {
  CHECK(readBadProto(header(Int8, {1}).number(5, 128)) ==
        "numerics-malformed-pb");
  CHECK(readBadProto(header(Uint8, {1}).number(5, uint64_t(-1))) ==
        "numerics-malformed-pb");
  CHECK(readBadProto(header(Float16, {1}).number(5, 0x10000)) ==
        "numerics-malformed-pb");
  CHECK(readBadProto(header(Uint32, {1}).number(11, uint64_t(1) << 32)) ==
        "numerics-malformed-pb");
}

TEST_CASE("values in the wrong field, or in two, are refused",
          "[tensor-proto]") {
  CHECK(readBadProto(header(Float, {1}).number(5, 1)) ==
        "numerics-malformed-pb");
  CHECK(readBadProto(header(Int32, {2}).number(5, 1).number(7, 1)) ==
        "numerics-malformed-pb");
  CHECK(readBadProto(header(Uint8, {1}).text(9, "a").number(5, 1)) ==
        "numerics-malformed-pb");
}

TEST_CASE("known fields with the wrong wire type are refused",
          "[tensor-proto]") {
  CHECK(readBadProto(Message().number(9, 1)) == "numerics-malformed-pb");
  CHECK(readBadProto(header(Float, {1}).real(4, 1)) == "numerics-malformed-pb");
  CHECK(readBadProto(Message().text(2, "x")) == "numerics-malformed-pb");
}

/// Reads without expecting anything but one error or none.
static bool survives(StringRef bytes) {
  CollectingSink sink;
  bool bad = failed(readTensorProto(bytes, "t.pb", sink));
  return bad == (sink.diagnostics().size() == 1);
}

TEST_CASE("valid messages cut at any byte are refused", "[tensor-proto]") {
  Message packed;
  packed.varint(300).varint(uint64_t(-1));
  const std::string wholes[] = {
      header(Float, {1, 2}).text(8, "name").text(9, "abcdefgh").buffer,
      header(Int64, {2}).text(7, packed).buffer,
      header(Float, {2}).single(4, 1).single(4, 2).buffer,
      header(Double, {1}).real(10, 1).buffer};
  for (const std::string &whole : wholes) {
    readGoodProto(whole);
    for (size_t size = 0; size < whole.size(); ++size)
      REQUIRE(readBadProto(whole.substr(0, size)) == "numerics-malformed-pb");
  }
}

TEST_CASE("a valid message with any byte changed never crashes the reader",
          "[tensor-proto]") {
  Message packed;
  packed.varint(300).varint(uint64_t(-1));
  for (const std::string &whole :
       {header(Float, {1, 2}).text(8, "name").text(9, "abcdefgh").buffer,
        header(Int64, {2}).text(7, packed).number(14, 0).buffer})
    for (size_t i = 0; i < whole.size(); ++i)
      for (int value = 0; value < 256; ++value) {
        std::string changed = whole;
        changed[i] = char(value);
        REQUIRE(survives(changed));
      }
}
