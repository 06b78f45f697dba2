// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions computed on scalars, inside the body of another operation.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_SCALARREGION_H
#define LH_COMPILER_INGRESS_STABLEHLO_SCALARREGION_H

#include "compiler/ingress/stablehlo/OpContext.h"

#include "mlir/IR/BuiltinOps.h"

namespace lh {

/// One computation of one region.
class ScalarRegion {
public:
  /// `outer` are the values of the enclosing function; `calls` the functions
  /// being imported, of which none is called again.
  ScalarRegion(mlir::ModuleOp program,
               const llvm::DenseMap<mlir::Value, HloValue> &outer,
               std::vector<std::string> &calls, mlir::OpBuilder &b,
               mlir::Location loc, DiagnosticSink &sink)
      : program(program), outer(outer), calls(calls), b(b), loc(loc),
        sink(sink) {}

  /// What the region's terminator takes, for these arguments of its block.
  FailureOr<llvm::SmallVector<mlir::Value>> run(mlir::Region &region,
                                                mlir::ValueRange arguments);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  LogicalResult bind(mlir::Region &region, mlir::ValueRange arguments);
  FailureOr<Values> operandsOf(mlir::Operation &op);
  LogicalResult compute(mlir::Operation &op, const Values &operands);
  LogicalResult call(mlir::Operation &op, StringRef callee,
                     const Values &operands);
  FailureOr<mlir::Value> resultOf(mlir::Operation &op, const Values &operands);
  LogicalResult refuse(mlir::Operation &op, const Twine &message);

  mlir::ModuleOp program;
  const llvm::DenseMap<mlir::Value, HloValue> &outer;
  std::vector<std::string> &calls;
  mlir::OpBuilder &b;
  mlir::Location loc;
  DiagnosticSink &sink;
  llvm::DenseMap<mlir::Value, mlir::Value> known;
};

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_SCALARREGION_H
