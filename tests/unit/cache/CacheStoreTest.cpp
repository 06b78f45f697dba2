// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the store promises when files are cut, changed, or too many.
#include "core/cache/CacheStore.h"

#include "CacheTestSupport.h"

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

using namespace lh;

static const std::string key = "0123456789abcdef";
constexpr uint64_t mebibyte = 1 << 20;

static std::string entryFile(const TestFolder &folder) {
  return folder.file("3/01/23456789abcdef");
}

/// How many bytes the entry's file has.
static off_t entrySize(const TestFolder &folder) {
  struct stat status {};
  REQUIRE(stat(entryFile(folder).c_str(), &status) == 0);
  return status.st_size;
}

static std::string readAll(CacheStore &store) {
  std::unique_ptr<llvm::MemoryBuffer> content;
  CacheHead head;
  if (store.find(key, head) != CacheLookup::Found ||
      store.read(key, content) != CacheLookup::Found)
    return "";
  return head.about + "|" + content->getBuffer().str();
}

TEST_CASE("what is put is found, by another store too", "[cache]") {
  TestFolder folder;
  CacheStore store(folder.file(""), mebibyte);
  REQUIRE(store.whyUnusable().empty());
  store.put(key, "about", "content");
  CHECK(readAll(store) == "about|content");
  store.put(key, "about", "another");
  CacheStore other(folder.file(""), mebibyte);
  CHECK(readAll(other) == "about|another");
  other.remove(key);
  CHECK(readAll(store).empty());
}

TEST_CASE("content is aligned for MLIR's bytecode", "[cache]") {
  TestFolder folder;
  CacheStore store(folder.file(""), mebibyte);
  store.put(key, "odd", "x");
  std::unique_ptr<llvm::MemoryBuffer> content;
  REQUIRE(store.read(key, content) == CacheLookup::Found);
  CHECK(reinterpret_cast<uintptr_t>(content->getBufferStart()) % 64 == 0);
}

TEST_CASE("an entry that is cut anywhere is damaged", "[cache]") {
  TestFolder folder;
  CacheStore store(folder.file(""), mebibyte);
  store.put(key, "about", "content");
  for (off_t size = entrySize(folder) - 1; size >= 0; --size) {
    REQUIRE(truncate(entryFile(folder).c_str(), size) == 0);
    CacheHead head;
    std::unique_ptr<llvm::MemoryBuffer> content;
    CHECK(store.find(key, head) == CacheLookup::Damaged);
    CHECK(store.read(key, content) == CacheLookup::Damaged);
  }
}

TEST_CASE("an entry with any bit changed is damaged", "[cache]") {
  TestFolder folder;
  CacheStore store(folder.file(""), mebibyte);
  store.put(key, "about", "content");
  for (off_t i = 0, size = entrySize(folder); i < size; ++i) {
    int file = open(entryFile(folder).c_str(), O_RDWR);
    char byte = 0;
    REQUIRE(pread(file, &byte, 1, i) == 1);
    char other = static_cast<char>(byte ^ (1 << (i % 8)));
    REQUIRE(pwrite(file, &other, 1, i) == 1);
    CacheHead head;
    std::unique_ptr<llvm::MemoryBuffer> content;
    bool sound = store.find(key, head) == CacheLookup::Found &&
                 store.read(key, content) == CacheLookup::Found;
    CHECK_FALSE(sound);
    REQUIRE(pwrite(file, &byte, 1, i) == 1);
    close(file);
  }
  CHECK(readAll(store) == "about|content");
}

