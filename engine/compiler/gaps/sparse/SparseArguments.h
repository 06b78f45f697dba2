// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of sparse types, and what stands in for them.
#ifndef LH_COMPILER_GAPS_SPARSE_SPARSEARGUMENTS_H
#define LH_COMPILER_GAPS_SPARSE_SPARSEARGUMENTS_H

#include "core/numerics/SparseFormat.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir {
class ModuleOp;
class Operation;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace lh {

bool isSparse(mlir::Type type);
bool hasSparseOperand(mlir::Operation *op);

/// How tensors of `type` are stored; else `why` says what can't be done with
/// them.
std::optional<SparseFormat> formatOf(mlir::RankedTensorType type,
                                     std::string &why);

/// One of those that stand in for a sparse argument.
struct StandIn {
  SparseArray array;
  unsigned level = 0; ///< of positions and coordinates
  mlir::RankedTensorType type;
};

/// Puts `standIns` in place of argument `index`, with their names and marks;
/// returns their values in the body. The argument still has its uses, and comes
/// after them.
llvm::SmallVector<mlir::Value> insertStandIns(mlir::func::FuncOp function,
                                              unsigned index,
                                              llvm::ArrayRef<StandIn> standIns);

/// Visits each argument of a sparse type of public functions: the function, the
/// argument's index. `visit` replaces it by as many as it returns. Names
/// arguments that have no name by their positions before, and notes signatures
/// again. Fails with an error at what has no format, and at sparse results.
llvm::LogicalResult replaceSparseArguments(
    mlir::ModuleOp module,
    llvm::function_ref<llvm::FailureOr<unsigned>(mlir::func::FuncOp, unsigned)>
        visit);

} // namespace lh

#endif // LH_COMPILER_GAPS_SPARSE_SPARSEARGUMENTS_H
