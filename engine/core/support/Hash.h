// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes for cache keys (fast) and provenance (cryptographic).
#ifndef LH_CORE_SUPPORT_HASH_H
#define LH_CORE_SUPPORT_HASH_H

#include "core/support/Diagnostic.h"

namespace lh {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256Hex(StringRef bytes);

/// A 128-bit xxh3 over `parts` as 32 hexadecimal digits. The lengths take
/// part, so that {"ab", "c"} and {"a", "bc"} differ.
std::string keyHex(ArrayRef<StringRef> parts);

} // namespace lh

#endif // LH_CORE_SUPPORT_HASH_H
