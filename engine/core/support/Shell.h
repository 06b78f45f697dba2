// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words for a POSIX shell.
#ifndef LH_CORE_SUPPORT_SHELL_H
#define LH_CORE_SUPPORT_SHELL_H

#include "core/support/Diagnostic.h"

namespace lh {

/// `text` as one word of a POSIX shell: in quotes where that is needed.
std::string shellWord(StringRef text);

/// `words` as a command line.
std::string shellLine(ArrayRef<std::string> words);

} // namespace lh

#endif // LH_CORE_SUPPORT_SHELL_H