TEST_CASE("what was used last stays when there is too much", "[cache]") {
  TestFolder folder;
  CacheStore store(folder.file(""), 100'000);
  std::string content(10'000, 'x');
  for (int i = 0; i < 20; ++i) {
    std::string name = "aa" + std::to_string(100 + i);
    store.put(name, "about", content);
    std::string path = folder.file("3/aa/" + std::to_string(100 + i));
    timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  }
  CacheHead head;
  REQUIRE(store.find("aa100", head) == CacheLookup::Found); // used just now
  store.trim();
  int left = 0;
  for (int i = 0; i < 20; ++i)
    left +=
        store.find("aa" + std::to_string(100 + i), head) == CacheLookup::Found;
  CHECK(left <= 9);
  CHECK(left >= 7);
  CHECK(store.find("aa100", head) == CacheLookup::Found);
  CHECK(store.find("aa101", head) == CacheLookup::Missing);
  CHECK(store.find("aa119", head) == CacheLookup::Found);
}

TEST_CASE("what other processes of the run have put counts", "[cache]") {
  TestFolder folder;
  CacheStore store(folder.file(""), 10'000);
  for (int child = 0; child < 3; ++child) {
    pid_t process = fork();
    if (process == 0) {
      store.put("bb" + std::to_string(child), "about", std::string(8'000, 'x'));
      _exit(0);
    }
    waitpid(process, nullptr, 0);
  }
  store.trim();
  CacheHead head;
  int left = 0;
  for (int child = 0; child < 3; ++child)
    left +=
        store.find("bb" + std::to_string(child), head) == CacheLookup::Found;
  CHECK(left == 1);
}

TEST_CASE("a folder that can't be made says why", "[cache]") {
  TestFolder folder;
  folder.write("file", "in the way");
  CacheStore store(folder.file("file"), mebibyte);
  CHECK_FALSE(store.whyUnusable().empty());
  store.put(key, "about", "content");
  CHECK(store.failures().empty());
  CHECK(readAll(store).empty());
  store.trim();
}

TEST_CASE("what can't be kept is counted, and nothing is left of it",
          "[cache]") {
  TestFolder folder;
  CacheStore store(folder.file(""), mebibyte);
  store.put(key, "about", "content");
  REQUIRE(store.failures().empty());
  // A folder where the entry's file would go.
  folder.write("3/02", "in the way");
  store.put("0223456789abcdef", "about", "content");
  CHECK(StringRef(store.failures()).starts_with("1 of 2 entries"));
  std::error_code code;
  for (llvm::sys::fs::directory_iterator file(folder.file("3"), code), end;
       file != end && !code; file.increment(code))
    CHECK_FALSE(StringRef(file->path()).ends_with(".part"));
}

TEST_CASE("forEach shows each entry, and skips what is damaged", "[cache]") {
  TestFolder folder;
  CacheStore store(folder.file(""), mebibyte);
  store.put("cc01", "first", "");
  store.put("cc02", "second", "");
  REQUIRE(truncate(folder.file("3/cc/02").c_str(), 30) == 0);
  std::vector<std::string> seen;
  store.forEach([&](StringRef about, int64_t usedAt) {
    seen.push_back(about.str());
    CHECK(usedAt > 0);
  });
  CHECK(seen == std::vector<std::string>{"first"});
}

static std::string entryOf(CacheStore &store) {
  store.put(key, "about", "content");
  return readAll(store);
}

TEST_CASE("what a cache makes is its user's alone", "[cache]") {
  TestFolder folder;
  CacheStore store(folder.file("new"), mebibyte);
  store.put(key, "about", "content");
  store.trim();
  for (const char *made :
       {"new", "new/3", "new/3/01", "new/3/01/23456789abcdef", "new/3/bytes"}) {
    struct stat status {};
    REQUIRE(stat(folder.file(made).c_str(), &status) == 0);
    CHECK((status.st_mode & 077) == 0);
  }
}

TEST_CASE("another user's cache is used only where it is named", "[cache]") {
  TestFolder folder;
  CacheStore own(folder.file(""), mebibyte);
  REQUIRE(entryOf(own) == "about|content");
  CacheStore stranger(folder.file(""), mebibyte, geteuid() + 1);
  CHECK(StringRef(stranger.whyNotPrivate()).contains("another user"));
  CHECK(entryOf(stranger).empty());
  CHECK(stranger.failures().empty());
  CacheStore named(folder.file(""), mebibyte, std::nullopt);
  CHECK(named.whyNotPrivate().empty());
  CHECK(readAll(named) == "about|content");
}

TEST_CASE("a cache that others may write to is used only where it is named",
          "[cache]") {
  for (const char *part : {"", "3", "3/01"})
    for (mode_t mode : {0720, 0702}) {
      TestFolder folder;
      CacheStore before(folder.file(""), mebibyte);
      REQUIRE(entryOf(before) == "about|content");
      REQUIRE(chmod(folder.file(part).c_str(), mode) == 0);
      CacheStore store(folder.file(""), mebibyte);
      CHECK(StringRef(store.whyNotPrivate()).contains("chmod -R go-w"));
      CHECK(entryOf(store).empty());
      CacheStore named(folder.file(""), mebibyte, std::nullopt);
      CHECK(readAll(named) == "about|content");
    }
}

TEST_CASE("an entry that another may have made is left aside, and made anew",
          "[cache]") {
  TestFolder folder;
  std::string other = folder.write("other", "secret");
  std::string file = entryFile(folder);
  auto plant = [&](int what) {
    unlink(file.c_str());
    if (what == 0) {
      CacheStore writer(folder.file(""), mebibyte);
      writer.put(key, "about", "planted");
      return chmod(file.c_str(), 0620);
    }
    return what == 1 ? symlink(other.c_str(), file.c_str())
                     : mkfifo(file.c_str(), 0600);
  };
  CacheStore first(folder.file(""), mebibyte);
  REQUIRE(entryOf(first) == "about|content");
  for (int what = 0; what < 3; ++what) {
    REQUIRE(plant(what) == 0);
    // Links and pipes are left aside in any folder.
    CacheStore store(folder.file(""), mebibyte,
                     what == 0 ? std::optional(geteuid()) : std::nullopt);
    REQUIRE(store.whyNotPrivate().empty());
    CHECK(readAll(store).empty());
    CHECK(StringRef(store.whyNotPrivate()).contains("1 times"));
    CHECK(entryOf(store) == "about|content");
  }
}

TEST_CASE("no link makes a cache write elsewhere", "[cache]") {
  TestFolder folder;
  std::string victim = folder.write("victim", "precious");
  auto isWhole = [&] {
    auto text = llvm::MemoryBuffer::getFile(victim);
    return text && (*text)->getBuffer() == "precious";
  };
  CacheStore store(folder.file(""), mebibyte, std::nullopt);
  // Names of files that are not whole yet can't be guessed; an entry's can.
  store.put(key, "about", "old");
  REQUIRE(unlink(entryFile(folder).c_str()) == 0);
  REQUIRE(symlink(victim.c_str(), entryFile(folder).c_str()) == 0);
  CHECK(entryOf(store) == "about|content");
  CHECK(isWhole());
  REQUIRE(symlink(victim.c_str(), folder.file("3/probe.part").c_str()) == 0);
  CacheStore other(folder.file(""), mebibyte, std::nullopt);
  CHECK(StringRef(other.whyNotPrivate()).contains("neither a file nor"));
  CHECK(isWhole());
}
