// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where an `emit` bubble writes.
#include "core/plan/EmitPath.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <filesystem>

using namespace lh;
namespace path = llvm::sys::path;

/// What is wrong with `name` as it is written; empty if nothing.
static StringRef whyUnsafe(StringRef name) {
  if (llvm::any_of(name, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
      }))
    return "holds a control character";
  if (path::is_absolute(name))
    return "is absolute";
  if (llvm::is_contained(llvm::make_range(path::begin(name), path::end(name)),
                         ".."))
    return "leads out of the output folder";
  if (path::filename(name) == ".")
    return "names no file";
  return "";
}

/// Whether what exists of `folder/name` lies in `folder`, links followed.
static bool staysInside(StringRef folder, StringRef name) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path root = fs::weakly_canonical(
      folder.empty() ? fs::path(".") : fs::path(folder.str()), error);
  if (error)
    return true; // there is nothing yet that could lead elsewhere
  fs::path place = fs::weakly_canonical(root / name.str(), error);
  if (error)
    return false;
  return std::mismatch(root.begin(), root.end(), place.begin(), place.end())
             .first == root.end();
}

FailureOr<std::string> lh::emitPlace(StringRef name, StringRef folder,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink) {
  if (name == "-")
    return name.str();
  StringRef why = name.empty() ? "names no file" : whyUnsafe(name);
  if (why.empty() && !staysInside(folder, name))
    why = "leads out of the output folder by a symbolic link";
  if (!why.empty())
    return sink.error(DiagKind::SupportUnsafePath, where,
                      "'" + name + "' " + why +
                          "; an 'emit' writes to a relative path without "
                          "'..', below the folder of --out or else below the "
                          "working folder");
  llvm::SmallString<128> place(folder);
  path::append(place, name);
  return std::string(place);
}
