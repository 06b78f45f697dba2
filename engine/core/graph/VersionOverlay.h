// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that have another text with another LLVM.
#ifndef LH_CORE_GRAPH_VERSIONOVERLAY_H
#define LH_CORE_GRAPH_VERSIONOVERLAY_H

#include "core/support/Diagnostic.h"

#include "llvm/Support/VirtualFileSystem.h"

namespace lh {

/// What takes the place of "D/schedules/area/x.mlir" with LLVM `major`:
/// "D/schedules/versions/<major>/area/x.mlir" where that is there, else the
/// file itself, as is any that lies in no `schedules`.
std::string fileForLlvm(StringRef file, unsigned major,
                        llvm::vfs::FileSystem &files);

} // namespace lh

#endif // LH_CORE_GRAPH_VERSIONOVERLAY_H
