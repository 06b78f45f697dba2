// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread holds which elements of a warp's matrix fragments.
#ifndef LH_RUNTIME_SIM_MATRIXLAYOUT_H
#define LH_RUNTIME_SIM_MATRIXLAYOUT_H

#include <cstdint>

namespace lh {

/// An element of a matrix.
struct MatrixPlace {
  unsigned row, column;
};

// mma.sync: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point
// type" and its siblings. All shapes but mma.m8n8k4 with f16 are one rule: the
// k elements of a register lie side by side, four threads hold a row (A) or a
// column (B) of a group of four registers' width, and registers go down by 8
// rows first, then along k. `perRegister` is how many elements a register has.

inline MatrixPlace mmaPlaceOfA(unsigned m, unsigned perRegister, unsigned lane,
                               unsigned index) {
  unsigned group = lane / 4, inGroup = lane % 4;
  unsigned reg = index / perRegister, element = index % perRegister;
  unsigned down = m / 8; // registers below each other
  return {group + 8 * (reg % down),
          inGroup * perRegister + element + 4 * perRegister * (reg / down)};
}

inline MatrixPlace mmaPlaceOfB(unsigned perRegister, unsigned lane,
                               unsigned index) {
  unsigned reg = index / perRegister, element = index % perRegister;
  return {lane % 4 * perRegister + element + 4 * perRegister * reg, lane / 4};
}

/// Of C and D, whatever their type.
inline MatrixPlace mmaPlaceOfC(unsigned lane, unsigned index) {
  return {lane / 4 + 8 * (index / 2), lane % 4 * 2 + index % 2};
}

} // namespace lh

#endif // LH_RUNTIME_SIM_MATRIXLAYOUT_H
