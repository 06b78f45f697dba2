// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and reads the kernels that bubbles name.
#include "core/graph/KernelFinder.h"

#include "core/manifest/KernelParser.h"
#include "core/support/FileSystem.h"

#include "llvm/Support/Path.h"

#include <set>

using namespace lh;

static std::vector<std::string> searchFolders(const KernelSearch &search) {
  std::vector<std::string> folders = {
      absolutePath("kernels", search.folder),
      absolutePath("../kernels", search.folder)};
  for (const std::string &library : search.libraryDirs)
    folders.push_back(absolutePath("kernels", library));
  return folders;
}

/// The kernel's file; empty where there is none.
static std::string findFile(StringRef name, const KernelSearch &search,
                            llvm::vfs::FileSystem &files) {
  if (name.contains('/') || name.ends_with(".yaml")) {
    std::string file = absolutePath(name, search.folder);
    return isFile(files, file) ? file : "";
  }
  for (const std::string &folder : searchFolders(search))
    if (std::string file = absolutePath((name + ".yaml").str(), folder);
        isFile(files, file))
      return file;
  return "";
}

std::vector<std::string> lh::kernelFiles(const KernelSearch &search,
                                         llvm::vfs::FileSystem &files) {
  std::vector<std::string> found;
  std::set<std::string> names;
  for (const std::string &folder : searchFolders(search))
    for (const std::string &file : listFolder(files, folder))
      if (StringRef(file).ends_with(".yaml") &&
          !StringRef(file).ends_with(".test.yaml") &&
          isFile(files, folder + "/" + file) && names.insert(file).second)
        found.push_back(absolutePath(file, folder));
  return found;
}

static std::string suggestion(StringRef name, const KernelSearch &search,
                              llvm::vfs::FileSystem &files) {
  std::vector<std::string> known = kernelFiles(search, files);
  std::vector<StringRef> names;
  for (const std::string &file : known)
    names.push_back(llvm::sys::path::stem(file));
  return didYouMean(name, names);
}

FailureOr<KernelSpec> lh::readKernel(const Located<std::string> &name,
                                     const KernelSearch &search,
                                     SourceStore &sources,
                                     DiagnosticSink &sink) {
  llvm::vfs::FileSystem &files = sources.fileSystem();
  std::string file = findFile(name.value, search, files);
  if (file.empty())
    return sink.error(DiagKind::GraphFileNotFound, name.where,
                      "no kernel '" + name.value +
                          "'; kernels are files kernels/<name>.yaml" +
                          suggestion(name.value, search, files));
  FailureOr<StringRef> text = sources.load(file, name.where, sink);
  if (failed(text))
    return failure();
  FailureOr<KernelSpec> kernel = parseKernel(*text, file, sink);
  if (failed(kernel))
    return failure();
  Located<std::string> &body = bodyFile(*kernel);
  std::string path = absolutePath(body.value, folderOf(file));
  if (!isFile(files, path))
    return sink.error(DiagKind::GraphFileNotFound, body.where,
                      "no file '" + body.value + "' for the kernel's body" +
                          didYouMeanFile(path, files));
  body.value = std::move(path);
  return kernel;
}
