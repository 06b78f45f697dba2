// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder changes as a whole or not at all.
#include "core/support/FolderUpdate.h"
#include "../TestFolder.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace lh;

namespace {

struct FolderUpdateTest {
  bool update(const FolderChanges &changes) {
    return succeeded(updateFolder(folder, changes, {}, sink));
  }
  std::string read(const std::string &name) const {
    auto buffer = llvm::MemoryBuffer::getFile(folder + "/" + name);
    return buffer ? (*buffer)->getBuffer().str() : "(none)";
  }
  /// What lies beside the folder.
  size_t besides() const {
    auto begin = std::filesystem::directory_iterator(top.path);
    return static_cast<size_t>(std::distance(begin, {})) - 1;
  }

  TestFolder top;
  std::string folder = top.file("it");
  CollectingSink sink;
};

} // namespace

TEST_CASE_METHOD(FolderUpdateTest, "a folder is made with all its files",
                 "[folder]") {
  REQUIRE(update({{"a", "1"}, {"deep/b", "2"}, {"absent", std::nullopt}}));
  CHECK(read("a") == "1");
  CHECK(read("deep/b") == "2");
  CHECK(besides() == 0);
}

TEST_CASE_METHOD(FolderUpdateTest, "files change, go and stay", "[folder]") {
  REQUIRE(update({{"a", "1"}, {"b", "2"}, {"deep/c", "3"}}));
  REQUIRE(update({{"a", "4"}, {"b", std::nullopt}}));
  CHECK(read("a") == "4");
  CHECK(read("b") == "(none)");
  CHECK(read("deep/c") == "3");
  CHECK(besides() == 0);
}

TEST_CASE_METHOD(FolderUpdateTest, "a change that fails leaves all as it was",
                 "[folder]") {
  REQUIRE(update({{"a", "1"}, {"deep/c", "3"}}));
  CHECK_FALSE(update({{"a", "4"}, {"deep", "no folder any more"}}));
  CHECK(sink.diagnostics().back().kind == DiagKind::SupportCannotWrite);
  CHECK(read("a") == "1");
  CHECK(read("deep/c") == "3");
  CHECK(besides() == 0);
}

TEST_CASE_METHOD(FolderUpdateTest, "a link to a folder stays one", "[folder]") {
  REQUIRE(update({{"a", "1"}}));
  REQUIRE_FALSE(llvm::sys::fs::create_link(folder, top.file("link")));
  folder = top.file("link");
  REQUIRE(update({{"a", "2"}}));
  CHECK(std::filesystem::is_symlink(folder));
  CHECK(read("a") == "2");
}

TEST_CASE_METHOD(FolderUpdateTest,
                 "a replaced folder has nothing of the old one", "[folder]") {
  REQUIRE(
      succeeded(replaceFolder(folder, {{"a", "1"}, {"b/c", "2"}}, {}, sink)));
  REQUIRE(succeeded(replaceFolder(folder, {{"b/d", "3"}}, {}, sink)));
  CHECK_FALSE(std::filesystem::exists(folder + "/a"));
  CHECK_FALSE(std::filesystem::exists(folder + "/b/c"));
  CHECK(std::filesystem::exists(folder + "/b/d"));
  // Nothing else is left beside it.
  auto beside = std::filesystem::directory_iterator(top.path);
  CHECK(std::distance(begin(beside), end(beside)) == 1);
}
