// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names from models and manifests as parts of paths: the only way to get one.
#include "core/support/FileNames.h"

#include "core/support/Hash.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace lh;

constexpr size_t longestName = 100;

std::string lh::fileSafe(StringRef name) {
  std::string safe = name.str();
  for (char &c : safe)
    if (!llvm::isAlnum(c) && !StringRef("._-").contains(c))
      c = '_';
  if (StringRef(safe).find_first_not_of('.') == StringRef::npos)
    safe.insert(0, "_");
  if (safe.size() <= longestName)
    return safe;
  // Of the safe name, not of the name: golden files from before there was a
  // limit have that, and are found by it.
  std::string hash = "-" + keyHex({safe}).substr(0, 16);
  return safe.substr(0, longestName - hash.size()) + hash;
}

std::vector<std::string> lh::fileNames(ArrayRef<std::string> names) {
  std::vector<std::string> files;
  std::set<std::string> taken;
  for (const std::string &name : names) {
    std::string safe = fileSafe(name), file = safe;
    for (size_t number = 2; !taken.insert(file).second; ++number)
      file = safe + "-" + std::to_string(number);
    files.push_back(std::move(file));
  }
  return files;
}
