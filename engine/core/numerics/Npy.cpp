// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes NumPy's .npy format.
#include "core/numerics/Npy.h"

#include "core/support/FileSystem.h"

#include "llvm/Support/Endian.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace lh;

static_assert(std::endian::native == std::endian::little,
              "tensors are written as they lie in memory");

static constexpr StringRef magic = "\x93NUMPY";
/// What NumPy itself can hold, and far more than any model needs.
static constexpr size_t maxRank = 64;

bool lh::isNpy(StringRef bytes) { return bytes.starts_with(magic); }

namespace {

struct Header {
  std::string descr;
  bool structured = false; ///< descr was a list of fields
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the header: a Python dictionary literal with the three known keys,
/// each once, in any order.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  /// False with `problem` set when the text is anything else.
  bool parse(Header &header) {
    if (!expect('{'))
      return false;
    while (!peek('}')) {
      std::string key;
      if (!parseString(key) || !expect(':') || !parseEntry(key, header))
        return false;
      if (!peek('}') && !expect(','))
        return false;
    }
    rest = rest.drop_front();
    if (!rest.trim().empty())
      return fail("text after the closing '}'");
    if (seen != 7)
      return fail("one of 'descr', 'fortran_order' and 'shape' is missing");
    return true;
  }

  std::string problem;

private:
  bool fail(const Twine &what) {
    problem = what.str();
    return false;
  }

  bool peek(char c) {
    rest = rest.ltrim();
    return rest.starts_with(StringRef(&c, 1));
  }

  bool expect(char c) {
    if (!peek(c))
      return fail(Twine("'") + StringRef(&c, 1) + "' expected");
    rest = rest.drop_front();
    return true;
  }

