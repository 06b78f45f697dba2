// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that have another text with another LLVM.
#include "core/graph/VersionOverlay.h"

#include "core/support/FileSystem.h"

using namespace lh;

std::string lh::fileForLlvm(StringRef file, unsigned major,
                            llvm::vfs::FileSystem &files) {
  constexpr StringRef folder = "/schedules/";
  size_t at = file.rfind(folder);
  if (at == StringRef::npos)
    return file.str();
  std::string other = (file.take_front(at + folder.size()) + "versions/" +
                       Twine(major) + "/" + file.drop_front(at + folder.size()))
                          .str();
  return isFile(files, other) ? other : file.str();
}
