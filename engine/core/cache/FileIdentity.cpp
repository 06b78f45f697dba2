// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tells that a file is still the same file.
#include "core/cache/FileIdentity.h"

#include "core/support/FileSystem.h"
#include "core/support/Hash.h"

#include "llvm/Support/MemoryBuffer.h"

#include <ctime>
#include <sys/stat.h>

using namespace lh;

static constexpr const char *absent = "absent";

static std::string hashedContents(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return absent;
  StringRef bytes = (*file)->getBuffer();
  return std::to_string(bytes.size()) + " bytes, hash " + blake3Hex({bytes});
}

std::string lh::fileStatus(const std::string &path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0)
    return absent;
  return std::to_string(file.st_size) + " bytes, written at " +
         std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec) + ", inode " +
         std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
}

/// Whether a hash is worth remembering: the file is large, and so old that
/// whoever changes it again gives it another time.
static bool isRemembered(const std::string &path) {
  constexpr off_t large = off_t{1} << 20;
  constexpr time_t settled = 2;
  struct stat file {};
  return stat(path.c_str(), &file) == 0 && file.st_size >= large &&
         std::time(nullptr) - file.st_mtim.tv_sec > settled;
}

const std::string &FileIdentities::byContents(const std::string &path) {
  auto [entry, isNew] = contents.try_emplace(path);
  std::string &hash = entry->second;
  if (!isNew)
    return hash;
  if (folder.empty() || !isRemembered(path))
    return hash = hashedContents(path);
  std::string known = folder + "/" + blake3Hex({path, fileStatus(path)});
  if (auto text = llvm::MemoryBuffer::getFile(known))
    return hash = (*text)->getBuffer().str();
  hash = hashedContents(path);
  CollectingSink unheard; // then the next run computes it again
  (void)writeFileAtomically(known, hash, {}, unheard);
  return hash;
}
