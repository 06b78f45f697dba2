// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths, listings, and writing without leaving half a file behind.
#include "core/support/FileSystem.h"

#include "core/support/StandardStreams.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;
namespace path = llvm::sys::path;

std::string lh::workingDirectory() {
  llvm::SmallString<128> folder;
  return llvm::sys::fs::current_path(folder) ? "" : folder.str().str();
}

std::string lh::absolutePath(StringRef name, StringRef base) {
  llvm::SmallString<256> result;
  if (!path::is_absolute(name))
    result = base;
  path::append(result, name);
  path::remove_dots(result, /*remove_dot_dot=*/true);
  return std::string(result);
}

std::string lh::folderOf(StringRef name) {
  return path::parent_path(name).str();
}

std::string lh::displayPath(StringRef name, StringRef workingDirectory) {
  if (workingDirectory.empty() || !path::is_absolute(name))
    return name.str();
  auto part = path::begin(name), end = path::end(name);
  auto base = path::begin(workingDirectory),
       baseEnd = path::end(workingDirectory);
  while (part != end && base != baseEnd && *part == *base) {
    ++part;
    ++base;
  }
  llvm::SmallString<256> relative;
  for (; base != baseEnd; ++base)
    path::append(relative, "..");
  for (; part != end; ++part)
    path::append(relative, *part);
  return relative.size() < name.size() && !relative.empty()
             ? std::string(relative)
             : name.str();
}

bool lh::isFile(llvm::vfs::FileSystem &files, const Twine &name) {
  auto status = files.status(name);
  return status && status->isRegularFile();
}

bool lh::isFolder(llvm::vfs::FileSystem &files, const Twine &name) {
  auto status = files.status(name);
  return status && status->isDirectory();
}

std::vector<std::string> lh::listFolder(llvm::vfs::FileSystem &files,
                                        StringRef folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = files.dir_begin(folder, error);
       !error && entry != llvm::vfs::directory_iterator();
       entry.increment(error))
    names.push_back(path::filename(entry->path()).str());
  llvm::sort(names);
  return names;
}

std::string lh::didYouMeanFile(StringRef path, llvm::vfs::FileSystem &files) {
  if (files.exists(path))
    return "";
  std::vector<std::string> others = listFolder(files, folderOf(path));
  return didYouMean(path::filename(path),
                    std::vector<StringRef>(others.begin(), others.end()));
}

std::vector<std::string> lh::listFilesBelow(llvm::vfs::FileSystem &files,
                                            StringRef folder) {
  std::vector<std::string> paths;
  for (const std::string &entry : listFolder(files, folder)) {
    if (!isFolder(files, folder + "/" + entry)) {
      paths.push_back(entry);
      continue;
    }
    for (const std::string &inner :
         listFilesBelow(files, (folder + "/" + entry).str()))
      paths.push_back(entry + "/" + inner);
  }
  return paths;
}

/// Extends every path of `found` by the entries that match `component`.
static LogicalResult matchComponent(llvm::vfs::FileSystem &files,
                                    StringRef component,
                                    std::vector<std::string> &found) {
  std::vector<std::string> next;
  auto extend = [&](StringRef folder, StringRef name) {
    llvm::SmallString<256> joined(folder);
    path::append(joined, name);
    next.push_back(std::string(joined));
  };
  if (component.find_first_of("*?[{") == StringRef::npos) {
    for (const std::string &folder : found)
      extend(folder, component);
    found = std::move(next);
    return success();
  }
  llvm::Expected<llvm::GlobPattern> pattern =
      llvm::GlobPattern::create(component, /*MaxSubPatterns=*/64);
  if (!pattern) {
    llvm::consumeError(pattern.takeError());
    return failure();
  }
  for (const std::string &folder : found)
    for (const std::string &name : listFolder(files, folder))
      // As in a shell, `*` does not match hidden files.
      if ((name.front() != '.' || component.front() == '.') &&
          pattern->match(name))
        extend(folder, name);
  found = std::move(next);
  return success();
}

FailureOr<std::vector<std::string>> lh::glob(llvm::vfs::FileSystem &files,
                                             StringRef pattern) {
  std::vector<std::string> found = {
      path::is_absolute(pattern) ? path::root_path(pattern).str() : "."};
  StringRef relative = path::relative_path(pattern);
  for (StringRef component :
       llvm::make_range(path::begin(relative), path::end(relative)))
    if (!component.empty() && failed(matchComponent(files, component, found)))
      return failure();
  llvm::erase_if(found,
                 [&](const std::string &name) { return !files.exists(name); });
  llvm::sort(found);
  return found;
}

