// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns: repeatable, within the shape, as dense as asked for.
#include "core/numerics/SparsePattern.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <set>

using namespace lh;

using Indices = std::vector<std::vector<int64_t>>;

static SparseFormat rowsOf(int64_t rows, int64_t columns) {
  SparseFormat format;
  format.shape = {rows, columns};
  format.levels.resize(2);
  format.levels[0].size = rows;
  format.levels[1].kind = LevelKind::Compressed;
  format.levels[1].dim = 1;
  format.levels[1].size = columns;
  return format;
}

static std::vector<size_t> countsOf(const Indices &indices, size_t rows) {
  std::vector<size_t> counts(rows);
  for (const std::vector<int64_t> &each : indices)
    ++counts[size_t(each[0])];
  return counts;
}

static void checkDistinct(const Indices &indices, const SparseFormat &format) {
  CHECK(std::set(indices.begin(), indices.end()).size() == indices.size());
  CHECK(llvm::all_of(indices, [&](const std::vector<int64_t> &each) {
    return isInShape(each, format.shape);
  }));
}

TEST_CASE("uniform rows have about the density asked for, the first is empty",
          "[sparse]") {
  SparseFormat format = rowsOf(40, 50);
  PatternOptions options;
  Indices indices = drawPattern(format, options, 7);
  checkDistinct(indices, format);
  std::vector<size_t> counts = countsOf(indices, 40);
  CHECK(counts.front() == 0);
  CHECK(llvm::all_of(llvm::drop_begin(counts),
                     [](size_t count) { return count == 5; }));
  CHECK(drawPattern(format, options, 7) == indices);
  CHECK(drawPattern(format, options, 8) != indices);
}

TEST_CASE("draws bring a full row, one column, one element", "[sparse]") {
  SparseFormat format = rowsOf(6, 9);
  PatternOptions options;
  options.draw = 1;
  CHECK(countsOf(drawPattern(format, options, 1), 6).back() == 9);
  options.draw = 2;
  Indices column = drawPattern(format, options, 1);
  REQUIRE(column.size() == 6);
  CHECK(llvm::all_of(column, [&](const std::vector<int64_t> &each) {
    return each[1] == column[0][1];
  }));
  options.draw = 3;
  Indices one = drawPattern(format, options, 1);
  REQUIRE(one.size() == 1);
  CHECK(one[0][0] == 5);
}

TEST_CASE("a density of 0 is an empty tensor in every draw", "[sparse]") {
  PatternOptions options;
  options.density = 0;
  for (options.draw = 0; options.draw < 4; ++options.draw)
    CHECK(drawPattern(rowsOf(5, 5), options, 1).empty());
}

TEST_CASE("a band lies beside the diagonal", "[sparse]") {
  PatternOptions options;
  options.pattern = SparsePattern::Banded;
  options.band = 2;
  Indices indices = drawPattern(rowsOf(8, 8), options, 1);
  CHECK(indices.size() == 8 * 5 - 6 - 3);
  for (const std::vector<int64_t> &each : indices)
    CHECK(std::abs(each[0] - each[1]) <= 2);
}

TEST_CASE("a power law has rows many times as long as the median", "[sparse]") {
  PatternOptions options;
  options.pattern = SparsePattern::PowerLaw;
  options.density = 0.02;
  Indices indices = drawPattern(rowsOf(200, 500), options, 3);
  CHECK(indices.size() > 1500);
  CHECK(indices.size() < 2300);
  std::vector<size_t> counts = countsOf(indices, 200);
  llvm::sort(counts);
  CHECK(counts.back() > 8 * counts[100]);
}

TEST_CASE("blocks are drawn as wholes, those at the rim cut off", "[sparse]") {
  SparseFormat format;
  format.shape = {10, 9};
  for (auto [dim, divisor] : {std::pair<size_t, int64_t>(0, 4), {1, 2}})
    for (bool isRemainder : {false, true}) {
      SparseLevel &level = format.levels.emplace_back();
      level.dim = dim;
      level.divisor = divisor;
      level.isRemainder = isRemainder;
      level.size = isRemainder ? divisor : 5;
    }
  PatternOptions options;
  options.density = 0.5;
  Indices indices = drawPattern(format, options, 1);
  checkDistinct(indices, format);
  std::set<std::vector<int64_t>> blocks;
  for (const std::vector<int64_t> &each : indices)
    blocks.insert({each[0] / 4, each[1] / 2});
  std::set<std::vector<int64_t>> known(indices.begin(), indices.end());
  for (const std::vector<int64_t> &block : blocks)
    CHECK(known.count({block[0] * 4, block[1] * 2}));
}

TEST_CASE("every group of two of four is full, whatever the density",
          "[sparse]") {
  SparseFormat format;
  format.shape = {3, 10};
  SparseLevel &level = format.levels.emplace_back();
  level.kind = LevelKind::Structured;
  level.dim = 1;
  level.divisor = level.size = 4;
  level.isRemainder = true;
  level.kept = 2;
  PatternOptions options;
  options.density = 0;
  Indices indices = drawPattern(format, options, 1);
  checkDistinct(indices, format);
  CHECK(indices.size() == 3 * (2 + 2 + 2));
}

TEST_CASE("a vector is one row", "[sparse]") {
  SparseFormat format;
  format.shape = {40};
  format.levels.resize(1);
  format.levels[0].kind = LevelKind::Compressed;
  format.levels[0].size = 40;
  CHECK(drawPattern(format, PatternOptions(), 1).size() == 4);
}
