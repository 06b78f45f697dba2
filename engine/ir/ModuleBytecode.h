// A module as MLIR bytecode, and back.
#ifndef LH_IR_MODULEBYTECODE_H
#define LH_IR_MODULEBYTECODE_H

#include "support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace lh {

/// All of the module: its locations and the order of uses too, so that passes
/// do with what is read back just what they do with `module`. Empty when some
/// dialect of it can't be written.
std::string moduleBytecode(mlir::ModuleOp module);

/// What moduleBytecode() wrote. Nothing, without a word, when the bytes are
/// none that this program can read. The bytes must be aligned to 64.
mlir::OwningOpRef<mlir::ModuleOp>
readModuleBytecode(StringRef bytes, mlir::MLIRContext &context);

} // namespace lh

#endif // LH_IR_MODULEBYTECODE_H
