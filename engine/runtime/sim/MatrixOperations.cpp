// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".
#include "runtime/sim/OperationFamilies.h"

#include "runtime/sim/Block.h"
#include "runtime/sim/MatrixElements.h"
#include "runtime/sim/MatrixLayout.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

using Reach = SimOperation::Reach;

static constexpr unsigned matrixRows = 8, rowBytes = 16;

/// PTX ISA, "ldmatrix": lane 8 j + r has the address of row r of matrix j;
/// lane l gets elements 2 (l % 4) and the next of row l / 4, or, transposed,
/// of column l / 4.
static SimOperation loadMatrices(unsigned count, bool transposed) {
  return SimOperation::of(Reach::Warp, [=](const SimGathering &lanes) {
    uint16_t rows[4][matrixRows][matrixRows];
    for (unsigned lane = 0; lane < count * matrixRows; ++lane) {
      SimThread &thread = *lanes.lanes[lane];
      const char *row = lanes.get<const char *>(lane, 0);
      const SimSite &site = *thread.call.site;
      if (!lanes.block.isAligned(thread, site, row, rowBytes) ||
          !lanes.block.touch(thread, site, row, rowBytes, SimTouch::Read))
        return;
      std::memcpy(rows[lane / matrixRows][lane % matrixRows], row, rowBytes);
    }
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      for (unsigned matrix = 0; matrix < count; ++matrix)
        for (unsigned i = 0; i < 2; ++i) {
          unsigned along = lane % 4 * 2 + i, across = lane / 4;
          lanes.put(lane,
                    transposed ? rows[matrix][along][across]
                               : rows[matrix][across][along],
                    matrix * 4 + i * 2);
        }
  });
}

/// PTX ISA, "stmatrix": the same, the other way.
static SimOperation storeMatrices(unsigned count, bool transposed) {
  return SimOperation::of(Reach::Warp, [=](const SimGathering &lanes) {
    uint16_t rows[4][matrixRows][matrixRows];
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      for (unsigned matrix = 0; matrix < count; ++matrix)
        for (unsigned i = 0; i < 2; ++i) {
          unsigned along = lane % 4 * 2 + i, across = lane / 4;
          (transposed ? rows[matrix][along][across]
                      : rows[matrix][across][along]) =
              lanes.get<uint16_t>(lane, 1 + matrix, i * 2);
        }
    for (unsigned lane = 0; lane < count * matrixRows; ++lane) {
      SimThread &thread = *lanes.lanes[lane];
      char *row = lanes.get<char *>(lane, 0);
      const SimSite &site = *thread.call.site;
      if (!lanes.block.isAligned(thread, site, row, rowBytes) ||
          !lanes.block.touch(thread, site, row, rowBytes, SimTouch::Write))
        return;
      std::memcpy(row, rows[lane / matrixRows][lane % matrixRows], rowBytes);
    }
  });
}

static std::optional<SimOperation> findMove(StringRef text, bool load) {
  if (!text.consume_front("sync.aligned.m8n8.x"))
    return std::nullopt;
  unsigned count = 0;
  if (text.consumeInteger(10, count) ||
      !(count == 1 || count == 2 || count == 4))
    return std::nullopt;
  bool transposed = text.consume_front(".trans");
  if (!text.starts_with(".b16"))
    return std::nullopt;
  return load ? loadMatrices(count, transposed)
              : storeMatrices(count, transposed);
}

namespace {
/// What one mma multiplies.
struct MmaShape {
  unsigned m = 0, n = 0, k = 0;
  MatrixElement a = MatrixElement::F16, b = MatrixElement::F16;
  MatrixElement c = MatrixElement::F32, d = MatrixElement::F32;
  bool saturates = false;
  enum class Bits { None, And, Xor } bits = Bits::None;

  /// Elements of one lane.
  unsigned ofA() const { return m * k / warpLanes; }
  unsigned ofB() const { return k * n / warpLanes; }
  unsigned ofC() const { return m * n / warpLanes; }
};

constexpr unsigned mostRows = 16, mostColumns = 8, deepest = 256;

template <typename T> struct MmaTiles {
  T a[mostRows][deepest], b[deepest][mostColumns], c[mostRows][mostColumns];
};
} // namespace

/// Calls visit(lane, index, argument, byte or bit offset) for each element of a
/// fragment that begins at argument `first`.
template <typename Visit>
static void forFragment(MatrixElement type, unsigned elements, unsigned first,
                        Visit visit) {
  unsigned per = elementsPerRegister(type);
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    for (unsigned i = 0; i < elements; ++i)
      visit(lane, i, first + i / per, i % per);
}

static unsigned registersOf(MatrixElement type, unsigned elements) {
  unsigned per = elementsPerRegister(type);
  return (elements + per - 1) / per;
}

template <typename T>
static void readTiles(const SimGathering &lanes, const MmaShape &shape,
                      MmaTiles<T> &tiles) {
  unsigned firstB = registersOf(shape.a, shape.ofA());
  unsigned firstC = firstB + registersOf(shape.b, shape.ofB());
  forFragment(shape.a, shape.ofA(), 0,
              [&](unsigned lane, unsigned i, unsigned argument, unsigned at) {
                MatrixPlace place =
                    mmaPlaceOfA(shape.m, elementsPerRegister(shape.a), lane, i);
                tiles.a[place.row][place.column] =
                    readElement<T>(shape.a, lanes.call(lane).at(argument), at);
              });
  forFragment(shape.b, shape.ofB(), firstB,
              [&](unsigned lane, unsigned i, unsigned argument, unsigned at) {
                MatrixPlace place =
                    mmaPlaceOfB(elementsPerRegister(shape.b), lane, i);
                tiles.b[place.row][place.column] =
                    readElement<T>(shape.b, lanes.call(lane).at(argument), at);
              });
  forFragment(shape.c, shape.ofC(), firstC,
              [&](unsigned lane, unsigned i, unsigned argument, unsigned at) {
                MatrixPlace place = mmaPlaceOfC(lane, i);
                tiles.c[place.row][place.column] =
                    readElement<T>(shape.c, lanes.call(lane).at(argument), at);
              });
}

