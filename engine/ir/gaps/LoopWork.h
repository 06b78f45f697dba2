// How much a loop computes and moves, and how evenly threads can share it.
#ifndef LH_IR_GAPS_LOOPWORK_H
#define LH_IR_GAPS_LOOPWORK_H

#include "mlir/IR/Operation.h"

namespace lh {

/// Numbers that an op by itself computes or moves: those of its largest vector,
/// 16 times for functions such as exp, 8 times for copies. Views cost nothing.
double ownWork(mlir::Operation &op);

/// How often scf.for or scf.forall runs what is in it: at most, where bounds
/// aren't constant, 64 where nothing is known; 1 for other ops.
double tripsOf(mlir::Operation &op);

/// The part, 0 to 1, of the work of scf.for or scf.forall that the thread with
/// the most of it has: each takes as many iterations, one after the other, and
/// the first threads one more (OpenMP's static schedule). Iterations that
/// compute on a part of a block (affine.min of a forall's variables) count for
/// as much as it is of a whole one.
double largestPart(mlir::Operation &op, double threads);

} // namespace lh

#endif // LH_IR_GAPS_LOOPWORK_H
