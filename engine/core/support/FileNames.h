// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names from models and manifests as parts of paths: the only way to get one.
#ifndef LH_CORE_SUPPORT_FILENAMES_H
#define LH_CORE_SUPPORT_FILENAMES_H

#include "core/support/Diagnostic.h"

namespace lh {

/// `name` as a file may be called: letters, digits, '.', '_' and '-', where
/// anything else becomes '_'. Neither empty nor `.` nor `..`, and of at most
/// 100 bytes: the end of a longer one gives way to a hash. A name that is safe
/// stays as it is.
std::string fileSafe(StringRef name);

/// fileSafe() of each, no two the same: of those that agree the second gets
/// `-2` after it, and so on.
std::vector<std::string> fileNames(ArrayRef<std::string> names);

} // namespace lh

#endif // LH_CORE_SUPPORT_FILENAMES_H
