// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --version prints and the JSON report records.
#ifndef LH_CORE_SUPPORT_VERSION_H
#define LH_CORE_SUPPORT_VERSION_H

#include <map>
#include <string>

namespace lh {

/// "lh-run 0.1.0 (LLVM/MLIR 22.1.8)".
std::string versionText();

/// The same by program: "lh-run", "LLVM".
std::map<std::string, std::string> versions();

/// Of the LLVM that it was built with: 22.
unsigned llvmMajor();

/// "LLVM 22.1.8: known good, tested 2026-11-30", or that it isn't, and which
/// are (known-good.json).
std::string llvmStanding();

/// How the libraries that it was built with stand among the sets in
/// known-good.json.
std::string librariesStanding();

} // namespace lh

#endif // LH_CORE_SUPPORT_VERSION_H
