// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths as they are the same in another checkout, or on another machine.
#include "core/support/PortablePaths.h"

#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

static constexpr StringRef manifestName = "@{manifest}/";
static constexpr StringRef libraryPrefix = "@{library";
static constexpr StringRef withPrefix = "@{with ";

/// Of two names of a folder the first counts, and of two folders of a name.
void PortablePaths::add(std::string folder, std::string name) {
  if (!names.count(folder) && folders.emplace(name, folder).second)
    names.emplace(std::move(folder), std::move(name));
}

PortablePaths::PortablePaths(StringRef manifestFolder,
                             ArrayRef<std::string> libraries) {
  for (const auto &[i, library] : llvm::enumerate(libraries))
    add(library + "/",
        (libraryPrefix + (i ? std::to_string(i) : "") + "}/").str());
  std::string folder = manifestFolder.str();
  for (unsigned up = 0; folder.size() > 1; ++up, folder = folderOf(folder))
    add(folder + "/",
        up ? "@{manifest^" + std::to_string(up) + "}/" : manifestName.str());
}

/// The innermost folder with a name that `path` lies in.
PortablePaths::Texts::const_iterator
PortablePaths::innermost(StringRef path) const {
  if (!path.starts_with("/"))
    return names.end();
  for (size_t end = path.rfind('/'); end != 0 && end != StringRef::npos;
       end = path.take_front(end).rfind('/'))
    if (auto found = names.find(path.take_front(end + 1)); found != names.end())
      return found;
  return names.end();
}

void PortablePaths::addFolder(StringRef folder, StringRef with) {
  std::string whole = (folder + "/").str();
  auto around = innermost(whole);
  bool isOwn = around != names.end() &&
               (around->second == manifestName ||
                StringRef(around->second).starts_with(libraryPrefix));
  if (!isOwn && folder.size() > 1)
    add(std::move(whole), (withPrefix + with + "}/").str());
}

std::string PortablePaths::pack(StringRef path) const {
  auto found = innermost(path);
  return found == names.end()
             ? path.str()
             : found->second + path.drop_front(found->first.size()).str();
}

std::string PortablePaths::shown(StringRef path) const {
  std::string packed = pack(path);
  return StringRef(packed).starts_with(withPrefix)
             ? StringRef(packed).split("}/").second.str()
             : packed;
}

/// The name that `text` begins with; "": none.
static StringRef nameAt(StringRef text) {
  size_t end = text.starts_with("@{") ? text.find("}/") : StringRef::npos;
  return end == StringRef::npos ? "" : text.take_front(end + 2);
}

std::string PortablePaths::unpack(StringRef packed) const {
  StringRef name = nameAt(packed);
  auto found = name.empty() ? folders.end() : folders.find(name);
  return found == folders.end()
             ? packed.str()
             : found->second + packed.drop_front(name.size()).str();
}

/// Whether a path may begin behind `c`.
static bool isBoundary(char c) {
  return !llvm::isAlnum(c) && !StringRef("/._-").contains(c);
}

std::string PortablePaths::packAll(StringRef text) const {
  std::string packed;
  for (size_t i = 0; i < text.size();) {
    auto found = names.end();
    if (text[i] == '/' && (i == 0 || isBoundary(text[i - 1])))
      found = innermost(text.drop_front(i).take_until(
          [](char c) { return StringRef("\"'\n").contains(c); }));
    if (found != names.end()) {
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
    StringRef name = nameAt(text);
    auto found = name.empty() ? folders.end() : folders.find(name);
    bool isFolder = found != folders.end();
    unpacked += isFolder ? found->second : "@{";
    text = text.drop_front(isFolder ? name.size() : 2);
  }
  return unpacked + text.str();
}
