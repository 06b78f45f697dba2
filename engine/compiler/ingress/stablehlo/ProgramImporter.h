// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over a program's functions and operations.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_PROGRAMIMPORTER_H
#define LH_COMPILER_INGRESS_STABLEHLO_PROGRAMIMPORTER_H

#include "compiler/ingress/emit/BoundShape.h"
#include "compiler/ingress/stablehlo/OpContext.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace lh {

/// One import of one program.
class ProgramImporter : private Bodies {
public:
  ProgramImporter(mlir::ModuleOp program, const std::string &path,
                  const std::optional<BoundShapes> &shapes,
                  DiagnosticSink &sink);

  FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  mlir::func::FuncOp findEntry();
  bool checkSignature(mlir::func::FuncOp entry);
  LogicalResult makeMain(mlir::func::FuncOp entry);
  FailureOr<mlir::RankedTensorType> boundType(mlir::BlockArgument argument,
                                              StringRef name,
                                              mlir::RankedTensorType declared);
  FailureOr<std::vector<HloValue>> argumentsOf(mlir::func::FuncOp entry);
  LogicalResult checkResults(mlir::func::FuncOp entry,
                             ArrayRef<HloValue> results);
  LogicalResult finish(mlir::func::FuncOp entry, std::vector<HloValue> results);
  void eraseDeadOperations();

  /// Imports the operations of a block; returns what its terminator takes.
  FailureOr<std::vector<HloValue>> importBlock(mlir::Block &block);
  LogicalResult importOperation(mlir::Operation &op);
  FailureOr<std::vector<HloValue>> inputsOf(mlir::Operation &op);
  LogicalResult convert(OpContext &context);
  LogicalResult convertElementwise(OpContext &context,
                                   const struct ScalarRow &row);
  LogicalResult finishResults(OpContext &context);
  FailureOr<HloValue> finishResult(OpContext &context, size_t i);

  FailureOr<std::vector<HloValue>>
  importRegion(mlir::Region &region, ArrayRef<HloValue> arguments) override;
  FailureOr<std::vector<HloValue>>
  importCall(mlir::Operation &user, StringRef name,
             ArrayRef<HloValue> arguments) override;
  FailureOr<llvm::SmallVector<mlir::Value>>
  computeScalars(mlir::Region &region, mlir::OpBuilder &b, mlir::Location loc,
                 mlir::ValueRange scalars) override;

  mlir::ModuleOp program;
  const std::string &path;
  const std::optional<BoundShapes> &shapes;
  DiagnosticSink &sink;
  mlir::OpBuilder builder;
  Emitter emit;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  /// What the program's values are; absent are those whose operation failed.
  llvm::DenseMap<mlir::Value, HloValue> values;
  std::vector<std::string> calls; ///< functions being imported, innermost last
  size_t importedOps = 0;
};

/// Reports every operation that can't be imported and every type that has no
/// form here, of what `entry` reaches; once each, at their first place.
LogicalResult checkProgram(mlir::ModuleOp program, mlir::func::FuncOp entry,
                           DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_PROGRAMIMPORTER_H
