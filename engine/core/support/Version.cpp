// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The versions of this executable and of the LLVM it was built with.
#include "core/support/Version.h"

#include "llvm/Config/llvm-config.h"

std::string lh::versionText() {
  return "lh-run " LH_VERSION " (LLVM/MLIR " LLVM_VERSION_STRING ")";
}

std::map<std::string, std::string> lh::versions() {
  return {{"lh-run", LH_VERSION}, {"LLVM", LLVM_VERSION_STRING}};
}

unsigned lh::llvmMajor() { return LLVM_VERSION_MAJOR; }

std::string lh::llvmStanding() {
  return "LLVM " LLVM_VERSION_STRING ": " LH_LLVM_STANDING;
}

std::string lh::librariesStanding() { return "libraries: " LH_SET_STANDING; }
