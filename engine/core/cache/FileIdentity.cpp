// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tells that a file is still the same file.
#include "core/cache/FileIdentity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <sys/stat.h>

using namespace lh;

static constexpr const char *absent = "absent";

static std::string hashedContents(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return absent;
  StringRef bytes = (*file)->getBuffer();
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(bytes));
  return std::to_string(bytes.size()) + " bytes, hash " +
         llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16) +
         llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16);
}

static std::string status(const std::string &path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0)
    return absent;
  return std::to_string(file.st_size) + " bytes, written at " +
         std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec) + ", inode " +
         std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
}

const std::string &FileIdentities::byContents(const std::string &path) {
  auto [entry, isNew] = contents.try_emplace(path);
  if (isNew)
    entry->second = hashedContents(path);
  return entry->second;
}

const std::string &FileIdentities::byStatus(const std::string &path) {
  auto [entry, isNew] = statuses.try_emplace(path);
  if (isNew)
    entry->second = status(path);
  return entry->second;
}
