// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stable names of enumerators, as users and files have them.
#ifndef LH_CORE_SUPPORT_ENUMNAMES_H
#define LH_CORE_SUPPORT_ENUMNAMES_H

#include "core/support/Diagnostic.h"

namespace lh {

inline ArrayRef<StringRef> enumNames(Severity) {
  static constexpr StringRef names[] = {"error", "warning", "remark"};
  return names;
}

/// Those shown in brackets, e.g. 'manifest-unknown-key'.
ArrayRef<StringRef> enumNames(DiagKind);

template <typename Enum> StringRef enumName(Enum value) {
  return enumNames(value)[static_cast<size_t>(value)];
}

} // namespace lh

#endif // LH_CORE_SUPPORT_ENUMNAMES_H
