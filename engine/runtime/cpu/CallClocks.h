// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at the clock round the outermost loop nests of an entry.
#ifndef LH_RUNTIME_CPU_CALLCLOCKS_H
#define LH_RUNTIME_CPU_CALLCLOCKS_H

#include "core/plan/CallProfile.h"
#include "core/support/Diagnostic.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// The counters: int64_t ticks for each piece, then those outside of the entry,
/// then the clock when it was last looked at.
inline constexpr const char *clocksName = "lh_clocks";

/// Adds clocks to the function `entry` of a module in the LLVM dialect: where
/// control comes to an outermost loop, where it leaves one, and round each
/// region of threads. The pieces that they tell apart, without shares; none
/// when the function has no loops. Loops keep their form: a look costs some
/// 45 ticks (Zen 5), and nests are few.
/// `onX86`: by the counter of cycles, which runs at a constant rate there;
/// else by LLVM's steady one, the timer that every Arm has.
std::vector<ProfiledPiece> addClocks(mlir::ModuleOp module, StringRef entry,
                                     bool onX86);

} // namespace lh

#endif // LH_RUNTIME_CPU_CALLCLOCKS_H
