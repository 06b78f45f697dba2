// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scaled dot-product attention in pieces, for the operators of all domains.
// Tensors by heads are (batch, heads, sequence, size of a head).
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_ATTENTION_H
#define LH_COMPILER_INGRESS_ONNX_OPS_ATTENTION_H

#include "compiler/ingress/onnx/NodeContext.h"

namespace lh {

/// The type in which floats of `dtype` are computed.
DType computedType(DType dtype);

/// Two sizes that must be one; the run checks what is not known.
LogicalResult checkSame(NodeContext &node, mlir::OpFoldResult a,
                        mlir::OpFoldResult b, const Twine &what);

/// (batch, sequence, heads * size) by heads.
FailureOr<mlir::Value> splitHeads(NodeContext &node, mlir::Value tensor,
                                  int64_t heads);
/// By heads to (batch, sequence, heads * size).
mlir::Value mergeHeads(NodeContext &node, mlir::Value tensor);

/// Puts `past`, by heads, before `recent` along the sequence, after checking
/// that they fit.
FailureOr<mlir::Value> joinPast(NodeContext &node, mlir::Value past,
                                mlir::Value recent);

/// Checks that `query` can attend to `key` and `value`, all by heads; the
/// query's heads may be a multiple of theirs.
LogicalResult checkAttention(NodeContext &node, mlir::Value query,
                             mlir::Value key, mlir::Value value);

/// `scale`, or 1 / sqrt(size of a head) when it is 0, as a scalar.
mlir::Value attentionScale(NodeContext &node, double scale,
                           mlir::OpFoldResult headSize, DType dtype);

/// scale * query x key: (batch, query heads, sequence, total sequence).
mlir::Value emitScores(NodeContext &node, mlir::Value query, mlir::Value key,
                       mlir::Value scale, DType dtype);

/// cap * tanh(scores / cap).
mlir::Value emitSoftcap(NodeContext &node, mlir::Value scores, double cap,
                        DType dtype);

/// Which keys a query may attend to. Query i is at the position i + offset of
/// its batch's keys. Keys that are out of reach get -inf.
struct KeyReach {
  /// How many keys before and after its position a query reaches; -1: all. A
  /// causal query reaches none after it.
  int64_t before = -1, after = -1;
  mlir::OpFoldResult offset; ///< the same for all batches
  /// (batch): the keys that count; the offset is then what they exceed the
  /// queries by, unless `offset` is set.
  mlir::Value lengths;
  DType lengthType = DType::Int64;

  bool limits() const { return before >= 0 || after >= 0 || lengths; }
};
mlir::Value emitReach(NodeContext &node, mlir::Value scores,
                      const KeyReach &reach, DType dtype);

/// scores + mask; where a bool mask is false, -inf. The mask broadcasts to the
/// scores.
FailureOr<mlir::Value> emitMask(NodeContext &node, mlir::Value scores,
                                mlir::Value mask, DType maskType, DType dtype);

/// Softmax over the last axis. Rows of -inf alone give zeros.
mlir::Value emitRowSoftmax(NodeContext &node, mlir::Value scores, DType dtype);

/// probabilities x value, by the query's heads.
mlir::Value emitAttended(NodeContext &node, mlir::Value probabilities,
                         mlir::Value value, DType dtype);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_ATTENTION_H
