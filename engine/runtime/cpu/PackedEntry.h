// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the engine adds to an LLVM module before it loads it.
#ifndef LH_RUNTIME_CPU_PACKEDENTRY_H
#define LH_RUNTIME_CPU_PACKEDENTRY_H

#include "runtime/abi/EntryAbi.h"

namespace llvm {
class Module;
} // namespace llvm

namespace lh {

/// "lh_packed_main" for "main".
std::string packedName(StringRef entry);

/// Adds `void lh_packed_<entry>(ptr *arguments)`, which calls the entry's C
/// interface with arguments[0], arguments[1], ..., and the same for @prepare.
/// Fails with a diagnostic when such a function is absent or takes another
/// number of pointers than `abi` says.
LogicalResult addPackedEntries(llvm::Module &module, const ModuleAbi &abi,
                               const SourceSpan &where, DiagnosticSink &sink);

/// Takes an entry out of a module again, and what only it calls.
void dropPackedEntry(llvm::Module &module, StringRef entry);

/// Which arena code allocates from: what `lh_arena` stands for when it is
/// loaded, or the only one there is where it runs.
enum class ArenaPlace { Symbol, Only };

/// Sends the module's allocations and frees (MLIR's generic functions, malloc,
/// aligned_alloc, free) to an arena.
void bindAllocator(llvm::Module &module, ArenaPlace place);

/// Has failed assertions call `lh_note_reason` and `lh_give_up`: `puts` and
/// `abort` are a C library's own where the code runs.
void bindAssertions(llvm::Module &module);

/// Makes everything but the packed entries and clocks internal, so that the optimizer
/// keeps one inlined copy of each function.
void internalizeAllButPacked(llvm::Module &module);

} // namespace lh

#endif // LH_RUNTIME_CPU_PACKEDENTRY_H
