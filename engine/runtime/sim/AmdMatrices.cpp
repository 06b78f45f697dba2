// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD, "CDNA3 ISA", section 7, and "RDNA3 ISA", section 7.9.
#include "runtime/sim/AmdMatrices.h"

#include "runtime/sim/Block.h"
#include "runtime/sim/MatrixElements.h"

using namespace lh;

using Reach = SimOperation::Reach;
using Element = MatrixElement;

static constexpr unsigned mfmaLanes = 64;

namespace {
struct MfmaType {
  Element a, b, d;
  unsigned perLane; ///< elements of the narrowest instructions of this type
};
} // namespace

/// "f16" of "16x16x16f16", "fp8.bf8" of "16x16x32.fp8.bf8".
static std::optional<MfmaType> findMfmaType(StringRef text) {
  using E = Element;
  constexpr struct {
    StringRef name;
    MfmaType type;
  } types[] = {{"f32", {E::F32, E::F32, E::F32, 1}},
               {"f16", {E::F16, E::F16, E::F32, 4}},
               {".f16", {E::F16, E::F16, E::F32, 8}},
               {"bf16", {E::BF16, E::BF16, E::F32, 2}},
               {"bf16.1k", {E::BF16, E::BF16, E::F32, 4}},
               {".bf16", {E::BF16, E::BF16, E::F32, 8}},
               {".xf32", {E::TF32, E::TF32, E::F32, 2}},
               {"i8", {E::S8, E::S8, E::S32, 4}},
               {".i8", {E::S8, E::S8, E::S32, 8}},
               {".fp8.fp8", {E::E4M3, E::E4M3, E::F32, 8}},
               {".fp8.bf8", {E::E4M3, E::E5M2, E::F32, 8}},
               {".bf8.fp8", {E::E5M2, E::E4M3, E::F32, 8}},
               {".bf8.bf8", {E::E5M2, E::E5M2, E::F32, 8}}};
  for (const auto &known : types)
    if (text == known.name)
      return known.type;
  return std::nullopt;
}

template <typename T>
static void multiplyBlocks(const SimGathering &wave, const MfmaShape &shape,
                           const MfmaType &type) {
  std::vector<T> a(shape.blocks * shape.m * shape.k),
      b(shape.blocks * shape.n * shape.k);
  for (unsigned lane = 0; lane < mfmaLanes; ++lane)
    for (unsigned i = 0; i < shape.perLane; ++i) {
      BlockedPlace at = shape.placeOfA(lane, i);
      size_t place = (at.block * shape.m + at.row) * shape.k + at.column;
      a[place] = readElement<T>(type.a, wave.call(lane).at(0), i);
      b[place] = readElement<T>(type.b, wave.call(lane).at(1), i);
    }
  unsigned results = shape.m * shape.n * shape.blocks / mfmaLanes;
  for (unsigned lane = 0; lane < mfmaLanes; ++lane)
    for (unsigned i = 0; i < results; ++i) {
      BlockedPlace at = shape.placeOfD(lane, i);
      T sum = readElement<T>(type.d, wave.call(lane).at(2), i);
      const T *row = &a[(at.block * shape.m + at.row) * shape.k];
      const T *column = &b[(at.block * shape.n + at.column) * shape.k];
      for (unsigned k = 0; k < shape.k; ++k)
        sum += row[k] * column[k];
      writeElement<T>(type.d, wave.call(lane).result(), i, sum);
    }
}

/// Blocks can be broadcast and lanes permuted by the last three arguments.
static bool isPlain(const SimGathering &wave) {
  SimCall call = wave.call(0);
  for (size_t i = 3; i < call.argumentCount(); ++i)
    if (call.get<uint32_t>(i) != 0) {
      wave.block.fail(DiagKind::BackendNotSimulated, wave.lanes[0], call.site,
                      "an MFMA that broadcasts or permutes (cbsz, abid or blgp "
                      "isn't 0)");
      return false;
    }
  return true;
}

/// "f32.16x16x16f16", "i32.16x16x32.i8".
static std::optional<SimOperation> findMfma(StringRef text) {
  MfmaShape shape;
  if ((!text.consume_front("f32.") && !text.consume_front("i32.")) ||
      text.consumeInteger(10, shape.m) || !text.consume_front("x") ||
      text.consumeInteger(10, shape.n) || !text.consume_front("x") ||
      text.consumeInteger(10, shape.k))
    return std::nullopt;
  auto type = findMfmaType(text);
  if (!type || shape.m != shape.n ||
      !(shape.m == 4 || shape.m == 16 || shape.m == 32))
    return std::nullopt;
  shape.blocks = std::max(1u, mfmaLanes * type->perLane / (shape.m * shape.k));
  shape.perLane = shape.m * shape.k * shape.blocks / mfmaLanes;
  return SimOperation::of(Reach::Warp,
                          [=, type = *type](const SimGathering &wave) {
                            if (!isPlain(wave))
                              return;
                            if (isInteger(type.d))
                              multiplyBlocks<int64_t>(wave, shape, type);
                            else
                              multiplyBlocks<float>(wave, shape, type);
                          });
}

namespace {
/// 16 x 16 x 16 (or x 32, of 4 bits). RDNA3: both halves of a wave hold all of
/// A and B; RDNA4: each holds half of k.
struct WmmaShape {
  Element a = Element::F16, b = Element::F16, d = Element::F32;
  bool halves = false; ///< each half of the wave has its own part of k
  unsigned argumentA = 0, argumentB = 1, argumentC = 2;
  static constexpr unsigned size = 16;
};

template <typename T> struct WmmaTiles {
  T a[16][16], b[16][16]; ///< [row or column][k]
};
} // namespace

