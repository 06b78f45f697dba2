// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What RNN, LSTM and GRU have in common: one layer, its directions, a step.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_RECURRENT_H
#define LH_COMPILER_INGRESS_ONNX_OPS_RECURRENT_H

#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/onnx/OpTable.h"

namespace lh {

/// One of the functions that `activations` names.
struct GateFunction {
  using Body = mlir::Value (*)(const Scalars &, mlir::Value x, double alpha,
                               double beta);
  Body body = nullptr;
  double alpha = 0.0, beta = 0.0;

  mlir::Value operator()(const Scalars &s, mlir::Value x) const {
    return body(s, x, alpha, beta);
  }
};

/// Reads `activations`, `activation_alpha` and `activation_beta`: as many
/// functions as `defaults` has, for each direction.
FailureOr<std::vector<GateFunction>> gateFunctions(NodeContext &node,
                                                   ArrayRef<StringRef> defaults,
                                                   size_t directions);

/// One layer; tensors are (steps, batch, ...), whatever the node's layout is.
struct RecurrentLayer {
  explicit RecurrentLayer(NodeContext &node)
      : node(node), emit(node.emit), dtype(node.dtype()) {}

  NodeContext &node;
  Emitter &emit;
  DType dtype;
  int64_t gates = 1, hidden = 0;
  size_t directions = 1;
  bool startsReverse = false; ///< direction 0 runs backwards
  bool batchFirst = false;    ///< layout 1
  mlir::OpFoldResult steps, batch;
  std::optional<double> clip;
  std::vector<GateFunction> functions;

  /// X * W + biases of all steps, directions and gates:
  /// (steps, batch, directions * gates * hidden).
  mlir::Value projected;
  mlir::Value lengths; ///< (batch), or none: every sequence is full

  mlir::Value clipped(const Scalars &s, mlir::Value x) const;
};

/// The inputs of an elementwise operation on (batch, hidden) states.
struct StepOperands {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::AffineMap> maps;

  /// Spread over the dimensions that `dims` doesn't name: 0 batch, 1 hidden.
  void add(Emitter &emit, mlir::Value tensor, ArrayRef<unsigned> dims = {0, 1});
};

/// One step of one direction.
struct RecurrentStep {
  explicit RecurrentStep(const RecurrentLayer &layer) : layer(layer) {}

  const RecurrentLayer &layer;
  size_t direction = 0;
  mlir::Value weights;   ///< R of this direction, (gates * hidden, hidden)
  mlir::Value peepholes; ///< (3 * hidden), or none
  mlir::Value gateBias;  ///< (hidden), added inside of GRU's reset; or none
  mlir::Value position;  ///< index of the step in time
  mlir::Value state, cell;
  mlir::Value output; ///< where Y of this step goes, or none

  /// This step's share of `projected` for a gate, (batch, hidden).
  mlir::Value input(int64_t gate) const;
  /// `value` * R^T of the gates [first, first + count), one by one.
  llvm::SmallVector<mlir::Value> recurrent(mlir::Value value, int64_t first,
                                           int64_t count) const;
  const GateFunction &function(size_t i) const;
  /// New states from the operands, state (and cell); the body gets operands
  /// first, then the old states. Sequences that are over keep their states,
  /// and their output is 0. Returns the states and, if wanted, the output.
  llvm::SmallVector<mlir::Value>
  finish(StepOperands operands,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(const Scalars &,
                                                           mlir::ValueRange)>
             body) const;
};

/// Computes a step: the new states, and the output if wanted.
using RecurrentCell = llvm::SmallVector<mlir::Value> (*)(const RecurrentStep &);

llvm::SmallVector<mlir::Value> rnnCell(const RecurrentStep &step);
llvm::SmallVector<mlir::Value> lstmCell(const RecurrentStep &step);
llvm::SmallVector<mlir::Value> gruCell(const RecurrentStep &step);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_RECURRENT_H
