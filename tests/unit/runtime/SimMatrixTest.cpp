// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's matrix instructions, against the layouts that the PTX ISA prints.
#include "SimTestSupport.h"

#include "runtime/sim/Numbers.h"

#include <catch2/catch.hpp>

#include <functional>
#include <random>

using namespace lh;

namespace {
struct Place {
  unsigned row, column;
};
/// Where element `i` of a fragment of lane `lane` belongs, as the PTX ISA's
/// section on the shape says it, with groupID = lane >> 2 and
/// threadID_in_group = lane % 4.
using Layout = std::function<Place(unsigned lane, unsigned i)>;

struct Shape {
  std::string name; ///< after "llvm.nvvm.mma."
  unsigned m, k, bits;
  Layout a, b;
  std::string argument; ///< the type of a register of A and B
  std::string result;   ///< of C and D
  std::function<uint32_t(int)> encode;
};
constexpr unsigned n = 8, lanes = 32;
} // namespace

static unsigned group(unsigned lane) { return lane >> 2; }
static unsigned inGroup(unsigned lane) { return lane % 4; }

// PTX ISA 8.x, 9.7.14.5.8 "Matrix Fragments for mma.m16n8k16 with floating
// point type": row = groupID for ai where 0 <= i < 2 || 4 <= i < 6, groupID + 8
// otherwise; col = threadID_in_group * 2 + (i & 1) for i < 4, + 8 for i >= 4.
static Place aOf16816(unsigned lane, unsigned i) {
  bool upper = i < 2 || (i >= 4 && i < 6);
  return {group(lane) + (upper ? 0 : 8),
          inGroup(lane) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
static Place bOf16816(unsigned lane, unsigned i) {
  return {inGroup(lane) * 2 + (i & 1) + (i < 2 ? 0 : 8), group(lane)};
}
// "m16n8k8" with f16: row = groupID for i < 2, groupID + 8 for i >= 2.
static Place aOf1688(unsigned lane, unsigned i) {
  return {group(lane) + (i < 2 ? 0 : 8), inGroup(lane) * 2 + (i & 1)};
}
static Place bOf1688(unsigned lane, unsigned i) {
  return {inGroup(lane) * 2 + i, group(lane)};
}
// "m16n8k8" with tf32: a0 (groupID, t), a1 (groupID + 8, t), a2 (groupID,
// t + 4), a3 (groupID + 8, t + 4); b0 (t, groupID), b1 (t + 4, groupID).
static Place aOfTf32(unsigned lane, unsigned i) {
  return {group(lane) + (i == 0 || i == 2 ? 0 : 8),
          inGroup(lane) + (i < 2 ? 0 : 4)};
}
static Place bOfTf32(unsigned lane, unsigned i) {
  return {inGroup(lane) + (i == 0 ? 0 : 4), group(lane)};
}
// "m16n8k16" with .s8: row = groupID for i < 4; col = t * 4 + (i & 3).
static Place aOfByte16(unsigned lane, unsigned i) {
  return {group(lane) + (i < 4 ? 0 : 8), inGroup(lane) * 4 + (i & 3)};
}
static Place bOfByte16(unsigned lane, unsigned i) {
  return {inGroup(lane) * 4 + i, group(lane)};
}
// "m16n8k32" with .s8: row = groupID for 0 <= i < 4 || 8 <= i < 12; col =
// t * 4 + (i & 3), + 16 for i >= 8.
static Place aOfByte32(unsigned lane, unsigned i) {
  bool upper = i < 4 || (i >= 8 && i < 12);
  return {group(lane) + (upper ? 0 : 8),
          inGroup(lane) * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}
static Place bOfByte32(unsigned lane, unsigned i) {
  return {inGroup(lane) * 4 + (i & 3) + (i < 4 ? 0 : 16), group(lane)};
}
// "m8n8k16" with .s8: row = groupID, col = t * 4 + i.
static Place aOfByte8(unsigned lane, unsigned i) {
  return {group(lane), inGroup(lane) * 4 + i};
}
// C and D: row = groupID for i < 2, groupID + 8 otherwise; col = t * 2 +
// (i & 1).
static Place ofC(unsigned lane, unsigned i) {
  return {group(lane) + (i < 2 ? 0 : 8), inGroup(lane) * 2 + (i & 1)};
}

static std::string repeated(StringRef type, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + type.str();
  return text;
}

/// Each lane reads its registers from %in, does the mma, and writes its
/// results to %out.
static std::string mmaKernel(const Shape &shape, unsigned inputs,
                             unsigned results) {
  std::string body = "%lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
                     "%first = mul i32 %lane, " +
                     std::to_string(inputs + results) + "\n";
  std::string arguments;
  for (unsigned i = 0; i < inputs + results; ++i) {
    std::string type = i < inputs ? shape.argument : shape.result;
    std::string at = std::to_string(i);
    body += "%i" + at + " = add i32 %first, " + at + "\n%p" + at +
            " = getelementptr i32, ptr %in, i32 %i" + at + "\n%v" + at +
            " = load " + type + ", ptr %p" + at + "\n";
    arguments += (i ? ", " : "") + type + " %v" + at;
  }
  std::string result = "{" + repeated(shape.result, results) + "}";
  body += "%d = call " + result + " @llvm.nvvm.mma." + shape.name + "(" +
          arguments + ")\n%o = mul i32 %lane, " + std::to_string(results) +
          "\n%q = getelementptr i32, ptr %out, i32 %o\nstore " + result +
          " %d, ptr %q\nret void";
  return nvptxKernel("ptr %in, ptr %out", body);
}

static void checkShape(const Shape &shape) {
  INFO(shape.name);
  std::mt19937 random(1);
  auto draw = [&] { return static_cast<int>(random() % 9) - 4; };
  std::vector<std::vector<int>> a(16, std::vector<int>(64)), b = a, c = a;
  a.resize(64, std::vector<int>(64));
  b = c = a;
  for (auto *matrix : {&a, &b, &c})
    for (auto &row : *matrix)
      for (int &value : row)
        value = draw();
  unsigned per = 32 / shape.bits;
  unsigned ofA = shape.m * shape.k / lanes, ofB = shape.k * n / lanes;
  unsigned results = shape.m * n / lanes;
  unsigned inputs = (ofA + ofB) / per, stride = inputs + results;
  bool integer = shape.result == "i32";
  std::vector<uint32_t> words(lanes * stride);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    uint32_t *registers = &words[lane * stride];
    auto put = [&](unsigned i, int value) {
      registers[i / per] |= shape.encode(value) << (i % per * shape.bits);
    };
    for (unsigned i = 0; i < ofA; ++i)
      put(i, a[shape.a(lane, i).row][shape.a(lane, i).column]);
    for (unsigned i = 0; i < ofB; ++i)
      put(ofA + i, b[shape.b(lane, i).row][shape.b(lane, i).column]);
    for (unsigned i = 0; i < results; ++i) {
      int value = c[ofC(lane, i).row][ofC(lane, i).column];
      registers[inputs + i] =
          integer ? static_cast<uint32_t>(value) : asFloat(value);
    }
  }
  SimFixture fixture(mmaKernel(shape, inputs, results));
  uint32_t *out = fixture.zeros<uint32_t>(lanes * results);
  REQUIRE(fixture.launch(lanes, {fixture.buffer(words), out}) == "");
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned i = 0; i < results; ++i) {
      Place at = ofC(lane, i);
      int sum = c[at.row][at.column];
      for (unsigned k = 0; k < shape.k; ++k)
        sum += a[at.row][k] * b[k][at.column];
      uint32_t seen = out[lane * results + i];
      REQUIRE(seen == (integer ? static_cast<uint32_t>(sum) : asFloat(sum)));
    }
}

TEST_CASE("mma.sync follows the fragments of the PTX ISA", "[sim]") {
  checkShape({"m16n8k16.row.col.f32.f32", 16, 16, 16, aOf16816, bOf16816,
              "<2 x half>", "float", asHalf});
  checkShape({"m16n8k8.row.col.f32.f32", 16, 8, 16, aOf1688, bOf1688,
              "<2 x half>", "float", asHalf});
  checkShape({"m16n8k16.row.col.bf16", 16, 16, 16, aOf16816, bOf16816, "i32",
              "float", asBFloat});
  checkShape({"m16n8k8.row.col.bf16", 16, 8, 16, aOf1688, bOf1688, "i32",
              "float", asBFloat});
  checkShape({"m16n8k8.row.col.tf32", 16, 8, 32, aOfTf32, bOfTf32, "i32",
              "float", asFloat});
  checkShape({"m16n8k16.row.col.s8", 16, 16, 8, aOfByte16, bOfByte16, "i32",
              "i32", asByte});
  checkShape({"m16n8k32.row.col.s8", 16, 32, 8, aOfByte32, bOfByte32, "i32",
              "i32", asByte});
  checkShape({"m8n8k16.row.col.s8", 8, 16, 8, aOfByte8, bOfByte16, "i32", "i32",
              asByte});
}

/// 16 rows of 8 halves are written to shared memory; lane l gives row l.
static std::vector<uint16_t> loadMatrices(StringRef form) {
  std::string text = nvptxKernel(
      "ptr addrspace(1) %in, ptr addrspace(1) %out",
      "%i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "%from = getelementptr [8 x i16], ptr addrspace(1) %in, i32 %i\n"
      "%to = getelementptr [8 x i16], ptr addrspace(3) @s, i32 %i\n"
      "%row = load <8 x i16>, ptr addrspace(1) %from\n"
      "store <8 x i16> %row, ptr addrspace(3) %to\n"
      "call void @llvm.nvvm.bar.warp.sync(i32 -1)\n"
      "%d = call {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned." +
          form +
          ".p3(ptr addrspace(3) %to)\n"
          "%q = getelementptr {i32, i32, i32, i32}, ptr addrspace(1) %out, i32 "
          "%i\n"
          "store {i32, i32, i32, i32} %d, ptr addrspace(1) %q\nret void",
      "@s = internal addrspace(3) global [256 x i16] undef, align 16");
  SimFixture fixture(text);
  std::vector<uint16_t> values(256);
  for (uint16_t i = 0; i < 256; ++i)
    values[i] = i;
  uint16_t *out = fixture.zeros<uint16_t>(256);
  CHECK(fixture.launch(32, {fixture.buffer(values), out}) == "");
  return {out, out + 256};
}

TEST_CASE("ldmatrix gives each lane two elements of a row", "[sim]") {
  // PTX ISA, "ldmatrix": lane l has elements 2 * (l % 4) and the next one of
  // row l / 4 of each matrix; with .trans, of column l / 4.
  auto plain = loadMatrices("m8n8.x4.b16"),
       turned = loadMatrices("m8n8.x4.trans.b16");
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned matrix = 0; matrix < 4; ++matrix)
      for (unsigned i = 0; i < 2; ++i) {
        unsigned at = lane * 8 + matrix * 2 + i, first = matrix * 64;
        CHECK(plain[at] == first + (lane / 4) * 8 + (lane % 4) * 2 + i);
        CHECK(turned[at] == first + ((lane % 4) * 2 + i) * 8 + lane / 4);
      }
}

TEST_CASE("narrow floats convert as their formats say", "[sim]") {
  CHECK(halfToFloat(0x3C00) == 1.0f);
  CHECK(halfToFloat(0x0001) == 0x1p-24f);
  CHECK(floatToHalf(65504.0f) == 0x7BFF);
  CHECK(floatToHalf(65520.0f) == 0x7C00);
  CHECK(floatToHalf(0x1p-25f) == 0); // a tie: to even
  CHECK(floatToHalf(-0x1.8p-24f) == 0x8002);
  for (uint32_t bits = 0; bits < 0x7C00; ++bits)
    REQUIRE(floatToHalf(halfToFloat(static_cast<uint16_t>(bits))) == bits);
  CHECK(floatToBFloat(1.00390625f) == 0x3F80);
  CHECK(e4m3ToFloat(0x7E) == 448.0f);
  CHECK(e5m2ToFloat(0x7B) == 57344.0f);
  CHECK(e4m3ToFloat(0x01) == 0x1p-9f);
}
