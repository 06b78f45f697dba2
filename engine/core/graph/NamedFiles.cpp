// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and reads the kernels and the tools that bubbles name.
#include "core/graph/NamedFiles.h"

#include "core/manifest/KernelParser.h"
#include "core/manifest/ToolParser.h"
#include "core/support/FileSystem.h"

#include "llvm/Support/Path.h"

#include <set>

using namespace lh;

static std::vector<std::string> searchFolders(const NamedFileSearch &search) {
  std::string own = (search.kind + "s").str();
  std::vector<std::string> folders = {absolutePath(own, search.folder),
                                      absolutePath("../" + own, search.folder)};
  for (const std::string &library : search.libraryDirs)
    folders.push_back(absolutePath(own, library));
  return folders;
}

/// Empty where there is none.
static std::string findNamed(StringRef name, const NamedFileSearch &search,
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

std::vector<std::string> lh::namedFiles(const NamedFileSearch &search,
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

static std::string suggestion(StringRef name, const NamedFileSearch &search,
                              llvm::vfs::FileSystem &files) {
  std::vector<std::string> known = namedFiles(search, files);
  std::vector<StringRef> names;
  for (const std::string &file : known)
    names.push_back(llvm::sys::path::stem(file));
  return didYouMean(name, names);
}

namespace {
struct NamedFile {
  std::string path;
  StringRef text;
};
} // namespace

static FailureOr<NamedFile> load(const Located<std::string> &name,
                                 const NamedFileSearch &search,
                                 SourceStore &sources, DiagnosticSink &sink) {
  llvm::vfs::FileSystem &files = sources.fileSystem();
  std::string file = findNamed(name.value, search, files);
  if (file.empty())
    return sink.error(DiagKind::GraphFileNotFound, name.where,
                      "no " + search.kind + " '" + name.value + "'; " +
                          search.kind + "s are files " + search.kind +
                          "s/<name>.yaml" +
                          suggestion(name.value, search, files));
  FailureOr<StringRef> text = sources.load(file, name.where, sink);
  if (failed(text))
    return failure();
  return NamedFile{std::move(file), *text};
}

FailureOr<KernelSpec> lh::readKernel(const Located<std::string> &name,
                                     const NamedFileSearch &search,
                                     SourceStore &sources,
                                     DiagnosticSink &sink) {
  FailureOr<NamedFile> file = load(name, search, sources, sink);
  if (failed(file))
    return failure();
  FailureOr<KernelSpec> kernel = parseKernel(file->text, file->path, sink);
  if (failed(kernel))
    return failure();
  llvm::vfs::FileSystem &files = sources.fileSystem();
  Located<std::string> &body = bodyFile(*kernel);
  std::string path = absolutePath(body.value, folderOf(file->path));
  if (!isFile(files, path))
    return sink.error(DiagKind::GraphFileNotFound, body.where,
                      "no file '" + body.value + "' for the kernel's body" +
                          didYouMeanFile(path, files));
  body.value = std::move(path);
  return kernel;
}

FailureOr<ToolSpec> lh::readTool(const Located<std::string> &name,
                                 const NamedFileSearch &search,
                                 SourceStore &sources, DiagnosticSink &sink) {
  FailureOr<NamedFile> file = load(name, search, sources, sink);
  if (failed(file))
    return failure();
  return parseTool(file->text, file->path, sink);
}
