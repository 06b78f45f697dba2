// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much a loop computes and moves, and how evenly threads can share it.
#ifndef LH_COMPILER_GAPS_MEMORY_LOOPWORK_H
#define LH_COMPILER_GAPS_MEMORY_LOOPWORK_H

#include "mlir/IR/Operation.h"

namespace lh {

/// What an estimate of work can't read off the code, in additions.
struct LoopCosts {
  double unknownTrips; ///< of a loop of unknown length
  double math;         ///< exp, tanh and their like
  double move;         ///< a number copied from one part of memory to another
};

/// Numbers that an op by itself computes or moves: those of its largest vector,
/// more for functions such as exp and for copies. Views cost nothing.
double ownWork(mlir::Operation &op, const LoopCosts &costs);

/// How often scf.for or scf.forall runs what is in it: at most, where bounds
/// aren't constant, as `costs` says where nothing is known; 1 for other ops.
double tripsOf(mlir::Operation &op, const LoopCosts &costs);

/// The part, 0 to 1, of the work of scf.for or scf.forall that the thread with
/// the most of it has: each takes as many iterations, one after the other, and
/// the first threads one more (OpenMP's static schedule). Iterations that
/// compute on a part of a block (affine.min of a forall's variables) count for
/// as much as it is of a whole one.
double largestPart(mlir::Operation &op, double threads, const LoopCosts &costs);

} // namespace lh

#endif // LH_COMPILER_GAPS_MEMORY_LOOPWORK_H
