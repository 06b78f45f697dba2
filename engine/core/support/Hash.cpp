// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes for names (fast), cache keys and provenance (cryptographic).
#include "core/support/Hash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/xxhash.h"

#include <openssl/evp.h>

using namespace lh;

std::string lh::sha256Hex(StringRef bytes) {
  // LLVM's own counts the bits in 32 and is wrong from 512 MiB on.
  std::array<uint8_t, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (!EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size,
                  EVP_sha256(), nullptr))
    llvm::report_fatal_error("libcrypto has no SHA-256");
  return llvm::toHex(ArrayRef(digest.data(), size), /*LowerCase=*/true);
}

std::array<uint8_t, 32> lh::blake3(ArrayRef<StringRef> parts) {
  llvm::BLAKE3 hasher;
  for (StringRef part : parts)
    hasher.update(part);
  return hasher.final<32>();
}

std::string lh::blake3Hex(ArrayRef<StringRef> parts) {
  llvm::BLAKE3 hasher;
  for (StringRef part : parts) {
    hasher.update(std::to_string(part.size()) + ":");
    hasher.update(part);
  }
  return llvm::toHex(hasher.final<32>(), /*LowerCase=*/true);
}

std::string lh::keyHex(ArrayRef<StringRef> parts) {
  std::string text;
  for (StringRef part : parts)
    text += std::to_string(part.size()) + ":" + part.str();
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
  std::string high = llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16);
  return high + llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16);
}
