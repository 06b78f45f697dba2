// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An `emit` writes below the output folder, and nowhere else.
#include "core/plan/EmitPath.h"
#include "../TestFolder.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace lh;

static bool isRefused(StringRef path, StringRef folder = "") {
  CollectingSink sink;
  bool refused = failed(emitPlace(path, folder, {"m.yaml", 3, 5, 0}, sink));
  CHECK(sink.diagnostics().size() == refused);
  if (refused) {
    CHECK(sink.diagnostics()[0].kind == DiagKind::SupportUnsafePath);
    CHECK(sink.diagnostics()[0].where.line == 3);
  }
  return refused;
}

TEST_CASE("a relative path lies in the output folder", "[plan]") {
  CollectingSink sink;
  CHECK(*emitPlace("a.ll", "", {}, sink) == "a.ll");
  CHECK(*emitPlace("./b/..c/a.ll", "o/p", {}, sink) == "o/p/./b/..c/a.ll");
  CHECK(*emitPlace("-", "o", {}, sink) == "-");
}

TEST_CASE("a path that leads elsewhere is refused", "[plan]") {
  for (StringRef path :
       {StringRef("../x"), StringRef("a/../../x"), StringRef("a/.."),
        StringRef("/tmp/x"), StringRef("/dev/null"), StringRef(".."),
        StringRef("a\0b.mlir", 8), StringRef("a\nb"), StringRef("a\x1b[0m"),
        StringRef(""), StringRef("."), StringRef("a/")}) {
    INFO(path.str());
    CHECK(isRefused(path));
  }
}

TEST_CASE("a link may not lead out of the output folder", "[plan]") {
  namespace fs = std::filesystem;
  TestFolder folder;
  fs::path top = folder.path;
  fs::create_directories(top / "out/inside");
  fs::create_directories(top / "outside");
  fs::create_symlink(top / "outside", top / "out/away");
  fs::create_symlink("inside", top / "out/near");
  fs::create_symlink(top / "outside/file", top / "out/file");
  std::ofstream(top / "outside/file") << "old";
  std::string out = top / "out";
  CHECK(isRefused("away/x.mlir", out));
  CHECK(isRefused("file", out));
  CHECK_FALSE(isRefused("near/x.mlir", out));
  CHECK_FALSE(isRefused("new/x.mlir", out));
  CHECK_FALSE(isRefused("x.mlir", out + "/away"));
}