/// False: the halves of the wave disagree, where they must not.
template <typename T>
static bool readWmma(const SimGathering &wave, const WmmaShape &shape,
                     WmmaTiles<T> &tiles) {
  constexpr unsigned size = WmmaShape::size;
  unsigned perLane = shape.halves ? size * size / wave.size() : size;
  for (unsigned lane = 0; lane < wave.size(); ++lane)
    for (unsigned i = 0; i < perLane; ++i) {
      unsigned k = shape.halves ? lane / size * perLane + i : i;
      SimCall call = wave.call(lane);
      T a = readElement<T>(shape.a, call.at(shape.argumentA), i);
      T b = readElement<T>(shape.b, call.at(shape.argumentB), i);
      T &knownA = tiles.a[lane % size][k], &knownB = tiles.b[lane % size][k];
      bool again = !shape.halves && lane >= size;
      auto differ = [](T x, T y) { return x != y && (x == x || y == y); };
      if (again && (differ(knownA, a) || differ(knownB, b))) {
        wave.block.fail(DiagKind::BackendDeviceFault, wave.lanes[lane],
                        call.site,
                        "lane " + Twine(lane) + " must hold what lane " +
                            Twine(lane % size) + " holds of A and B");
        return false;
      }
      knownA = a;
      knownB = b;
    }
  return true;
}

/// Row of element `i` of C and D.
static unsigned wmmaRow(const SimGathering &wave, const WmmaShape &shape,
                        unsigned lane, unsigned i) {
  unsigned groups = wave.size() / WmmaShape::size;
  return shape.halves ? lane / WmmaShape::size * (WmmaShape::size / groups) + i
                      : groups * i + lane / WmmaShape::size;
}

template <typename T>
static void multiplyWmma(const SimGathering &wave, const WmmaShape &shape) {
  constexpr unsigned size = WmmaShape::size;
  WmmaTiles<T> tiles = {};
  if (!readWmma(wave, shape, tiles))
    return;
  // Results of 16 bits on RDNA3 lie in every second half of a register.
  bool spread = bitsOf(shape.d) == 16 && !shape.halves;
  for (unsigned lane = 0; lane < wave.size(); ++lane) {
    SimCall call = wave.call(lane);
    unsigned upper = spread ? call.get<uint8_t>(shape.argumentC + 1) & 1 : 0;
    if (spread)
      std::memcpy(call.result(), call.at(shape.argumentC), 32);
    for (unsigned i = 0; i < size * size / wave.size(); ++i) {
      unsigned at = spread ? 2 * i + upper : i;
      T sum = readElement<T>(shape.d, call.at(shape.argumentC), at);
      unsigned row = wmmaRow(wave, shape, lane, i);
      for (unsigned k = 0; k < size; ++k)
        sum += tiles.a[row][k] * tiles.b[lane % size][k];
      writeElement<T>(shape.d, call.result(), at, sum);
    }
  }
}

/// llvm.amdgcn.wmma.i32.16x16x16.iu8(i1 signed A, A, i1 signed B, B, C, i1).
static SimOperation integerWmma(bool halves) {
  return SimOperation::of(Reach::Warp, [=](const SimGathering &wave) {
    SimCall call = wave.call(0);
    WmmaShape shape;
    shape.a = call.get<uint8_t>(0) & 1 ? Element::S8 : Element::U8;
    shape.b = call.get<uint8_t>(2) & 1 ? Element::S8 : Element::U8;
    shape.d = Element::S32;
    shape.halves = halves;
    shape.argumentA = 1;
    shape.argumentB = 3;
    shape.argumentC = 4;
    multiplyWmma<int64_t>(wave, shape);
  });
}

static std::optional<SimOperation> findWmma(StringRef text,
                                            const SimChip &chip) {
  WmmaShape shape;
  shape.halves = chip.version >= 0x1200;
  if (text.starts_with("i32.16x16x16.iu8"))
    return integerWmma(shape.halves);
  constexpr struct {
    StringRef name;
    Element in, out;
  } forms[] = {{"f32.16x16x16.f16", Element::F16, Element::F32},
               {"f32.16x16x16.bf16", Element::BF16, Element::F32},
               {"f16.16x16x16.f16", Element::F16, Element::F16},
               {"bf16.16x16x16.bf16", Element::BF16, Element::BF16}};
  for (const auto &form : forms)
    if (text.starts_with(form.name)) {
      shape.a = shape.b = form.in;
      shape.d = form.out;
      return SimOperation::of(Reach::Warp, [shape](const SimGathering &wave) {
        multiplyWmma<float>(wave, shape);
      });
    }
  return std::nullopt;
}

std::optional<SimOperation> lh::findAmdMatrix(const SimOperationName &name,
                                              const SimChip &chip) {
  StringRef text = name.name;
  if (chip.isNvidia() || !text.consume_front("llvm.amdgcn."))
    return std::nullopt;
  bool cdna = chip.version >= 0x908 && chip.version < 0x1000;
  if (cdna && text.consume_front("mfma."))
    return findMfma(text);
  if (chip.version >= 0x1100 && text.consume_front("wmma."))
    return findWmma(text, chip);
  return std::nullopt;
}
