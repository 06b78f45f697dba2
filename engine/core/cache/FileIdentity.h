// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tells that a file is still the same file.
#ifndef LH_CORE_CACHE_FILEIDENTITY_H
#define LH_CORE_CACHE_FILEIDENTITY_H

#include "core/support/Diagnostic.h"

#include <map>

namespace lh {

/// Asks about each file once.
class FileIdentities {
public:
  /// Hashes of large files are remembered in `folder`, by path, size, time and
  /// inode; without one, they are computed.
  explicit FileIdentities(std::string folder = "")
      : folder(std::move(folder)) {}

  /// Its size and a hash of what it holds; "absent" when it can't be read.
  const std::string &byContents(const std::string &path);

private:
  std::string folder;
  std::map<std::string, std::string> contents;
};

/// The file's size, when it was written, and its inode; "absent" without one.
std::string fileStatus(const std::string &path);

} // namespace lh

#endif // LH_CORE_CACHE_FILEIDENTITY_H
