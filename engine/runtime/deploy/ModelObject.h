// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of a library that is a model's own, beside its code: its functions'
// names, its weights, and what it says of itself.
#ifndef LH_RUNTIME_DEPLOY_MODELOBJECT_H
#define LH_RUNTIME_DEPLOY_MODELOBJECT_H

#include "runtime/deploy/BuildLibrary.h"
#include "runtime/deploy/LibraryWeights.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lh {

/// The symbol of a packed entry in the library of this name.
std::string libraryEntry(StringRef library, StringRef entry);

/// Gives the packed entries of `code` their names in the library: a program may
/// be linked with several. `setUp`: the packed function that loads kernels, or
/// "".
void nameForLibrary(llvm::Module &code, const ModuleAbi &abi, StringRef library,
                    StringRef setUp = "");

/// An object file with `struct LhModel` (Model.h) and the functions of the
/// library's header. `weightsHash` is that of the file of weights.
FailureOr<std::string>
modelObject(const LibraryFacts &facts, const ModuleAbi &abi,
            const LibraryWeights &weights, uint64_t weightsHash,
            llvm::TargetMachine &machine, const SourceSpan &where,
            DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_DEPLOY_MODELOBJECT_H
