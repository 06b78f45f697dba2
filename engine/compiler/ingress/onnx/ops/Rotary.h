// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rotary position embedding in pieces, for the operators of all domains.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_ROTARY_H
#define LH_COMPILER_INGRESS_ONNX_OPS_ROTARY_H

#include "compiler/ingress/onnx/NodeContext.h"

namespace lh {

/// Pairs of elements are turned by the angle of their position.
struct Rotation {
  mlir::Value cosines, sines; ///< (batch or 1, sequence, pairs)
  bool isHeadsFirst = true;   ///< (batch, heads, sequence, size), else
                              ///< (batch, sequence, heads, size)
  bool isInterleaved = false; ///< neighbours make a pair, else both halves
};

/// Turns the leading elements of each head of `tensor`, of rank 4; those that
/// are in no pair stay.
mlir::Value emitRotation(NodeContext &node, mlir::Value tensor,
                         const Rotation &rotation, DType dtype);

/// The position of a batch's element, as an index.
using PositionOf = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value)>;

/// (batch, sequence, pairs) from the rows of `cache` at the positions.
mlir::Value gatherRotation(NodeContext &node, mlir::Value cache,
                           mlir::OpFoldResult batch,
                           mlir::OpFoldResult sequence, PositionOf position,
                           DType dtype);

/// The first `half` columns of a cache; fails when it has fewer.
FailureOr<mlir::Value> trimCache(NodeContext &node, mlir::Value cache,
                                 mlir::OpFoldResult half);

/// How many pairs are turned in a head of `size`: attribute
/// 'rotary_embedding_dim' over 2, or all.
FailureOr<mlir::OpFoldResult> rotatedHalf(NodeContext &node,
                                          mlir::OpFoldResult size);

struct RotationInput {
  mlir::Value tensor; ///< of rank 4
  bool isHeadsFirst = false;
};

/// Input 0; of rank 3 it is split into heads.
FailureOr<RotationInput> rotationInput(NodeContext &node, int64_t heads);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_ROTARY_H
