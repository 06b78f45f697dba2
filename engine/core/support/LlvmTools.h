// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's programs beside this LLVM.
#ifndef LH_CORE_SUPPORT_LLVMTOOLS_H
#define LH_CORE_SUPPORT_LLVMTOOLS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace lh {

/// "ld.lld-22": as packages name a program of this version.
std::string llvmToolName(llvm::StringRef tool);

/// Where `tool` is: the one of this version first, whose flags and processors
/// are known. Empty where there is neither.
std::string findLlvmTool(llvm::StringRef tool);

/// "lld-22": what brings programs of this version on Debian.
std::string llvmPackage(llvm::StringRef package);

} // namespace lh

#endif // LH_CORE_SUPPORT_LLVMTOOLS_H
