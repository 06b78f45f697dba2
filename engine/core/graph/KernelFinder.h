// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and reads the kernels that bubbles name.
#ifndef LH_CORE_GRAPH_KERNELFINDER_H
#define LH_CORE_GRAPH_KERNELFINDER_H

#include "core/manifest/Manifest.h"
#include "core/support/SourceStore.h"

namespace lh {

/// Where kernels may lie, in this order: `kernels` of `folder`, that of its
/// parent, and `kernels` of each library folder.
struct KernelSearch {
  std::string folder;
  ArrayRef<std::string> libraryDirs;
};

/// Reads the kernel called `name` (or, if it looks like a path, that file
/// relative to the search's folder), its body's path made absolute.
FailureOr<KernelSpec> readKernel(const Located<std::string> &name,
                                 const KernelSearch &search,
                                 SourceStore &sources, DiagnosticSink &sink);

/// The files of all kernels that can be named, each name's first.
std::vector<std::string> kernelFiles(const KernelSearch &search,
                                     llvm::vfs::FileSystem &files);

} // namespace lh

#endif // LH_CORE_GRAPH_KERNELFINDER_H
