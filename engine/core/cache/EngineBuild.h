// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which program this is, to the bit.
#ifndef LH_CORE_CACHE_ENGINEBUILD_H
#define LH_CORE_CACHE_ENGINEBUILD_H

#include "core/support/Diagnostic.h"

namespace lh {

/// The linker's build ids of this program and of the LLVM and MLIR libraries
/// that it has loaded. For what has none: where it lies, its size, and when it
/// was written.
std::string engineBuild();

} // namespace lh

#endif // LH_CORE_CACHE_ENGINEBUILD_H
