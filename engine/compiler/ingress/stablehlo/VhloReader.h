// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads VHLO, the dialect of StableHLO's portable artifacts.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_VHLOREADER_H
#define LH_COMPILER_INGRESS_STABLEHLO_VHLOREADER_H

#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"

namespace lh {

/// Makes `context` read MLIR bytecode with VHLO in it, of versions 0.9 to
/// 1.20. What a later version has is an error at its place.
void loadVhlo(mlir::MLIRContext &context);

/// Turns a module of VHLO into what the text of the same program gives:
/// functions of `func`, operations and attributes by StableHLO's names.
void renameVhlo(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_VHLOREADER_H
