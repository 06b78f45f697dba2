// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes.
#include "core/support/Hash.h"

#include <catch2/catch.hpp>

#include <sys/mman.h>

using namespace lh;

TEST_CASE("sha256 gives the standard's digest", "[support]") {
  CHECK(sha256Hex("abc") == "ba7816bf8f01cfea414140de5dae2223"
                            "b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("sha256 counts the bits of more than 512 MiB", "[support]") {
  // Never written to, so that it takes no memory.
  constexpr size_t size = (size_t(512) << 20) + 1;
  void *zeros = mmap(nullptr, size, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(zeros != MAP_FAILED);
  // head -c 536870913 /dev/zero | sha256sum
  CHECK(sha256Hex({static_cast<const char *>(zeros), size}) ==
        "7c40fe5ce847740d0f0d0cdde3949d6585804cdec3ae61a15b923165699c8137");
  munmap(zeros, size);
}

TEST_CASE("a key depends on how its parts are divided", "[support]") {
  CHECK(keyHex({"ab", "c"}) != keyHex({"a", "bc"}));
  CHECK(keyHex({"ab", "c"}) == keyHex({"ab", "c"}));
  CHECK(keyHex({}) != keyHex({""}));
  CHECK(keyHex({"ab"}).size() == 32);
}
