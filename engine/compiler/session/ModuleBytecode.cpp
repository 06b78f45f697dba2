// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytecode as a module.
#include "compiler/session/ModuleBytecode.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

mlir::OwningOpRef<mlir::ModuleOp>
lh::readModuleBytecode(StringRef bytes, mlir::MLIRContext &context) {
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return llvm::success(); });
  // It was a valid module when it was written, and its hash says that it is
  // the same.
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  mlir::Block block;
  auto buffer = llvm::MemoryBuffer::getMemBuffer(
      bytes, "cache", /*RequiresNullTerminator=*/false);
  if (failed(mlir::readBytecodeFile(buffer->getMemBufferRef(), &block, config)))
    return nullptr;
  if (!llvm::hasSingleElement(block))
    return nullptr;
  auto module = mlir::dyn_cast<mlir::ModuleOp>(block.front());
  if (!module)
    return nullptr;
  module->remove();
  return module;
}
