// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that exist for one test.
#ifndef LH_TESTS_GRAPH_PROJECTFILES_H
#define LH_TESTS_GRAPH_PROJECTFILES_H

#include "core/support/SourceStore.h"

#include "llvm/Support/VirtualFileSystem.h"

namespace lh {

struct ProjectFiles {
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  SourceStore sources{*files};
  CollectingSink sink;

  void add(StringRef path, StringRef text) {
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  }
};

} // namespace lh

#endif // LH_TESTS_GRAPH_PROJECTFILES_H
