// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder for one test.
#ifndef LH_TESTS_UNIT_TESTFOLDER_H
#define LH_TESTS_UNIT_TESTFOLDER_H

#include "core/support/Diagnostic.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <catch2/catch.hpp>

#include <fstream>

namespace lh {

/// Gone with all that is in it when its owner goes.
class TestFolder {
public:
  TestFolder() {
    llvm::SmallString<128> unique;
    REQUIRE_FALSE(llvm::sys::fs::createUniqueDirectory("lh-unit", unique));
    path = std::string(unique);
  }
  ~TestFolder() { (void)llvm::sys::fs::remove_directories(path); }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;

  /// The path of a file in it.
  std::string file(StringRef name) const { return path + "/" + name.str(); }
  std::string write(StringRef name, StringRef content) const {
    std::ofstream(file(name), std::ios::binary) << content.str();
    return file(name);
  }

  std::string path;
};

} // namespace lh

#endif // LH_TESTS_UNIT_TESTFOLDER_H
