// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names as file names.
#include "core/support/FileNames.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("a safe name stays, another can't leave its folder", "[support]") {
  CHECK(fileSafe("conv-1.weight_0") == "conv-1.weight_0");
  CHECK(fileSafe("../../x") == ".._.._x");
  CHECK(fileSafe("/etc/passwd") == "_etc_passwd");
  CHECK(fileSafe(StringRef("a\0b\n\x1b\xff", 6)) == "a_b___");
  for (const char *name : {"", ".", "..", "..."}) {
    std::string safe = fileSafe(name);
    CHECK(safe.size() > StringRef(name).size());
    CHECK(safe.front() == '_');
  }
}

TEST_CASE("a long name is cut, and the rest of it counts", "[support]") {
  std::string name(5000, 'a'), other = name + "b";
  CHECK(fileSafe(name).size() == 100);
  CHECK(fileSafe(name) != fileSafe(other));
  CHECK(fileSafe(fileSafe(name)) == fileSafe(name));
  CHECK(fileSafe(std::string(100, 'a')) == std::string(100, 'a'));
  // A golden's file from before there was a limit is found by its name.
  CHECK(fileSafe(std::string(120, '/')) == fileSafe(std::string(120, '_')));
}

TEST_CASE("names that agree as file names are told apart", "[support]") {
  std::vector<std::string> names = {"a/b", "a_b", "a:b", "a_b-2", "a/b"};
  CHECK(fileNames(names) ==
        std::vector<std::string>{"a_b", "a_b-2", "a_b-3", "a_b-2-2", "a_b-4"});
}