template <typename T>
static void multiply(const MmaShape &shape, MmaTiles<T> &tiles) {
  for (unsigned row = 0; row < shape.m; ++row)
    for (unsigned k = 0; k < shape.k; ++k)
      for (unsigned column = 0; column < mostColumns; ++column)
        tiles.c[row][column] += tiles.a[row][k] * tiles.b[k][column];
}

/// Counts the bits that are set in both, or in one of both.
static void multiplyBits(const MmaShape &shape, MmaTiles<int64_t> &tiles) {
  bool both = shape.bits == MmaShape::Bits::And;
  for (unsigned row = 0; row < shape.m; ++row)
    for (unsigned k = 0; k < shape.k; ++k)
      for (unsigned column = 0; column < mostColumns; ++column)
        tiles.c[row][column] += both ? tiles.a[row][k] & tiles.b[k][column]
                                     : tiles.a[row][k] ^ tiles.b[k][column];
}

static void finishIntegers(const MmaShape &shape, MmaTiles<int64_t> &tiles) {
  for (auto &row : tiles.c)
    for (int64_t &value : row)
      if (shape.saturates)
        value = std::clamp<int64_t>(value, INT32_MIN, INT32_MAX);
}

template <typename T> static SimOperation multiplyAs(const MmaShape &shape) {
  return SimOperation::of(Reach::Warp, [=](const SimGathering &lanes) {
    MmaTiles<T> tiles = {};
    readTiles(lanes, shape, tiles);
    if constexpr (std::is_same_v<T, int64_t>) {
      if (shape.bits == MmaShape::Bits::None)
        multiply(shape, tiles);
      else
        multiplyBits(shape, tiles);
      finishIntegers(shape, tiles);
    } else {
      multiply(shape, tiles);
    }
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      for (unsigned i = 0; i < shape.ofC(); ++i) {
        MatrixPlace place = mmaPlaceOfC(lane, i);
        writeElement<T>(shape.d, lanes.call(lane).result(), i,
                        tiles.c[place.row][place.column]);
      }
  });
}

/// The types at the end of an intrinsic's name: "f32.f32" are those of D and C
/// of an mma of f16; all others name A, and B where that differs.
static bool readTypes(StringRef text, MmaShape &shape) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, '.');
  std::vector<MatrixElement> types;
  for (StringRef part : parts)
    if (auto type = findMatrixElement(part))
      types.push_back(*type);
    else
      return false;
  using E = MatrixElement;
  auto isResult = [](E type) { return type == E::F16 || type == E::F32; };
  if (types.size() == 2 && isResult(types[0]) && isResult(types[1])) {
    shape.d = types[0];
    shape.c = types[1];
    return true;
  }
  if (types.size() == 4 && isResult(types[0]) && isResult(types[3])) {
    shape.d = types[0];
    shape.a = types[1];
    shape.b = types[2];
    shape.c = types[3];
    return true;
  }
  if (types.empty() || types.size() > 2 || isResult(types[0]))
    return false;
  shape.a = types[0];
  shape.b = types.back();
  shape.c = shape.d = isInteger(shape.a)  ? E::S32
                      : shape.a == E::F64 ? E::F64
                                          : E::F32;
  return true;
}

static std::optional<SimOperation> findMma(StringRef text) {
  MmaShape shape;
  if (text.consume_front("and.popc."))
    shape.bits = MmaShape::Bits::And;
  else if (text.consume_front("xor.popc."))
    shape.bits = MmaShape::Bits::Xor;
  if (!text.consume_front("m") || text.consumeInteger(10, shape.m) ||
      !text.consume_front("n") || text.consumeInteger(10, shape.n) ||
      !text.consume_front("k") || text.consumeInteger(10, shape.k) ||
      !text.consume_front(".row.col."))
    return std::nullopt;
  shape.saturates = text.consume_front("satfinite.");
  if (!readTypes(text, shape) || shape.n != mostColumns ||
      (shape.m != 8 && shape.m != 16) || shape.k > deepest)
    return std::nullopt;
  // mma.m8n8k4 with f16 has a layout of its own, of Volta.
  if (shape.m == 8 && shape.a == MatrixElement::F16)
    return std::nullopt;
  if (isInteger(shape.a))
    return multiplyAs<int64_t>(shape);
  if (shape.a == MatrixElement::F64)
    return multiplyAs<double>(shape);
  return multiplyAs<float>(shape);
}

std::optional<SimOperation>
lh::findMatrixOperation(const SimOperationName &name, const SimChip &chip) {
  StringRef text = name.name;
  if (!text.consume_front("llvm.nvvm.") || chip.version < 75)
    return std::nullopt;
  if (text.consume_front("ldmatrix."))
    return findMove(text, /*load=*/true);
  if (text.consume_front("stmatrix."))
    return chip.version < 90 ? std::nullopt : findMove(text, /*load=*/false);
  if (text.consume_front("mma."))
    return findMma(text);
  return std::nullopt;
}
