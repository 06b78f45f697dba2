// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension of the transform dialect by `transform.lh.*`.
#ifndef LH_COMPILER_TRANSFORM_TRANSFORM_H
#define LH_COMPILER_TRANSFORM_TRANSFORM_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace lh {

/// Adds the operations `transform.lh.*` to the transform dialect of contexts
/// that `registry` is appended to.
void registerLhTransform(mlir::DialectRegistry &registry);

} // namespace lh

#endif // LH_COMPILER_TRANSFORM_TRANSFORM_H
