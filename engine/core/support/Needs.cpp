// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for programs and files that packages bring.
#include "core/support/Needs.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace lh;

static bool isThere(const std::string &need) {
  if (llvm::StringRef(need).contains('/'))
    return llvm::sys::fs::exists(need);
  return static_cast<bool>(llvm::sys::findProgramByName(need));
}

std::string lh::lacks(llvm::StringRef tool, llvm::StringRef package) {
  return ("there is no '" + tool + "' here; package " + package + " brings it")
      .str();
}

std::string lh::missingNeed(const std::map<std::string, std::string> &needs) {
  for (const auto &[package, need] : needs)
    if (!isThere(need))
      return lacks(need, package);
  return "";
}
