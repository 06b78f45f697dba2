// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each format stores of the same few elements.
#include "core/numerics/SparseFormat.h"

#include <catch2/catch.hpp>

using namespace lh;

using Numbers = std::vector<int64_t>;
using Indices = std::vector<std::vector<int64_t>>;

static SparseLevel level(LevelKind kind, size_t dim, int64_t size) {
  SparseLevel made;
  made.kind = kind;
  made.dim = dim;
  made.size = size;
  return made;
}

static SparseLevel part(SparseLevel made, int64_t divisor, bool isRemainder) {
  made.divisor = divisor;
  made.isRemainder = isRemainder;
  return made;
}

/// Which given element each stored one is; -1 for a zero.
static Numbers givenOf(const SparseLayout &layout) {
  Numbers given;
  for (const StoredElement &element : layout.elements)
    given.push_back(element.given ? int64_t(*element.given) : -1);
  return given;
}

// . 0 .
// . . .
// 2 . 1
static const Indices three = {{0, 1}, {2, 2}, {2, 0}};

TEST_CASE("compressed rows have a position for each row, empty ones too",
          "[sparse]") {
  SparseFormat csr{
      {3, 3},
      {level(LevelKind::Dense, 0, 3), level(LevelKind::Compressed, 1, 3)}};
  std::optional<SparseLayout> layout = layOut(csr, three);
  REQUIRE(layout);
  CHECK(layout->levels[0].positions.empty());
  CHECK(layout->levels[1].positions == Numbers{0, 1, 1, 3});
  CHECK(layout->levels[1].coordinates == Numbers{1, 0, 2});
  CHECK(givenOf(*layout) == Numbers{0, 2, 1});
  CHECK(layout->elements[1].indices == Numbers{2, 0});
}

TEST_CASE("compressed columns go column by column", "[sparse]") {
  SparseFormat csc{
      {3, 3},
      {level(LevelKind::Dense, 1, 3), level(LevelKind::Compressed, 0, 3)}};
  std::optional<SparseLayout> layout = layOut(csc, three);
  REQUIRE(layout);
  CHECK(layout->levels[1].positions == Numbers{0, 1, 2, 3});
  CHECK(layout->levels[1].coordinates == Numbers{2, 0, 2});
  CHECK(givenOf(*layout) == Numbers{2, 0, 1});
}

TEST_CASE("doubly compressed rows leave empty ones out", "[sparse]") {
  SparseFormat dcsr{
      {3, 3},
      {level(LevelKind::Compressed, 0, 3), level(LevelKind::Compressed, 1, 3)}};
  std::optional<SparseLayout> layout = layOut(dcsr, three);
  REQUIRE(layout);
  CHECK(layout->levels[0].positions == Numbers{0, 2});
  CHECK(layout->levels[0].coordinates == Numbers{0, 2});
  CHECK(layout->levels[1].positions == Numbers{0, 1, 3});
}

TEST_CASE("coordinates by elements have a row for each", "[sparse]") {
  SparseLevel rows = level(LevelKind::Compressed, 0, 3);
  rows.isUnique = false;
  SparseFormat coo{{3, 3}, {rows, level(LevelKind::Singleton, 1, 3)}};
  std::optional<SparseLayout> layout = layOut(coo, three);
  REQUIRE(layout);
  CHECK(layout->levels[0].positions == Numbers{0, 3});
  CHECK(layout->levels[0].coordinates == Numbers{0, 2, 2});
  CHECK(layout->levels[1].coordinates == Numbers{1, 0, 2});
}

TEST_CASE("blocks hold zeros along with what is given, and jut out",
          "[sparse]") {
  SparseFormat bsr{{3, 3},
                   {part(level(LevelKind::Dense, 0, 2), 2, false),
                    part(level(LevelKind::Compressed, 1, 2), 2, false),
                    part(level(LevelKind::Dense, 0, 2), 2, true),
                    part(level(LevelKind::Dense, 1, 2), 2, true)}};
  std::optional<SparseLayout> layout = layOut(bsr, three);
  REQUIRE(layout);
  CHECK(layout->levels[1].positions == Numbers{0, 1, 3});
  CHECK(layout->levels[1].coordinates == Numbers{0, 0, 1});
  CHECK(givenOf(*layout) ==
        Numbers{-1, 0, -1, -1, 2, -1, -1, -1, 1, -1, -1, -1});
  CHECK(layout->elements[3].indices == Numbers{1, 1});
  CHECK(layout->elements[11].indices == Numbers{3, 3});
  CHECK_FALSE(isInShape(layout->elements[11].indices, bsr.shape));
}

TEST_CASE("two of four: zeros fill a group, and a third has no room",
          "[sparse]") {
  SparseLevel kept = part(level(LevelKind::Structured, 1, 4), 4, true);
  kept.kept = 2;
  SparseFormat format{{1, 8},
                      {level(LevelKind::Dense, 0, 1),
                       part(level(LevelKind::Dense, 1, 2), 4, false), kept}};
  std::optional<SparseLayout> layout =
      layOut(format, Indices{{0, 3}, {0, 4}, {0, 6}});
  REQUIRE(layout);
  CHECK(layout->levels[2].coordinates == Numbers{0, 3, 0, 2});
  CHECK(givenOf(*layout) == Numbers{-1, 0, 1, 2});
  size_t overfull = 0;
  CHECK_FALSE(layOut(format, Indices{{0, 4}, {0, 5}, {0, 7}}, &overfull));
  CHECK(overfull == 2);
}

TEST_CASE("nothing is stored of an empty tensor but positions", "[sparse]") {
  SparseFormat csr{
      {2, 3},
      {level(LevelKind::Dense, 0, 2), level(LevelKind::Compressed, 1, 3)}};
  std::optional<SparseLayout> layout = layOut(csr, {});
  REQUIRE(layout);
  CHECK(layout->levels[1].positions == Numbers{0, 0, 0});
  CHECK(layout->elements.empty());
}
