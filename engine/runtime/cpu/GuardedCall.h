// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls compiled code so that it can give up.
#ifndef LH_RUNTIME_CPU_GUARDEDCALL_H
#define LH_RUNTIME_CPU_GUARDEDCALL_H

#include "runtime/cpu/RuntimeSymbols.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace lh {

/// Runs `call`, compiled code on this thread. A failed `cf.assert` ends it
/// there and then; its message is returned, and what the code had allocated
/// stays with the arena.
std::optional<std::string> callGuarded(llvm::function_ref<void()> call);

/// For functions that compiled code calls: ends the guarded call that it runs
/// in, whose message is then empty. Nothing on the way is destroyed.
[[noreturn]] void leaveGuardedCall();

/// What `cf.assert` is lowered to: `puts` with the message, then `abort`.
std::vector<RuntimeSymbol> assertionSymbols();

} // namespace lh

#endif // LH_RUNTIME_CPU_GUARDEDCALL_H
