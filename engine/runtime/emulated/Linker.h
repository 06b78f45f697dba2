// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects to shared libraries, for any architecture.
#ifndef LH_RUNTIME_EMULATED_LINKER_H
#define LH_RUNTIME_EMULATED_LINKER_H

#include "runtime/emulated/MemoryFile.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace lh {

/// LLVM's linker for ELF as a program of this machine; "" when there is none.
std::string findLinker();

/// `object` as a shared library. What it refers to and doesn't have, its loader
/// must find. Fails with a diagnostic at `where`.
FailureOr<MemoryFile> linkSharedLibrary(StringRef object,
                                        const SourceSpan &where,
                                        DiagnosticSink &sink);

/// A shared library for programs.
struct LibraryLink {
  std::vector<StringRef> objects;
  std::vector<std::string> exports; ///< the functions that programs see
  std::string name;                 ///< by which programs ask for it
  std::vector<std::string> needs;   ///< libraries that its loader brings along
};

/// None of the libraries that it needs is looked at: they may be another
/// machine's. Fails with a diagnostic at `where`.
FailureOr<std::string> linkLibrary(const LibraryLink &library,
                                   llvm::TargetMachine &machine,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink);

/// `objects` as one object file. Fails with a diagnostic at `where`.
FailureOr<std::string> joinObjects(ArrayRef<StringRef> objects,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_EMULATED_LINKER_H
