// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO, CHLO and VHLO as far as reading files takes them.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_DIALECTS_H
#define LH_COMPILER_INGRESS_STABLEHLO_DIALECTS_H

#include "mlir/IR/MLIRContext.h"

namespace lh {

/// Makes `context` read StableHLO: text in short and generic forms, and
/// portable artifacts (VHLO's bytecode). The dialects have no operations: what
/// is read are unregistered ones with builtin attributes, which nothing has
/// verified. Upstream's parser asks a dialect for such operations
/// (Dialect::getParseOperationHook).
void loadStablehlo(mlir::MLIRContext &context);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_DIALECTS_H
