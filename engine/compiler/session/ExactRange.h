// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large integer inputs may be for every result to be exact.
#ifndef LH_COMPILER_SESSION_EXACTRANGE_H
#define LH_COMPILER_SESSION_EXACTRANGE_H

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// Looks for the largest R such that, with integers of magnitude R or less in
/// every float input of `@main`, no operation rounds, whatever the order in
/// which sums are added. Each float input gets `lh.exact = R : i64`. Without
/// such an R the module gets `lh.inexact = "why"`. Integer inputs may hold
/// anything. Does nothing without a public `@main` on tensors.
void markExactRange(mlir::ModuleOp module);

/// Says on the module, as `lh.undefined = "why"`, what has no defined result
/// when NaN and infinities are among the inputs.
void markUndefinedOnSpecials(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_SESSION_EXACTRANGE_H
