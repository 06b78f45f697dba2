// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths as they are the same in another checkout, or on another machine.
#include "core/support/PortablePaths.h"

#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

PortablePaths::PortablePaths(StringRef manifestFolder,
                             ArrayRef<std::string> libraries) {
  for (const auto &[i, library] : llvm::enumerate(libraries))
    folders.emplace_back(library + "/",
                         "@{library" + (i ? std::to_string(i) : "") + "}/");
  std::string folder = manifestFolder.str();
  for (unsigned up = 0; folder.size() > 1; ++up, folder = folderOf(folder))
    folders.emplace_back(folder + "/", up ? "@{manifest^" + std::to_string(up) +
                                                "}/"
                                          : "@{manifest}/");
  llvm::stable_sort(folders, [](const auto &a, const auto &b) {
    return a.first.size() > b.first.size();
  });
}

std::string PortablePaths::pack(StringRef path) const {
  for (const auto &[folder, name] : folders)
    if (path.starts_with(folder))
      return name + path.drop_front(folder.size()).str();
  return path.str();
}

std::string PortablePaths::unpack(StringRef packed) const {
  for (const auto &[folder, name] : folders)
    if (packed.starts_with(name))
      return folder + packed.drop_front(name.size()).str();
  return packed.str();
}

/// Whether a path may begin behind `c`.
static bool isBoundary(char c) {
  return !llvm::isAlnum(c) && !StringRef("/._-").contains(c);
}

std::string PortablePaths::packAll(StringRef text) const {
  std::string packed;
  for (size_t i = 0; i < text.size();) {
    StringRef rest = text.drop_front(i);
    auto found = folders.end();
    if (rest.front() == '/' && (i == 0 || isBoundary(text[i - 1])))
      found = llvm::find_if(folders, [&](const auto &entry) {
        return rest.starts_with(entry.first);
      });
    if (found != folders.end()) {
      packed += found->second;
      i += found->first.size();
    } else {
      packed += text[i++];
    }
  }
  return packed;
}

std::string PortablePaths::unpackAll(StringRef text) const {
  std::string unpacked;
  for (size_t at = text.find("@{"); at != StringRef::npos;
       at = text.find("@{")) {
    unpacked += text.take_front(at).str();
    text = text.drop_front(at);
    auto found = llvm::find_if(folders, [&](const auto &entry) {
      return text.starts_with(entry.second);
    });
    bool isFolder = found != folders.end();
    unpacked += isFolder ? found->first : "@{";
    text = text.drop_front(isFolder ? found->second.size() : 2);
  }
  return unpacked + text.str();
}
