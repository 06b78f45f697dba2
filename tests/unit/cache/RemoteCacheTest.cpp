// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the remote cache is, and what of it is believed.
#include "core/cache/RemoteCache.h"

#include "CacheTestSupport.h"
#include "core/cache/CacheStore.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("an address is of http or https, and may be for reading", "[cache]") {
  auto address = parseRemoteCache("https://cache.example/lh/,read-only");
  REQUIRE(address);
  CHECK(address->url == "https://cache.example/lh");
  CHECK(address->isReadOnly);
  REQUIRE(parseRemoteCache("http://h:8080"));
  CHECK_FALSE(parseRemoteCache("http://h:8080")->isReadOnly);
  for (StringRef text : {"ftp://h", "h:8080", "", "file:///tmp"})
    CHECK_FALSE(parseRemoteCache(text));
}

TEST_CASE("a server that isn't there is asked once", "[cache]") {
  // Nothing listens on the discard port.
  RemoteCache remote(*parseRemoteCache("http://127.0.0.1:9"));
  bool found = false;
  remote.fetch({"aa", "bb"}, [&](StringRef, StringRef) { found = true; });
  CHECK_FALSE(found);
  std::string problem = remote.problem();
  CHECK_FALSE(problem.empty());
  bool asked = false;
  remote.store({"aa"}, [&](StringRef) {
    asked = true;
    return "bytes";
  });
  CHECK_FALSE(asked);
  CHECK(remote.problem() == problem);
}

TEST_CASE("an entry of another store is taken as it was, or not at all",
          "[cache]") {
  TestFolder folder;
  CacheStore ours(folder.file("a"), 1 << 20), theirs(folder.file("b"), 1 << 20);
  constexpr StringRef key = "0123456789abcdef";
  theirs.put(key, "about", "content");
  std::string bytes = theirs.bytesOf(key);
  REQUIRE_FALSE(ours.has(key));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = char(damaged[i] ^ 1);
    CHECK_FALSE(ours.adopt(key, damaged));
    CHECK_FALSE(ours.adopt(key, StringRef(bytes).take_front(i)));
  }
  CHECK_FALSE(ours.adopt(key, bytes + "x"));
  CHECK_FALSE(ours.has(key));
  REQUIRE(ours.adopt(key, bytes));
  CacheHead head;
  std::unique_ptr<llvm::MemoryBuffer> content;
  REQUIRE(ours.find(key, head) == CacheLookup::Found);
  REQUIRE(ours.read(key, content) == CacheLookup::Found);
  CHECK(head.about == "about");
  CHECK(content->getBuffer() == "content");
}
