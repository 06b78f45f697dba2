// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules as text.
#ifndef LH_COMPILER_SESSION_MODULETEXT_H
#define LH_COMPILER_SESSION_MODULETEXT_H

#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// The module as mlir-opt prints it.
std::string moduleText(mlir::ModuleOp module);

/// The same without the data of large constants, for people.
std::string textWithoutData(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_SESSION_MODULETEXT_H
