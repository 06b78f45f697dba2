// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading text and finding its lines.
#include "core/support/SourceStore.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("a loaded text stays valid and its lines can be asked for",
          "[support]") {
  llvm::vfs::InMemoryFileSystem files;
  files.addFile("/a.yaml", 0,
                llvm::MemoryBuffer::getMemBuffer("one\r\ntwo\n\nfour"));
  SourceStore store(files);
  CollectingSink sink;
  FailureOr<StringRef> text = store.load("/a.yaml", {}, sink);
  REQUIRE(succeeded(text));
  CHECK(store.load("/a.yaml", {}, sink)->data() == text->data());
  CHECK(*store.line("/a.yaml", 1) == "one");
  CHECK(*store.line("/a.yaml", 3) == "");
  CHECK(*store.line("/a.yaml", 4) == "four");
  CHECK_FALSE(store.line("/a.yaml", 5));
  CHECK_FALSE(store.line("/a.yaml", 0));
  CHECK_FALSE(store.line("/none.yaml", 1));
}

TEST_CASE("what can't be read is an error where it was named", "[support]") {
  llvm::vfs::InMemoryFileSystem files;
  files.addFile("/d/a", 0, llvm::MemoryBuffer::getMemBuffer(""));
  SourceStore store(files);
  CollectingSink sink;
  CHECK(failed(store.load("/none", {"m.yaml", 2, 3, 0}, sink)));
  CHECK(failed(store.load("/d", {"m.yaml", 5, 3, 0}, sink)));
  REQUIRE(sink.diagnostics().size() == 2);
  CHECK(kindName(sink.diagnostics()[0].kind) == "support-cannot-read");
  CHECK(sink.diagnostics()[0].where.line == 2);
  CHECK(StringRef(sink.diagnostics()[1].message).contains("directory"));
}
