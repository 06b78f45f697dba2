// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of tensors: through linalg, tensor and scf ops.
#ifndef LH_COMPILER_GAPS_ORACLE_ERRORFLOW_H
#define LH_COMPILER_GAPS_ORACLE_ERRORFLOW_H

#include "compiler/gaps/oracle/ErrorRules.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/DenseSet.h"

namespace lh {

/// Walks a function's ops in order and adds beside each the code that
/// computes its results' errors. Linalg ops must be generic, but for fills.
class ErrorFlow {
public:
  explicit ErrorFlow(const ErrorModel &model)
      : model(model), rules(model, state) {}

  /// Starts at `first`: what stands before it computes inputs' errors. Fails
  /// with a reason in the state where no bounds can be given; what it built by
  /// then is to be thrown away.
  llvm::LogicalResult throughFunction(mlir::Block &body,
                                      mlir::Operation *first);

  /// The error of a tensor, with zeros for an exact one.
  mlir::Value errorTensor(mlir::OpBuilder &b, mlir::Value tensor);

  ErrorState state;

private:
  using Operation = mlir::Operation;
  using Value = mlir::Value;

  llvm::LogicalResult throughBlock(mlir::Block &block, bool checksRange,
                                   const llvm::DenseSet<Operation *> &done);
  llvm::LogicalResult throughOp(Operation *op, bool checksRange);

  // ErrorGenerics.cpp
  friend class GenericErrors;
  llvm::LogicalResult throughGeneric(mlir::linalg::GenericOp op);

  // ErrorTensors.cpp
  llvm::LogicalResult throughFill(mlir::linalg::FillOp op);
  llvm::LogicalResult throughMirror(Operation *op, unsigned data);
  llvm::LogicalResult throughPad(mlir::tensor::PadOp op);
  llvm::LogicalResult throughOther(Operation *op);

  // ErrorLoops.cpp
  llvm::LogicalResult throughFor(mlir::scf::ForOp op);
  llvm::LogicalResult throughIf(mlir::scf::IfOp op);
  llvm::LogicalResult throughFixed(Operation *op);
  llvm::LogicalResult setLoopDepths(mlir::scf::ForOp op,
                                    llvm::ArrayRef<unsigned> carried);
  /// Whether anything in `op`'s regions rounds or reads an inexact value.
  bool touches(Operation *op);
  bool mark(mlir::Block &block, llvm::DenseSet<Value> &marked);
  void markLoop(mlir::scf::ForOp op, llvm::DenseSet<Value> &marked);

  const ErrorModel &model;
  ErrorRules rules;
};

/// `type` with f64 elements.
mlir::Type errorType(mlir::Type type);

} // namespace lh

#endif // LH_COMPILER_GAPS_ORACLE_ERRORFLOW_H
