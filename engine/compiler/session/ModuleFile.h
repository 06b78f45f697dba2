// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules as files that mlir-opt reads too.
#ifndef LH_COMPILER_SESSION_MODULEFILE_H
#define LH_COMPILER_SESSION_MODULEFILE_H

#include "compiler/session/MlirSession.h"

#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// The module as MLIR bytecode: all of it, locations too.
std::string moduleBytecode(mlir::ModuleOp module);

/// Whether the text or bytecode at `path` is a module that verifies.
bool isModuleFile(const std::string &path, MlirSession &session);

} // namespace lh

#endif // LH_COMPILER_SESSION_MODULEFILE_H
