// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text from files, models and tools, made into valid UTF-8.
#ifndef LH_CORE_SUPPORT_UTF8_H
#define LH_CORE_SUPPORT_UTF8_H

#include "core/support/Diagnostic.h"

namespace lh {

bool isUtf8(StringRef text);

/// `text` with the replacement character for what is no UTF-8.
std::string repairedUtf8(StringRef text);

} // namespace lh

#endif // LH_CORE_SUPPORT_UTF8_H
