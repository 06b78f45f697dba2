// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bubbles a name on the command line stands for.
#include "core/plan/BubbleNames.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

using namespace lh;

using Indices = std::vector<size_t>;
static const StringRef path[] = {"import", "fast/tile/single",
                                 "fast/tile/double", "fast/math", "run"};

TEST_CASE("a bubble is named with all that is inside of it", "[plan]") {
  CHECK(bubblesNamed(path, "import") == Indices{0});
  CHECK(bubblesNamed(path, "fast") == Indices{1, 2, 3});
  CHECK(bubblesNamed(path, "fast/tile") == Indices{1, 2});
  CHECK(bubblesNamed(path, "fast/tile/double") == Indices{2});
}

TEST_CASE("composite bubbles around it may be left out", "[plan]") {
  CHECK(bubblesNamed(path, "tile") == Indices{1, 2});
  CHECK(bubblesNamed(path, "tile/double") == Indices{2});
  CHECK(bubblesNamed(path, "math") == Indices{3});
}

TEST_CASE("a part of a name is no name", "[plan]") {
  CHECK(bubblesNamed(path, "fas").empty());
  CHECK(bubblesNamed(path, "tile/sing").empty());
  CHECK(bubblesNamed(path, "ile").empty());
}

TEST_CASE("the outer bubble of a name comes before an inner one", "[plan]") {
  StringRef twice[] = {"tile", "fast/tile/single"};
  CHECK(bubblesNamed(twice, "tile") == Indices{0});
}

TEST_CASE("every name that may be asked for is suggested", "[plan]") {
  auto names = namesToAskFor(path);
  for (StringRef name : {"import", "fast", "fast/tile", "tile", "tile/double",
                         "double", "fast/tile/double", "math"})
    CHECK(llvm::is_contained(names, name));
}
