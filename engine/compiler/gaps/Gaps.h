// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes that upstream lacks: Passes.td in each topic declares them,
// docs/upstream-gaps.md says why each exists.
#ifndef LH_COMPILER_GAPS_GAPS_H
#define LH_COMPILER_GAPS_GAPS_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace lh {

/// Registers all gap passes, unless they are registered already: MLIR's pass
/// registry is global, and who loads the plugin may have the passes built in.
void registerGapPasses();

/// What schedules and the passes need beside upstream's dialects and their
/// extensions: operations and interfaces, for contexts that are made with
/// `registry`.
void registerGapExtensions(mlir::DialectRegistry &registry);

/// Whether this is how gap passes are named, which stock mlir-opt has from the
/// plugin alone. `lh-test-` is how passes of tests are.
inline bool isGapPass(llvm::StringRef name) {
  return name.starts_with("lh-") && !name.starts_with("lh-test-");
}

/// The topic of a gap: of a pass the folder that declares it, "transform" of an
/// operation of the transform dialect; "" for anything else.
llvm::StringRef topicOfGap(llvm::StringRef name);

} // namespace lh

#endif // LH_COMPILER_GAPS_GAPS_H
