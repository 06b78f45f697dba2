// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that compiled code may call and that the engine supplies.
#ifndef LH_RUNTIME_CPU_RUNTIMESYMBOLS_H
#define LH_RUNTIME_CPU_RUNTIMESYMBOLS_H

#include "core/support/Diagnostic.h"

namespace lh {

struct RuntimeSymbol {
  StringRef name;
  void *address = nullptr;
};

class Arena;

/// `memrefCopy`, the arena's two functions, what a failed assertion calls, and
/// conversions to half floats.
/// All else (libm, memcpy) comes from the process.
std::vector<RuntimeSymbol> runtimeSymbols();

/// The same, and `arena`, which must outlive the code, for it to allocate from.
std::vector<RuntimeSymbol> runtimeSymbols(Arena &arena);

/// The arena itself.
inline constexpr const char *arenaName = "lh_arena";
/// void *(Arena *, int64_t size, int64_t alignment)
inline constexpr const char *arenaAllocateName = "lh_arena_allocate";
/// void (Arena *, void *block)
inline constexpr const char *arenaReleaseName = "lh_arena_release";

} // namespace lh

#endif // LH_RUNTIME_CPU_RUNTIMESYMBOLS_H
