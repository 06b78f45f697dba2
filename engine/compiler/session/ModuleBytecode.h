// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytecode as a module.
#ifndef LH_COMPILER_SESSION_MODULEBYTECODE_H
#define LH_COMPILER_SESSION_MODULEBYTECODE_H

#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace lh {

/// What moduleBytecode() wrote, with the order of uses too, so that passes do
/// with it what they do with the module that was written. Nothing, without a
/// word, when the bytes are none that this program can read. The bytes must be
/// aligned to 64.
mlir::OwningOpRef<mlir::ModuleOp>
readModuleBytecode(StringRef bytes, mlir::MLIRContext &context);

} // namespace lh

#endif // LH_COMPILER_SESSION_MODULEBYTECODE_H
