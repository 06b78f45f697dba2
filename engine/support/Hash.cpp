// Hashes for cache keys (fast) and provenance (cryptographic).
#include "support/Hash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

using namespace lh;

std::string lh::sha256Hex(StringRef bytes) {
  llvm::SHA256 hash;
  hash.update(bytes);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
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
