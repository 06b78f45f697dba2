// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edits that make a module smaller and leave it a module, whatever it means.
#ifndef LH_STEPS_MODULECUTS_H
#define LH_STEPS_MODULECUTS_H

#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <vector>

namespace lh {

/// What takes the place of a value whose operation goes: an operand of the same
/// type, and where there is none what `values` allows.
enum class Substitutes {
  Nothing,   ///< an operation whose values are used stays
  Operands,  ///< nothing else: the operation stays
  Constants, ///< zero, or poison where the type has no zero
  Arguments  ///< a new argument of the function, if nobody calls it
};

/// All operations below the module, each before those inside it.
std::vector<mlir::Operation *> operationsOf(mlir::ModuleOp module);

/// Removes those of operationsOf(module)[first, last) that can go; terminators
/// stay while their block does. False when nothing was removed; the module may
/// then be useless.
bool cutOperations(mlir::ModuleOp module, size_t first, size_t last,
                   Substitutes values);

/// Puts what is inside operation `index` in its place. False when it has no
/// regions, or is a symbol or isolated.
bool unwrapOperation(mlir::ModuleOp module, size_t index, Substitutes values);

/// Drops the results that `index`-th of the module's functions returns (all, or
/// one); false when it has none.
bool cutResults(mlir::ModuleOp module, size_t function,
                std::optional<unsigned> result);

/// Drops arguments that nothing uses, of functions that nobody calls.
bool cutUnusedArguments(mlir::ModuleOp module);

/// Drops what operations [first, last) are marked with and no dialect defines,
/// and replaces large constants by one element.
bool cutAttributes(mlir::ModuleOp module, size_t first, size_t last);

/// How many functions cutResults() knows.
size_t functionCount(mlir::ModuleOp module);

} // namespace lh

#endif // LH_STEPS_MODULECUTS_H
