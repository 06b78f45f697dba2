// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules as files that mlir-opt reads too.
#include "compiler/session/ModuleFile.h"

#include "compiler/ingress/mlir/MlirImporter.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"

using namespace lh;

std::string lh::moduleBytecode(mlir::ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  // It fails only for versions that the configuration doesn't ask for.
  (void)mlir::writeBytecodeToFile(module, stream);
  return bytes;
}

bool lh::isModuleFile(const std::string &path, MlirSession &session) {
  CollectingSink ignored;
  return succeeded(importMlir(path, session.context(), ignored));
}
