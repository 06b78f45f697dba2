// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names with a version.
#include "core/support/LlvmTools.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Program.h"

using namespace lh;

std::string lh::llvmName(llvm::StringRef name) {
  return name.str() + "-" + std::to_string(LLVM_VERSION_MAJOR);
}

std::string lh::findLlvmTool(llvm::StringRef tool) {
  for (const std::string &name : {llvmName(tool), tool.str()})
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return *path;
  return "";
}