/// A device or pipe that exists already, such as /dev/null: never replaced. Nor
/// are other names of open files.
static bool isSpecialFile(StringRef name) {
  for (StringRef names : {"/dev/fd/", "/dev/stderr", "/proc/"})
    if (name.starts_with(names))
      return true;
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(name, status) &&
         status.type() != llvm::sys::fs::file_type::regular_file &&
         status.type() != llvm::sys::fs::file_type::directory_file;
}

static std::error_code writeInPlace(StringRef name, StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream stream(name, error);
  if (error)
    return error;
  stream << contents;
  stream.close();
  error = stream.error();
  stream.clear_error();
  return error;
}

/// A new file beside `name`, whose folder is made when it is missing.
static std::unique_ptr<llvm::raw_fd_ostream>
openBeside(StringRef name, std::string &temporary, std::error_code &error) {
  namespace fs = llvm::sys::fs;
  StringRef folder = path::parent_path(name);
  if (!folder.empty())
    error = fs::create_directories(folder);
  int descriptor = -1;
  llvm::SmallString<256> unique;
  if (!error)
    error = fs::createUniqueFile(name + ".%%%%%%.tmp", descriptor, unique);
  if (error)
    return nullptr;
  temporary = unique.str().str();
  return std::make_unique<llvm::raw_fd_ostream>(descriptor,
                                                /*shouldClose=*/true);
}

AtomicFile::AtomicFile(std::string name) : path(std::move(name)) {
  out = &collected;
  if (isSpecialFile(path))
    return;
  file = openBeside(path, temporary, problem);
  out = file ? static_cast<llvm::raw_ostream *>(file.get()) : &llvm::nulls();
}

AtomicFile::~AtomicFile() {
  if (file)
    file->clear_error();
  if (!temporary.empty())
    llvm::sys::fs::remove(temporary);
}

static LogicalResult written(StringRef name, std::error_code error,
                             const SourceSpan &from, DiagnosticSink &sink);

LogicalResult AtomicFile::commit(const SourceSpan &from, DiagnosticSink &sink) {
  if (out == &collected)
    return writeFileAtomically(path, text, from, sink);
  if (file) {
    file->close();
    problem = file->error();
    file->clear_error();
  }
  if (!problem)
    problem = llvm::sys::fs::rename(temporary, path);
  if (!problem)
    temporary.clear();
  return written(path, problem, from, sink);
}

static std::error_code writeAndRename(StringRef name, StringRef contents) {
  namespace fs = llvm::sys::fs;
  std::string temporary;
  std::error_code error;
  auto stream = openBeside(name, temporary, error);
  if (!stream)
    return error;
  *stream << contents;
  stream->close();
  error = stream->error();
  stream->clear_error();
  if (!error)
    error = fs::rename(temporary, name);
  if (error)
    fs::remove(temporary);
  return error;
}

/// Fails, with a diagnostic, when there is an error.
static LogicalResult written(StringRef name, std::error_code error,
                             const SourceSpan &from, DiagnosticSink &sink) {
  if (!error)
    return success();
  return sink.error(DiagKind::SupportCannotWrite, from,
                    "cannot write '" + name +
                        "': " + StringRef(error.message()).lower());
}

LogicalResult lh::writeFileAtomically(StringRef name, StringRef contents,
                                      const SourceSpan &from,
                                      DiagnosticSink &sink) {
  // Descriptor 1 is not standard output: see setUpStandardStreams().
  for (StringRef output : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
    if (name == output)
      return writeToStandardOutput(contents, from, sink);
  std::error_code error = isSpecialFile(name) ? writeInPlace(name, contents)
                                              : writeAndRename(name, contents);
  return written(name, error, from, sink);
}

LogicalResult lh::checkWritable(StringRef name, const SourceSpan &from,
                                DiagnosticSink &sink) {
  namespace fs = llvm::sys::fs;
  StringRef folder = path::parent_path(name);
  std::error_code error;
  if (!folder.empty())
    error = fs::create_directories(folder);
  // A file in the folder's place counts as a folder that is already there.
  if (!error && !folder.empty() && !fs::is_directory(folder))
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error)
    error = fs::access(folder.empty() ? StringRef(".") : folder,
                       fs::AccessMode::Write);
  if (!error && fs::is_directory(name))
    error = std::make_error_code(std::errc::is_a_directory);
  return written(name, error, from, sink);
}
