// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which upstream passes turn a dialect into something else.
#ifndef LH_COMPILER_SESSION_CONVERSIONPASSES_H
#define LH_COMPILER_SESSION_CONVERSIONPASSES_H

#include "core/support/Diagnostic.h"

namespace lh {

/// The registered passes whose names say that they take operations of
/// `dialect` away: `convert-vector-to-llvm`, `lower-affine`,
/// `finalize-memref-to-llvm`. Registers everything, so a session must be there.
std::vector<std::string> passesFrom(StringRef dialect);

} // namespace lh

#endif // LH_COMPILER_SESSION_CONVERSIONPASSES_H
