// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs and files that packages bring.
#ifndef LH_CORE_SUPPORT_NEEDS_H
#define LH_CORE_SUPPORT_NEEDS_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace lh {

/// That there is no `tool` here, and the package that brings it.
std::string lacks(llvm::StringRef tool, llvm::StringRef package);

/// The first of `needs` that isn't here: packages, each with a program that is
/// looked for in PATH, or a file by its path. "" when all are.
std::string missingNeed(const std::map<std::string, std::string> &needs);

} // namespace lh

#endif // LH_CORE_SUPPORT_NEEDS_H
