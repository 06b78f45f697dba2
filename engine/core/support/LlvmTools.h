// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's programs beside this LLVM.
#ifndef LH_CORE_SUPPORT_LLVMTOOLS_H
#define LH_CORE_SUPPORT_LLVMTOOLS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace lh {

/// "ld.lld-22", "lld-22": as Debian names programs and packages of this
/// version.
std::string llvmName(llvm::StringRef name);

/// Where `tool` is: the one of this version first, whose flags and processors
/// are known. Empty where there is neither.
std::string findLlvmTool(llvm::StringRef tool);

} // namespace lh

#endif // LH_CORE_SUPPORT_LLVMTOOLS_H
