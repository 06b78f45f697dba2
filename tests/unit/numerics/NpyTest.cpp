// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npy files: what is read, what is refused, and what is written.
#include "core/numerics/Npy.h"
#include "../TestFolder.h"
#include "TestSupport.h"
#include "core/numerics/TensorFile.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A .npy file with this header text and data.
static std::string npy(StringRef header, StringRef data, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += char(major);
  bytes += '\0';
  size_t lengthBytes = major == 1 ? 2 : 4;
  for (size_t i = 0; i < lengthBytes; ++i)
    bytes += char((header.size() >> (8 * i)) & 0xff);
  return bytes + header.str() + data.str();
}

static std::string npyOf(StringRef descr, StringRef shape, StringRef data,
                         StringRef order = "False") {
  return npy(("{'descr': '" + descr + "', 'fortran_order': " + order +
              ", 'shape': " + shape + ", }\n")
                 .str(),
             data);
}

/// Raw bytes from a literal that may hold zeros.
template <size_t N> static StringRef raw(const char (&literal)[N]) {
  return {literal, N - 1};
}

static Tensor readGoodNpy(StringRef bytes) {
  CollectingSink sink;
  FailureOr<Tensor> tensor = readNpy(bytes, "t.npy", sink);
  REQUIRE(succeeded(tensor));
  REQUIRE(sink.diagnostics().empty());
  return std::move(*tensor);
}

/// Reads what must be refused; returns the kind and checks the place.
static std::string readBadNpy(StringRef bytes) {
  CollectingSink sink;
  REQUIRE(failed(readNpy(bytes, "t.npy", sink)));
  REQUIRE(!sink.diagnostics().empty());
  CHECK(sink.diagnostics()[0].where.file == "t.npy");
  return onlyKind(sink);
}

static std::string messageOfNpy(StringRef bytes) {
  CollectingSink sink;
  REQUIRE(failed(readNpy(bytes, "t.npy", sink)));
  return sink.diagnostics()[0].message;
}

TEST_CASE("a float32 vector is read", "[npy]") {
  Tensor tensor =
      readGoodNpy(npyOf("<f4", "(2,)", raw("\0\0\x80\x3f\0\0\0\xc0")));
  CHECK(tensor.dtype() == DType::Float32);
  CHECK(tensor.shape() == ArrayRef<int64_t>{2});
  CHECK(valuesOf(tensor) == std::vector<double>{1, -2});
}

TEST_CASE("headers of version 2 and 3 are read", "[npy]") {
  StringRef header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}";
  for (int major : {1, 2, 3})
    CHECK(readGoodNpy(npy(header, "\x07", major)).at(0) == 7);
  CHECK(readBadNpy(npy(header, "\x07", 4)) == "numerics-malformed-npy");
  CHECK(readBadNpy(npy(header, "\x07", 0)) == "numerics-malformed-npy");
}

TEST_CASE("a scalar has no dimensions", "[npy]") {
  Tensor tensor = readGoodNpy(npyOf("<i2", "()", raw("\xfe\xff")));
  CHECK(tensor.shape().empty());
  CHECK(tensor.at(0) == -2);
}

TEST_CASE("a tensor without elements has no data", "[npy]") {
  Tensor tensor = readGoodNpy(npyOf("<f8", "(3, 0, 2)", ""));
  CHECK(tensor.shape() == ArrayRef<int64_t>{3, 0, 2});
  CHECK(tensor.elementCount() == 0);
}

TEST_CASE("big-endian elements are swapped", "[npy]") {
  CHECK(readGoodNpy(npyOf(">i2", "(1,)", raw("\x01\x02"))).at(0) == 258);
  CHECK(readGoodNpy(npyOf(">f4", "(1,)", raw("\x3f\x80\0\0"))).at(0) == 1);
  CHECK(readGoodNpy(npyOf(">f8", "(1,)", raw("\x3f\xf0\0\0\0\0\0\0"))).at(0) ==
        1);
}

TEST_CASE("Fortran order becomes row-major", "[npy]") {
  Tensor tensor =
      readGoodNpy(npyOf("|i1", "(2, 3)", raw("\1\2\3\4\5\6"), "True"));
  CHECK(valuesOf(tensor) == std::vector<double>{1, 3, 5, 2, 4, 6});
  Tensor cube =
      readGoodNpy(npyOf(">i2", "(2, 1, 2)", raw("\0\1\0\2\0\3\0\4"), "True"));
  CHECK(valuesOf(cube) == std::vector<double>{1, 3, 2, 4});
  CHECK(readGoodNpy(npyOf("<f4", "(0, 3)", "", "True")).elementCount() == 0);
}

