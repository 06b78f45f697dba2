// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the memory of a tensor comes from.
#ifndef LH_COMPILER_GAPS_WINDOWS_DESTINATIONS_H
#define LH_COMPILER_GAPS_WINDOWS_DESTINATIONS_H

#include "mlir/IR/Operation.h"

namespace lh {

/// The operand in `block` by which the memory of `value` is asked for: an empty
/// tensor that loops, and ops that write into what they are given, hand on
/// until it is `value`. Null where there is none.
mlir::OpOperand *destinationOf(mlir::Value value, mlir::Block *block);

/// Has it computed in `place`, of the same shape, which must be there before
/// the destination's op.
void computeInto(mlir::OpOperand &destination, mlir::Value place);

} // namespace lh

#endif // LH_COMPILER_GAPS_WINDOWS_DESTINATIONS_H
