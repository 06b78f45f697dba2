// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes for names (fast), cache keys and provenance (cryptographic).
#ifndef LH_CORE_SUPPORT_HASH_H
#define LH_CORE_SUPPORT_HASH_H

#include "core/support/Diagnostic.h"

#include <array>

namespace lh {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256Hex(StringRef bytes);

/// BLAKE3 of `parts`, one behind the other: 256 bits.
std::array<uint8_t, 32> blake3(ArrayRef<StringRef> parts);

/// BLAKE3 over `parts` as 64 hexadecimal digits. The lengths take part.
std::string blake3Hex(ArrayRef<StringRef> parts);

/// A 128-bit xxh3 over `parts` as 32 hexadecimal digits. The lengths take
/// part, so that {"ab", "c"} and {"a", "bc"} differ.
std::string keyHex(ArrayRef<StringRef> parts);

} // namespace lh

#endif // LH_CORE_SUPPORT_HASH_H