TEST_CASE("every element type has its code", "[npy]") {
  std::pair<const char *, DType> codes[] = {
      {"|b1", DType::Bool},    {"?", DType::Bool},
      {"|i1", DType::Int8},    {"<i2", DType::Int16},
      {"=i4", DType::Int32},   {"<i8", DType::Int64},
      {"|u1", DType::UInt8},   {"<u2", DType::UInt16},
      {"<u4", DType::UInt32},  {"<u8", DType::UInt64},
      {"<f2", DType::Float16}, {"<V2", DType::BFloat16},
      {"<f4", DType::Float32}, {"<f8", DType::Float64}};
  for (auto [code, dtype] : codes) {
    std::string data(byteSize(dtype), '\0');
    CHECK(readGoodNpy(npyOf(code, "(1,)", data)).dtype() == dtype);
  }
}

TEST_CASE("types that NumPy lacks are single fields of bytes", "[npy]") {
  auto file = [](const std::string &descr, StringRef data) {
    return npy("{'descr': " + descr +
                   ", 'fortran_order': False, 'shape': (2,), }",
               data);
  };
  Tensor fours = readGoodNpy(file("[('int4', '|i1')]", raw("\xf8\x07")));
  CHECK(fours.dtype() == DType::Int4);
  CHECK(valuesOf(fours) == std::vector<double>{-8, 7});
  Tensor eights = readGoodNpy(file("[('float8e5m2', '|u1')]", raw("\x3c\x7b")));
  CHECK(eights.dtype() == DType::Float8E5M2);
  CHECK(valuesOf(eights) == std::vector<double>{1, 57344});
  // What no element of the type is, and what says too little.
  CHECK(readBadNpy(file("[('int4', '|i1')]", raw("\x08\x07"))) ==
        "numerics-malformed-npy");
  CHECK(readBadNpy(file("[('uint2', '|u1')]", raw("\x04\x00"))) ==
        "numerics-malformed-npy");
  for (const char *descr : {"'|V1'", "[('int8', '|i1')]", "[('int4', '|u1')]",
                            "[('int4', '|i1'), ('b', '|i1')]"})
    CHECK(readBadNpy(file(descr, raw("\1\1"))) == "numerics-unsupported-type");
}

TEST_CASE("bools are normalised to 0 and 1", "[npy]") {
  Tensor tensor = readGoodNpy(npyOf("|b1", "(3,)", raw("\0\1\xff")));
  CHECK(tensor.as<uint8_t>()[2] == 1);
}

TEST_CASE("element types that no tensor has are refused by name", "[npy]") {
  for (const char *code : {"<c8", "<U4", "|S3", "|O", "<M8[ns]", "<f16", "|V4",
                           "", "<f3", "i", "<<f4"}) {
    CHECK(readBadNpy(npyOf(code, "(0,)", "")) == "numerics-unsupported-type");
    CHECK(StringRef(messageOfNpy(npyOf(code, "(0,)", "")))
              .contains((Twine("'") + code + "'").str()));
  }
  CHECK(readBadNpy(npy("{'descr': [('a', '<f4'), ('b', '<i4', (2,))], "
                       "'fortran_order': False, 'shape': (0,)}",
                       "")) == "numerics-unsupported-type");
}

TEST_CASE("malformed headers are refused", "[npy]") {
  for (const char *header :
       {"", "{", "{}", "[]", "{'descr'}", "{'descr': '<f4'",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': maybe, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1e3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} more",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': ()}",
        "{'descr': [('a', '<f4'), 'fortran_order': False, 'shape': ()}",
        "{'shape': (), 'typo': 3, 'descr': '<f4', 'fortran_order': False}"})
    CHECK(readBadNpy(npy(header, raw("\0\0\0\0"))) == "numerics-malformed-npy");
}

TEST_CASE("shapes that lie are refused before anything is allocated", "[npy]") {
  for (const char *shape :
       {"(2,)", "(0,)", "(-1,)", "(-1, -1)", "(4611686018427387904,)",
        "(4294967296, 4294967296)", "(0, 4294967296, 4294967296)",
        "(99999999999999999999999,)", "(1000000000000,)"})
    CHECK(readBadNpy(npyOf("<f4", shape, raw("\0\0\0\0"))) ==
          "numerics-malformed-npy");
  std::string many = "(";
  for (int i = 0; i < 65; ++i)
    many += "1, ";
  CHECK(readBadNpy(npyOf("<f4", many + ")", raw("\0\0\0\0"))) ==
        "numerics-malformed-npy");
}

