// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Math functions of whole vectors, from a library of the system's.
#ifndef LH_RUNTIME_CPU_VECTORLIBRARY_H
#define LH_RUNTIME_CPU_VECTORLIBRARY_H

#include "core/support/Diagnostic.h"

#include "llvm/Analysis/TargetLibraryInfo.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm
namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// Notes in `code`, the translation of `module` for `machine`, the library that
/// `module` asks for (`lh.vector_library`). One that generated code may not
/// call is an error at `where`.
LogicalResult noteVectorLibrary(mlir::ModuleOp module, llvm::Module &code,
                                const llvm::TargetMachine &machine,
                                const SourceSpan &where, DiagnosticSink &sink);

/// What LLVM's optimizer and code generator are to know of functions that
/// `code` calls by name: with those of the noted library.
llvm::TargetLibraryInfoImpl libraryInfo(const llvm::Module &code);

/// Whether the code calls functions of glibc's library of vector functions.
bool callsVectorLibrary(const llvm::Module &code);

/// Opens it, so that code can be linked to it. Why it can't be had; "" when it
/// can.
std::string openVectorLibrary();

} // namespace lh

#endif // LH_RUNTIME_CPU_VECTORLIBRARY_H
