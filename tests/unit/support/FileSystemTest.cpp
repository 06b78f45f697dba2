// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths, listings and atomic writes.
#include "core/support/FileSystem.h"
#include "../TestFolder.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("paths become absolute and lose their dots", "[support]") {
  CHECK(absolutePath("../s/./a.mlir", "/p/m") == "/p/s/a.mlir");
  CHECK(absolutePath("/x/../y", "/p") == "/y");
  CHECK(absolutePath("a", "") == "a");
  CHECK(folderOf("/p/m/a.yaml") == "/p/m");
}

TEST_CASE("a path is shown relative to here when that is shorter",
          "[support]") {
  CHECK(displayPath("/users/u/p/a.yaml", "/users/u/p") == "a.yaml");
  CHECK(displayPath("/users/u/q/a.yaml", "/users/u/p") == "../q/a.yaml");
  CHECK(displayPath("/a.yaml", "/users/u/p") == "/a.yaml");
  CHECK(displayPath("a.yaml", "/users/u/p") == "a.yaml");
  CHECK(displayPath("/users/u/p/a.yaml", "") == "/users/u/p/a.yaml");
}

static llvm::vfs::InMemoryFileSystem &
addFiles(llvm::vfs::InMemoryFileSystem &files) {
  for (const char *name :
       {"/d/test_b/model.onnx", "/d/test_a/model.onnx", "/d/other/model.onnx",
        "/d/.test_c/model.onnx", "/d/test_a/data"})
    files.addFile(name, 0, llvm::MemoryBuffer::getMemBuffer(""));
  return files;
}

TEST_CASE("glob matches within a component, sorted, existing only",
          "[support]") {
  llvm::vfs::InMemoryFileSystem files;
  addFiles(files);
  auto all = glob(files, "/d/test_*/model.onnx");
  REQUIRE(succeeded(all));
  CHECK(*all == std::vector<std::string>{"/d/test_a/model.onnx",
                                         "/d/test_b/model.onnx"});
  auto data = glob(files, "/d/*/data");
  REQUIRE(succeeded(data));
  CHECK(*data == std::vector<std::string>{"/d/test_a/data"});
  auto none = glob(files, "/d/nothing");
  REQUIRE(succeeded(none));
  CHECK(none->empty());
  auto hidden = glob(files, "/d/.test_*");
  REQUIRE(succeeded(hidden));
  CHECK(hidden->size() == 1);
  CHECK(failed(glob(files, "/d/[")));
}

TEST_CASE("a listing is sorted, and empty for what is no folder", "[support]") {
  llvm::vfs::InMemoryFileSystem files;
  addFiles(files);
  CHECK(listFolder(files, "/d/test_a") ==
        std::vector<std::string>{"data", "model.onnx"});
  CHECK(listFolder(files, "/none").empty());
  CHECK(isFolder(files, "/d"));
  CHECK_FALSE(isFile(files, "/d"));
  CHECK(isFile(files, "/d/test_a/data"));
}

TEST_CASE("a write replaces the file at once and leaves nothing else",
          "[support]") {
  TestFolder own;
  const std::string &folder = own.path;
  auto real = llvm::vfs::getRealFileSystem();
  std::string file = absolutePath("new/out.txt", folder);
  CollectingSink sink;
  CHECK(succeeded(writeFileAtomically(file, "one", {}, sink)));
  CHECK(succeeded(writeFileAtomically(file, "two", {}, sink)));
  auto buffer = real->getBufferForFile(file);
  REQUIRE(buffer);
  CHECK((*buffer)->getBuffer() == "two");
  CHECK(listFolder(*real, absolutePath("new", folder)).size() == 1);

  // A folder stands where the file should: an error, and nothing left over.
  SourceSpan where{"m.yaml", 4, 2, 0};
  CHECK(failed(
      writeFileAtomically(absolutePath("new", folder), "x", where, sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(kindName(sink.diagnostics()[0].kind) == "support-cannot-write");
  CHECK(sink.diagnostics()[0].where.line == 4);
  CHECK(listFolder(*real, folder) == std::vector<std::string>{"new"});
  CHECK(failed(writeFileAtomically(absolutePath("new/out.txt/a/b", folder), "x",
                                   where, sink)));
}
