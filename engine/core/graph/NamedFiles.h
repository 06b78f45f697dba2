// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and reads the kernels and the tools that bubbles name.
#ifndef LH_CORE_GRAPH_NAMEDFILES_H
#define LH_CORE_GRAPH_NAMEDFILES_H

#include "core/manifest/Manifest.h"
#include "core/support/SourceStore.h"

namespace lh {

/// Where files of one kind may lie, in this order: `<kind>s` of `folder`, that
/// of its parent, and `<kind>s` of each library folder.
struct NamedFileSearch {
  StringRef kind; ///< "kernel", "tool"
  std::string folder;
  ArrayRef<std::string> libraryDirs;
};

/// Reads the kernel called `name` or, if that looks like a path, that file
/// relative to the search's folder. Its body's path is made absolute.
FailureOr<KernelSpec> readKernel(const Located<std::string> &name,
                                 const NamedFileSearch &search,
                                 SourceStore &sources, DiagnosticSink &sink);

/// Reads the tool called `name`, in the same way.
FailureOr<ToolSpec> readTool(const Located<std::string> &name,
                             const NamedFileSearch &search,
                             SourceStore &sources, DiagnosticSink &sink);

/// All files that can be named, each name's first.
std::vector<std::string> namedFiles(const NamedFileSearch &search,
                                    llvm::vfs::FileSystem &files);

} // namespace lh

#endif // LH_CORE_GRAPH_NAMEDFILES_H
