// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a built library says of itself, as JSON.
#ifndef LH_RUNTIME_DEPLOY_DESCRIPTION_H
#define LH_RUNTIME_DEPLOY_DESCRIPTION_H

#include "runtime/deploy/BuildLibrary.h"

namespace lh {

/// A line for each value. Of a dimension: its size; its name, where it is open
/// and has one; null.
std::string describeLibrary(const LibraryFacts &facts);

/// The library's C header, with an example of its use.
std::string libraryHeader(const LibraryFacts &facts);

} // namespace lh

#endif // LH_RUNTIME_DEPLOY_DESCRIPTION_H
