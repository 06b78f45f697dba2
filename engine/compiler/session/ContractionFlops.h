// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module does in products and convolutions.
#ifndef LH_COMPILER_SESSION_CONTRACTIONFLOPS_H
#define LH_COMPILER_SESSION_CONTRACTIONFLOPS_H

#include "core/plan/RunRecord.h"
#include "core/support/Diagnostic.h"

namespace mlir {
class ModuleOp;
class Operation;
} // namespace mlir

namespace lh {

/// See contractionFlops().
struct ContractionFlops {
  double vectorised = 0, scalar = 0;
  KernelShare kernels;
  size_t kernelCalls = 0; ///< of C functions, whose operations aren't known
};

/// Counts operations of one pass over the module, with integers too; a
/// multiply-add is two.
///
/// `scalar`: contractions and convolutions that are still linalg ops (named or
/// generic), 2 x the product of their loop ranges. `vectorised`: 2 x the
/// iteration space of vector.contract, 2 x the lanes of vector.outerproduct,
/// of vector.fma and of each product added to what a loop carries, or carried
/// before it was unrolled (`lh.sum` on the addition); products of words in
/// instructions for them; and linalg ops marked `lh.outer`, which are lowered
/// to outer products one by one. Both times the trip counts of the
/// enclosing loops.
///
/// `kernels`: linalg ops of any type, by the matrix kernel that a schedule for
/// GPUs has chosen (`lh.kernel`); at the boundary where it chooses.
///
/// A dynamic size, a dynamic trip count and vscale count as 1, so shares hold
/// per unit of what is dynamic. A loop bound min(c, ...) counts as c: the last
/// partial tile as a whole one. What has become scalar loops, or left the
/// vector dialect, isn't seen; compare step boundaries to see it go. How much
/// is vectorised in the end is counted in the code that runs
/// (runtime/cpu/CountingBuild.h).
ContractionFlops contractionFlops(mlir::ModuleOp module);

/// What contractionFlops() counts as `scalar` of one operation: 0 of any but
/// contractions and convolutions.
double contractionOperations(mlir::Operation *op);

/// "float32", "int8": what a linalg op multiplies, or computes with; integers
/// before the op that made it widened them.
std::string operandTypeOf(mlir::Operation *op);

/// How often the loops around it have it run, as far as that is known.
double enclosingTrips(mlir::Operation *op);

/// A contraction or convolution that is still a linalg op.
struct PlainContraction {
  std::string name; ///< of the node it comes from, in quotes; may be empty
  std::string what; ///< "a 2-d convolution of 4 groups"
  SourceSpan where;
  double operations = 0;
};

/// What contractionFlops() counts as `scalar`, one by one, but for what has a
/// matrix kernel.
std::vector<PlainContraction> plainContractions(mlir::ModuleOp module);

/// After a step between whose boundaries `before` and `after` none of `left`
/// stayed and none became vectors: a remark on each of the largest, and how
/// much of the module's work it is.
void remarkOnPlainLoops(ArrayRef<PlainContraction> left,
                        const ContractionFlops &before,
                        const ContractionFlops &after, DiagnosticSink &sink);

/// What a module that was just imported has to compute, with integers too: the
/// linalg ops that contractionFlops() counts, by the type of their first input
/// (integers: before the op that made it widened it).
ContractionWork contractionWork(mlir::ModuleOp module);

/// A remark with the names of what multiplies and adds up in a form that
/// contractionWork() has no formula for, so that it is left out there. What
/// works element by element is no product, and isn't named.
void remarkOnUncounted(mlir::ModuleOp module, const SourceSpan &where,
                       DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_SESSION_CONTRACTIONFLOPS_H