TEST_CASE("a header longer than the file is refused", "[npy]") {
  CHECK(messageOfNpy(raw("\x93NUMPY\1\0\xff\xff{'descr'")) ==
        "the .npy header says it is 65535 bytes long, but only 8 follow");
  CHECK(messageOfNpy(raw("\x93NUMPY\2\0\xff\xff\xff\xff")) ==
        "the .npy header says it is 4294967295 bytes long, but only 0 follow");
}

TEST_CASE("a valid file cut at any byte is refused", "[npy]") {
  std::string whole = npyOf("<f4", "(2, 1)", raw("\0\0\x80\x3f\0\0\0\xc0"));
  readGoodNpy(whole);
  for (size_t size = 0; size < whole.size(); ++size)
    REQUIRE(readBadNpy(whole.substr(0, size)) == "numerics-malformed-npy");
  REQUIRE(readBadNpy(whole + "x") == "numerics-malformed-npy");
}

TEST_CASE("a valid file with any byte changed never crashes the reader",
          "[npy]") {
  std::string whole =
      npyOf("<f4", "(2, 1)", raw("\0\0\x80\x3f\0\0\0\xc0"), "True");
  int refused = 0;
  for (size_t i = 0; i < whole.size(); ++i)
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[i] = char(value);
      CollectingSink sink;
      bool bad = failed(readNpy(changed, "t.npy", sink));
      REQUIRE(bad == (sink.errorCount() == 1));
      refused += bad;
    }
  CHECK(refused > 10000);
}

TEST_CASE("what is written is read back", "[npy]") {
  TestFolder folder;
  for (DType dtype : allTypes)
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {3}, {2, 2}, {0, 4}, {1, 1, 1, 1, 2}}) {
      Tensor tensor(dtype, shape);
      for (int64_t i = 0; i < tensor.elementCount(); ++i)
        tensor.set(i, double(i));
      CollectingSink sink;
      std::string path = folder.file("t.npy");
      REQUIRE(succeeded(writeNpy(path, tensor, sink)));
      FailureOr<Tensor> again = readTensorFile(path, sink);
      REQUIRE(succeeded(again));
      CHECK(again->dtype() == dtype);
      CHECK(again->shape() == tensor.shape());
      CHECK(valuesOf(*again) == valuesOf(tensor));
    }
}

TEST_CASE("the data of a written file starts at 64 bytes", "[npy]") {
  TestFolder folder;
  CollectingSink sink;
  std::string path = folder.file("t.npy");
  REQUIRE(succeeded(writeNpy(path, tensorOf(DType::Int8, {1}, {5}), sink)));
  auto buffer = llvm::MemoryBuffer::getFile(path);
  REQUIRE(buffer);
  StringRef bytes = (*buffer)->getBuffer();
  CHECK(bytes.size() == 129);
  CHECK(bytes.contains("'shape': (1,), }"));
  CHECK(bytes[127] == '\n');
}

TEST_CASE("writing where no folder can be is an error", "[npy]") {
  TestFolder folder;
  folder.write("file", "x");
  CollectingSink sink;
  REQUIRE(failed(
      writeNpy(folder.file("file/t.npy"), vectorOf(DType::Int8, {1}), sink)));
  CHECK(onlyKind(sink) == "support-cannot-write");
}

static std::string kindOfFile(const std::string &path) {
  CollectingSink sink;
  REQUIRE(failed(readTensorFile(path, sink)));
  CHECK(sink.diagnostics()[0].where.file == path);
  return onlyKind(sink);
}

TEST_CASE("files are told apart by content, then by extension",
          "[tensor-file]") {
  TestFolder folder;
  folder.write("array.bin", npyOf("|u1", "(1,)", "\x07"));
  CollectingSink sink;
  FailureOr<Tensor> tensor = readTensorFile(folder.file("array.bin"), sink);
  REQUIRE(succeeded(tensor));
  CHECK(tensor->at(0) == 7);

  folder.write("text.npy", "hello");
  CHECK(kindOfFile(folder.file("text.npy")) == "numerics-malformed-npy");
  folder.write("text.pb", "hello");
  CHECK(kindOfFile(folder.file("text.pb")) == "numerics-malformed-pb");
  folder.write("text.txt", "hello");
  CHECK(kindOfFile(folder.file("text.txt")) == "numerics-unknown-format");
  folder.write("empty.npy", "");
  CHECK(kindOfFile(folder.file("empty.npy")) == "numerics-malformed-npy");
}

TEST_CASE("what is no regular file is not read", "[tensor-file]") {
  TestFolder folder;
  CHECK(kindOfFile(folder.file("missing.npy")) == "numerics-file-unreadable");
  CHECK(kindOfFile(folder.file("")) == "numerics-file-unreadable");
  CHECK(kindOfFile("/dev/zero") == "numerics-file-unreadable");
}
