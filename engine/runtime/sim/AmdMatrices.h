// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MFMA and WMMA: AMD's matrix products of a wave.
#ifndef LH_RUNTIME_SIM_AMDMATRICES_H
#define LH_RUNTIME_SIM_AMDMATRICES_H

#include "runtime/sim/MatrixLayout.h"
#include "runtime/sim/Operation.h"

namespace lh {

/// A place in a batch of blocks.
struct BlockedPlace {
  unsigned block, row, column;
};

/// An MFMA of m x n x k with `blocks` products; each lane has `perLane`
/// elements of A and of B. AMD, "CDNA3 ISA", section 7.1 and the layouts that
/// the AMD Matrix Instruction Calculator prints.
struct MfmaShape {
  unsigned m = 0, n = 0, k = 0, blocks = 1, perLane = 0;

  /// Element `index` of A of a lane: (row, k). B is the same by column: (k,
  /// column) has the place of (column, k).
  BlockedPlace placeOfA(unsigned lane, unsigned index) const {
    unsigned group = lane / m;
    return {group % blocks, lane % m, group / blocks * perLane + index};
  }
  /// Element `index` of C and D of 32 bits.
  BlockedPlace placeOfD(unsigned lane, unsigned index) const {
    if (m == 4)
      return {lane / 4, index, lane % 4};
    unsigned perBlock = m * n / 64;
    unsigned inBlock = index % perBlock;
    return {index / perBlock,
            inBlock / 4 * (4 * (64 / n)) + lane / n * 4 + inBlock % 4,
            lane % n};
  }
};

std::optional<SimOperation> findAmdMatrix(const SimOperationName &name,
                                          const SimChip &chip);

} // namespace lh

#endif // LH_RUNTIME_SIM_AMDMATRICES_H
