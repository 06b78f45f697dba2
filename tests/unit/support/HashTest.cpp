// Hashes.
#include "support/Hash.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("sha256 gives the standard's digest", "[support]") {
  CHECK(sha256Hex("abc") == "ba7816bf8f01cfea414140de5dae2223"
                            "b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a key depends on how its parts are divided", "[support]") {
  CHECK(keyHex({"ab", "c"}) != keyHex({"a", "bc"}));
  CHECK(keyHex({"ab", "c"}) == keyHex({"ab", "c"}));
  CHECK(keyHex({}) != keyHex({""}));
  CHECK(keyHex({"ab"}).size() == 32);
}
