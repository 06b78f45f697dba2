// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers in the registers of matrix instructions.
#ifndef LH_RUNTIME_SIM_MATRIXELEMENTS_H
#define LH_RUNTIME_SIM_MATRIXELEMENTS_H

#include "core/support/Diagnostic.h"
#include "runtime/sim/Numbers.h"

#include <cstring>
#include <optional>

namespace lh {

enum class MatrixElement {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  S8,
  U8,
  S4,
  U4,
  B1,
  S32
};

inline std::optional<MatrixElement> findMatrixElement(StringRef name) {
  using E = MatrixElement;
  constexpr struct {
    StringRef name;
    E type;
  } all[] = {{"f16", E::F16},   {"bf16", E::BF16}, {"tf32", E::TF32},
             {"f32", E::F32},   {"f64", E::F64},   {"e4m3", E::E4M3},
             {"e5m2", E::E5M2}, {"s8", E::S8},     {"u8", E::U8},
             {"s4", E::S4},     {"u4", E::U4},     {"b1", E::B1},
             {"s32", E::S32}};
  for (const auto &known : all)
    if (known.name == name)
      return known.type;
  return std::nullopt;
}

inline unsigned bitsOf(MatrixElement type) {
  using E = MatrixElement;
  switch (type) {
  case E::F16:
  case E::BF16:
    return 16;
  case E::TF32:
  case E::F32:
  case E::S32:
    return 32;
  case E::F64:
    return 64;
  case E::E4M3:
  case E::E5M2:
  case E::S8:
  case E::U8:
    return 8;
  case E::S4:
  case E::U4:
    return 4;
  case E::B1:
    return 1;
  }
  return 0;
}

inline unsigned elementsPerRegister(MatrixElement type) {
  return bitsOf(type) == 64 ? 1 : 32 / bitsOf(type);
}

inline bool isInteger(MatrixElement type) {
  using E = MatrixElement;
  return type == E::S8 || type == E::U8 || type == E::S4 || type == E::U4 ||
         type == E::B1 || type == E::S32;
}

/// Element `index` of those that begin at `from`.
template <typename T>
T readElement(MatrixElement type, const char *from, unsigned index) {
  auto load = [&]<typename Bits>(Bits bits) {
    std::memcpy(&bits, from + index * sizeof(Bits), sizeof(Bits));
    return bits;
  };
  auto part = [&](unsigned width) {
    auto byte = static_cast<uint8_t>(from[index * width / 8]);
    return static_cast<unsigned>(byte >> index * width % 8) &
           ((1u << width) - 1);
  };
  using E = MatrixElement;
  switch (type) {
  case E::F16:
    return static_cast<T>(halfToFloat(load(uint16_t())));
  case E::BF16:
    return static_cast<T>(bfloatToFloat(load(uint16_t())));
  case E::TF32:
    return static_cast<T>(tf32ToFloat(load(uint32_t())));
  case E::F32:
    return static_cast<T>(load(float()));
  case E::F64:
    return static_cast<T>(load(double()));
  case E::E4M3:
    return static_cast<T>(e4m3ToFloat(load(uint8_t())));
  case E::E5M2:
    return static_cast<T>(e5m2ToFloat(load(uint8_t())));
  case E::S8:
    return static_cast<T>(load(int8_t()));
  case E::U8:
    return static_cast<T>(load(uint8_t()));
  case E::S32:
    return static_cast<T>(load(int32_t()));
  case E::S4:
    return static_cast<T>(static_cast<int>(part(4) ^ 8u) - 8);
  case E::U4:
    return static_cast<T>(part(4));
  case E::B1:
    return static_cast<T>(part(1));
  }
  return T();
}

/// Of a result: F16, BF16, F32, F64 or S32.
template <typename T>
void writeElement(MatrixElement type, char *to, unsigned index, T value) {
  auto store = [&](auto bits) {
    std::memcpy(to + index * sizeof(bits), &bits, sizeof(bits));
  };
  using E = MatrixElement;
  if (type == E::F16)
    store(floatToHalf(static_cast<float>(value)));
  else if (type == E::BF16)
    store(floatToBFloat(static_cast<float>(value)));
  else if (type == E::F64)
    store(static_cast<double>(value));
  else if (type == E::S32)
    store(static_cast<int32_t>(value));
  else
    store(static_cast<float>(value));
}

} // namespace lh

#endif // LH_RUNTIME_SIM_MATRIXELEMENTS_H