  bool parseString(std::string &value) {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return fail("a string in quotes expected");
    size_t end = rest.find(rest[0], 1);
    if (end == StringRef::npos)
      return fail("a string does not end");
    value = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  bool parseEntry(StringRef key, Header &header) {
    if (key == "descr")
      return once(1, key) && parseDescr(header);
    if (key == "fortran_order")
      return once(2, key) && parseBool(header.fortranOrder);
    if (key == "shape")
      return once(4, key) && parseShape(header.shape);
    return fail("unknown key '" + key + "'");
  }

  bool once(unsigned bit, StringRef key) {
    if (seen & bit)
      return fail("'" + key + "' given twice");
    seen |= bit;
    return true;
  }

  bool parseDescr(Header &header) {
    if (!peek('['))
      return parseString(header.descr);
    // A structured type; it is refused, so only its end matters.
    header.structured = true;
    size_t depth = 0;
    for (size_t i = 0; i < rest.size(); ++i) {
      depth += rest[i] == '[';
      depth -= rest[i] == ']';
      if (depth == 0) {
        header.descr = rest.take_front(i + 1).str();
        rest = rest.drop_front(i + 1);
        return true;
      }
    }
    return fail("a list does not end");
  }

  bool parseBool(bool &value) {
    rest = rest.ltrim();
    value = rest.consume_front("True");
    if (value || rest.consume_front("False"))
      return true;
    return fail("'fortran_order' must be True or False");
  }

  bool parseShape(std::vector<int64_t> &shape) {
    if (!expect('('))
      return false;
    while (!peek(')')) {
      int64_t dim = 0;
      if (rest.consumeInteger(10, dim))
        return fail("a dimension in 'shape' must be a 64-bit integer");
      rest.consume_front("L"); // Python 2 wrote long integers so
      if (dim < 0)
        return fail("negative dimension " + Twine(dim) + " in 'shape'");
      shape.push_back(dim);
      if (shape.size() > maxRank)
        return fail("more than " + Twine(maxRank) + " dimensions");
      if (!peek(')') && !expect(','))
        return false;
    }
    rest = rest.drop_front();
    return true;
  }

  StringRef rest;
  unsigned seen = 0;
};

/// An element type as stored.
struct StoredType {
  DType dtype;
  bool bigEndian;
};

/// An element of any type, as far as moving its bytes goes.
template <size_t Size> struct Element { std::byte bytes[Size]; };

} // namespace

static std::optional<StoredType> parseDescr(StringRef descr) {
  bool bigEndian = descr.consume_front(">");
  if (!bigEndian && !descr.consume_front("<") && !descr.consume_front("|"))
    descr.consume_front("=");
  static constexpr std::pair<StringRef, DType> types[] = {
      {"?", DType::Bool},           {"b1", DType::Bool},
      {"i1", DType::Int8},          {"i2", DType::Int16},
      {"i4", DType::Int32},         {"i8", DType::Int64},
      {"u1", DType::UInt8},         {"u2", DType::UInt16},
      {"u4", DType::UInt32},        {"u8", DType::UInt64},
      {"f2", DType::Float16},       {"V2", DType::BFloat16},
      {"f4", DType::Float32},       {"f8", DType::Float64},
      {"bfloat16", DType::BFloat16}};
  for (const auto &[word, dtype] : types)
    if (descr == word)
      return StoredType{dtype, bigEndian};
  return std::nullopt;
}

/// The byte in which NumPy finds an element of a type it lacks.
static StringRef byteDescr(DType dtype) {
  return dtype == DType::Int4 || dtype == DType::Int2 ? "|i1" : "|u1";
}

/// A structure of one field, whose name is the type's.
static std::string fieldDescr(DType dtype) {
  return ("[('" + dtypeName(dtype) + "', '" + byteDescr(dtype) + "')]").str();
}

static bool isField(DType dtype) {
  return isSmallFloat(dtype) || isPacked(dtype);
}

static std::optional<StoredType> parseField(StringRef descr) {
  StringRef name = descr.split("('").second.split("'").first;
  std::optional<DType> dtype = parseDType(name);
  if (!dtype || !isField(*dtype) || descr != fieldDescr(*dtype))
    return std::nullopt;
  return StoredType{*dtype, false};
}

/// The first element that isn't one of the packed types' values.
static std::optional<int64_t> firstOutOfRange(const Tensor &tensor) {
  if (!isPacked(tensor.dtype()))
    return std::nullopt;
  const auto *bytes = tensor.as<uint8_t>();
  for (int64_t i = 0; i < tensor.elementCount(); ++i)
    if (unpackElement(tensor.dtype(), bytes[i]) != bytes[i])
      return i;
  return std::nullopt;
}

static std::string descrOf(DType dtype) {
  if (isField(dtype))
    return fieldDescr(dtype);
  static constexpr const char *words[] = {"|b1", "|i1", "<i2", "<i4", "<i8",
                                          "|u1", "<u2", "<u4", "<u8", "<f2",
                                          "<V2", "<f4", "<f8"};
  return "'" + std::string(words[size_t(dtype)]) + "'";
}

/// Copies Fortran-ordered elements (first index fastest) to row-major order.
template <size_t Size> static void reorder(StringRef from, Tensor &tensor) {
  using Cell = Element<Size>;
  ArrayRef<int64_t> shape = tensor.shape();
  size_t rank = shape.size();
  std::vector<int64_t> strides(rank), index(rank, 0);
  int64_t stride = 1;
  for (size_t d = 0; d < rank; ++d) {
    strides[d] = stride;
    stride *= shape[d];
  }
  int64_t offset = 0;
  for (int64_t i = 0, e = tensor.elementCount(); i < e; ++i) {
    std::memcpy(tensor.as<Cell>() + i, from.data() + size_t(offset) * Size,
                Size);
    for (size_t d = rank; d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape[d])
        break;
      offset -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

template <size_t Size> static void swapBytes(Tensor &tensor) {
  auto *cells = tensor.as<Element<Size>>();
  for (int64_t i = 0, e = tensor.elementCount(); i < e; ++i)
    std::reverse(std::begin(cells[i].bytes), std::end(cells[i].bytes));
}

template <size_t Size>
static void fill(StringRef data, const Header &header, bool bigEndian,
                 Tensor &tensor) {
  if (header.fortranOrder && header.shape.size() > 1)
    reorder<Size>(data, tensor);
  else if (!data.empty())
    std::memcpy(tensor.data(), data.data(), data.size());
  if (bigEndian && Size > 1)
    swapBytes<Size>(tensor);
}

static Tensor makeTensor(StringRef data, const Header &header,
                         StoredType stored) {
  Tensor tensor(stored.dtype, header.shape);
  switch (byteSize(stored.dtype)) {
  case 1:
    fill<1>(data, header, stored.bigEndian, tensor);
    break;
  case 2:
    fill<2>(data, header, stored.bigEndian, tensor);
    break;
  case 4:
    fill<4>(data, header, stored.bigEndian, tensor);
    break;
  default:
    fill<8>(data, header, stored.bigEndian, tensor);
  }
  if (stored.dtype == DType::Bool)
    std::transform(tensor.as<uint8_t>(),
                   tensor.as<uint8_t>() + tensor.elementCount(),
                   tensor.as<uint8_t>(), [](uint8_t b) { return b != 0; });
  return tensor;
}

/// Splits `bytes` into the header's text and what follows it.
static FailureOr<std::pair<StringRef, StringRef>>
splitHeader(StringRef bytes, const SourceSpan &where, DiagnosticSink &sink) {
  if (!isNpy(bytes) || bytes.size() < magic.size() + 4)
    return sink.error(DiagKind::NumericsMalformedNpy, where,
                      "the file ends inside the .npy header");
  unsigned major = uint8_t(bytes[magic.size()]);
  if (major < 1 || major > 3)
    return sink.error(DiagKind::NumericsMalformedNpy, where,
                      ".npy version " + Twine(major) +
                          " is unknown; 1 to 3 are read");
  size_t lengthBytes = major == 1 ? 2 : 4;
  StringRef rest = bytes.drop_front(magic.size() + 2);
  if (rest.size() < lengthBytes)
    return sink.error(DiagKind::NumericsMalformedNpy, where,
                      "the file ends inside the .npy header");
  size_t length = major == 1 ? llvm::support::endian::read16le(rest.data())
                             : llvm::support::endian::read32le(rest.data());
  rest = rest.drop_front(lengthBytes);
  if (rest.size() < length)
    return sink.error(DiagKind::NumericsMalformedNpy, where,
                      "the .npy header says it is " + Twine(length) +
                          " bytes long, but only " + Twine(rest.size()) +
                          " follow");
  return std::pair(rest.take_front(length), rest.drop_front(length));
}

FailureOr<Tensor> lh::readNpy(StringRef bytes, StringRef file,
                              DiagnosticSink &sink) {
  SourceSpan where{file.str()};
  auto parts = splitHeader(bytes, where, sink);
  if (failed(parts))
    return failure();
  auto [text, data] = *parts;
  Header header;
  HeaderParser parser(text);
  if (!parser.parse(header))
    return sink.error(DiagKind::NumericsMalformedNpy, where,
                      "malformed .npy header: " + parser.problem);
  std::optional<StoredType> stored =
      header.structured ? parseField(header.descr) : parseDescr(header.descr);
  if (!stored)
    return sink.error(DiagKind::NumericsUnsupportedType, where,
                      "element type '" + header.descr +
                          "' is not supported; bool, integers of 8 to 64 bits, "
                          "floats of 16 to 64 bits and single fields like "
                          "[('int4', '|i1')] are");
  std::optional<size_t> needed =
      checkedSizeInBytes(stored->dtype, header.shape);
  if (!needed)
    return sink.error(DiagKind::NumericsMalformedNpy, where,
                      "the product of the dimensions in 'shape' overflows");
  if (*needed != data.size())
    return sink.error(DiagKind::NumericsMalformedNpy, where,
                      "the shape and type in the .npy header need " +
                          Twine(*needed) + " bytes of data, but " +
                          Twine(data.size()) + " follow");
  Tensor tensor = makeTensor(data, header, *stored);
  if (std::optional<int64_t> position = firstOutOfRange(tensor))
    return sink.error(DiagKind::NumericsMalformedNpy, where,
                      "byte " + Twine(tensor.as<uint8_t>()[*position]) +
                          " at position " + Twine(*position) + " is no " +
                          dtypeName(stored->dtype));
  return tensor;
}

/// The header in version 1, padded so that the data starts at 64 bytes.
static std::string makeHeader(const Tensor &tensor) {
  std::string shape;
  for (int64_t dim : tensor.shape())
    shape += std::to_string(dim) + ", ";
  if (tensor.shape().size() > 1)
    shape.resize(shape.size() - 2);
  else if (tensor.shape().size() == 1)
    shape.resize(shape.size() - 1); // Python's one-element tuple: (3,)
  std::string text = "{'descr': " + descrOf(tensor.dtype()) +
                     ", 'fortran_order': False, 'shape': (" + shape + "), }";
  size_t prefix = magic.size() + 4;
  size_t padded = (prefix + text.size() + 1 + 63) / 64 * 64;
  text.append(padded - prefix - text.size() - 1, ' ');
  text += '\n';
  std::string header = magic.str() + std::string("\x01\x00", 2);
  header += char(text.size() & 0xff);
  header += char(text.size() >> 8);
  return header + text;
}

std::string lh::npyBytes(const Tensor &tensor) {
  std::string contents = makeHeader(tensor);
  contents.append(reinterpret_cast<const char *>(tensor.data()),
                  tensor.sizeInBytes());
  return contents;
}

LogicalResult lh::writeNpy(StringRef path, const Tensor &tensor,
                           DiagnosticSink &sink) {
  return writeFileAtomically(path, npyBytes(tensor), {path.str()}, sink);
}
