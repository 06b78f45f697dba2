// A temporary folder that lives as long as the run.
#ifndef LH_DRIVER_SCRATCHFOLDER_H
#define LH_DRIVER_SCRATCHFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <string>

namespace lh {

class ScratchFolder {
public:
  ScratchFolder() {
    usable = !llvm::sys::fs::createUniqueDirectory("lh-run", folder);
  }
  ~ScratchFolder() {
    if (usable)
      llvm::sys::fs::remove_directories(folder);
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  bool isUsable() const { return usable; }
  std::string path() const { return folder.str().str(); }

private:
  llvm::SmallString<128> folder;
  bool usable = false;
};

} // namespace lh

#endif // LH_DRIVER_SCRATCHFOLDER_H
