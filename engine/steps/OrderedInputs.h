// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs whose sums come out right in their own order alone.
#ifndef LH_STEPS_ORDEREDINPUTS_H
#define LH_STEPS_ORDEREDINPUTS_H

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// For a `@main` whose inputs are marked by markExactRange() and that has one
/// sum, of products or of single numbers, over one dimension, straight from
/// its inputs. The first two terms of each sum are to be M and -M, with M so
/// large that what is added between them loses bits: only the sum in order is
/// exact. Each input of the sum gets `lh.ordered = [axis, exponent, sign]`: of
/// its slices along `axis` the first is to hold +-2^exponent, the second
/// `sign` times the first. Without such a sum the module gets
/// `lh.unordered = "why"`.
void markOrderedInputs(mlir::ModuleOp module);

} // namespace lh

#endif // LH_STEPS_ORDEREDINPUTS_H
