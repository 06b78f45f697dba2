// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What git says has changed.
#include "cli/Changes.h"

#include "core/support/FileSystem.h"
#include "steps/ExternalPrograms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"

using namespace lh;

/// What git answers; failures are silent.
static FailureOr<std::string> git(StringRef folder,
                                  std::vector<std::string> words) {
  CollectingSink silent;
  words.insert(words.begin(), {"git", "-C", folder.str()});
  return runExternalCommand(words, "", silent);
}

/// Git's paths end with a zero byte, and begin at the repository's root.
static void addPaths(StringRef answer, StringRef root,
                     std::vector<std::string> &paths) {
  llvm::SmallVector<StringRef> names;
  answer.split(names, '\0', -1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    paths.push_back(absolutePath(name, root));
}

FailureOr<std::vector<std::string>>
lh::changedSince(StringRef revision, StringRef folder, DiagnosticSink &sink) {
  FailureOr<std::string> top = git(folder, {"rev-parse", "--show-toplevel"});
  if (failed(top))
    return sink.error(DiagKind::DriverUnknownRevision, {},
                      "--affected-by asks git, and '" + folder +
                          "' is in no repository");
  StringRef root = StringRef(*top).rtrim('\n');
  FailureOr<std::string> commit =
      git(root, {"rev-parse", "--verify", "--quiet", "--end-of-options",
                 (revision + "^{commit}").str()});
  if (failed(commit))
    return sink.error(DiagKind::DriverUnknownRevision, {},
                      "git knows no revision '" + revision +
                          "'; a shallow clone lacks old ones (git fetch "
                          "--depth or --unshallow)");
  FailureOr<std::string> changed =
      git(root, {"diff", "--name-only", "--no-renames", "-z",
                 StringRef(*commit).rtrim('\n').str(), "--"});
  FailureOr<std::string> unknown =
      git(root, {"ls-files", "--others", "--exclude-standard", "-z"});
  if (failed(changed) || failed(unknown))
    return sink.error(DiagKind::DriverUnknownRevision, {},
                      "git cannot compare with '" + revision + "'");
  std::vector<std::string> paths;
  addPaths(*changed, root, paths);
  addPaths(*unknown, root, paths);
  return paths;
}

/// Whether `path` is `place` or lies in it.
static bool isWithin(StringRef path, StringRef place) {
  return path.consume_front(place) && (path.empty() || path.starts_with("/"));
}

/// Without links on the way, as git names its files.
static std::string pathWithoutLinks(StringRef path) {
  llvm::SmallString<128> real;
  return llvm::sys::fs::real_path(path, real) ? path.str() : real.str().str();
}

bool lh::isAffected(const Job &job, ArrayRef<std::string> changed,
                    ArrayRef<std::string> always) {
  auto hasChange = [&](const std::string &place) {
    std::string real = pathWithoutLinks(place);
    return llvm::any_of(changed, [&](const std::string &path) {
      return isWithin(path, place) || isWithin(path, real);
    });
  };
  return llvm::any_of(job.inputs, hasChange) || llvm::any_of(always, hasChange);
}
