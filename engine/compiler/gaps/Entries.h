// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function's caller must know, taken from the function.
#ifndef LH_COMPILER_GAPS_ENTRIES_H
#define LH_COMPILER_GAPS_ENTRIES_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace lh {

/// What `lh.abi` says of one function's arguments and results. It takes and
/// returns ranked tensors or memrefs.
mlir::DictionaryAttr describeEntry(mlir::func::FuncOp function);

/// What callers hand to public functions is theirs: bufferization must not
/// write to it (`bufferization.writable = false`).
void keepArguments(mlir::ModuleOp module);

/// Notes on public functions on ranked tensors, as `lh.signature`, what
/// arguments and results are, which nothing else says once they are pointers.
void noteSignatures(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_GAPS_ENTRIES_H
