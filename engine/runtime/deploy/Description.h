// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a built library says of itself: JSON, a C header, a CMake package.
#ifndef LH_RUNTIME_DEPLOY_DESCRIPTION_H
#define LH_RUNTIME_DEPLOY_DESCRIPTION_H

#include "runtime/deploy/BuildLibrary.h"

namespace lh {

/// A line for each value. Of a dimension: its size; its name, where it is open
/// and has one; null.
std::string describeLibrary(const LibraryFacts &facts);

/// The library's C header, with an example of its use.
std::string libraryHeader(const LibraryFacts &facts);

/// NAME-config.cmake, for find_package(): an imported target NAME::NAME for the
/// library `file` beside it.
std::string cmakePackage(const LibraryFacts &facts, StringRef file);

} // namespace lh

#endif // LH_RUNTIME_DEPLOY_DESCRIPTION_H
