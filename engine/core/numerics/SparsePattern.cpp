// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws patterns row by row: time and memory go by what is stored.
#include "core/numerics/SparsePattern.h"

#include "core/numerics/Random.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace lh;

/// `count` different numbers below `size`, in order (Floyd's algorithm).
static std::vector<int64_t> sample(int64_t count, int64_t size,
                                   Random &random) {
  std::set<int64_t> chosen;
  for (int64_t last = size - count; last < size; ++last) {
    auto drawn = int64_t(random.below(uint64_t(last) + 1));
    chosen.insert(chosen.count(drawn) ? last : drawn);
  }
  return {chosen.begin(), chosen.end()};
}

static std::vector<int64_t> upTo(int64_t size) {
  std::vector<int64_t> numbers(static_cast<size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

namespace {

/// Rows and columns of blocks, or of elements where there are no blocks.
struct Grid {
  std::vector<int64_t> blocks; ///< elements of a block, by dimension
  std::vector<int64_t> shape;  ///< in blocks
  int64_t rows = 1, columns = 1;

  explicit Grid(const SparseFormat &format)
      : blocks(format.shape.size(), 1), shape(format.shape) {
    for (const SparseLevel &level : format.levels)
      if (level.isRemainder && level.kind == LevelKind::Dense)
        blocks[level.dim] = level.divisor;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      shape[dim] = (shape[dim] + blocks[dim] - 1) / blocks[dim];
      (dim == 0 && shape.size() > 1 ? rows : columns) *= shape[dim];
    }
  }
};

} // namespace

/// About `mean` numbers of a row; its fraction is how often one more is there.
static int64_t countNear(double mean, int64_t columns, Random &random) {
  auto count = int64_t(std::floor(mean + random.uniform()));
  return std::clamp<int64_t>(count, 0, columns);
}

/// How many each row has. By a power law the r-th longest has about r^-0.7 of
/// the longest.
static std::vector<int64_t>
rowCounts(const Grid &grid, const PatternOptions &options, Random &random) {
  std::vector<double> means(size_t(grid.rows),
                            options.density * double(grid.columns));
  if (options.pattern == SparsePattern::PowerLaw) {
    double total = 0;
    for (size_t r = 0; r < means.size(); ++r)
      total += means[r] = std::pow(double(r + 1), -0.7);
    double scale =
        options.density * double(grid.columns) * double(grid.rows) / total;
    for (double &mean : means)
      mean *= scale;
    for (size_t r = means.size(); r > 1; --r)
      std::swap(means[r - 1], means[random.below(r)]);
  }
  std::vector<int64_t> counts;
  for (double mean : means)
    counts.push_back(countNear(mean, grid.columns, random));
  return counts;
}

static std::vector<int64_t> bandOf(int64_t row, const Grid &grid,
                                   int64_t width) {
  width = std::min(width, grid.columns);
  int64_t diagonal =
      grid.rows > 1 ? row * (grid.columns - 1) / (grid.rows - 1) : 0;
  std::vector<int64_t> columns;
  for (int64_t c = std::max<int64_t>(diagonal - width, 0),
               e = std::min(diagonal + width, grid.columns - 1);
       c <= e; ++c)
    columns.push_back(c);
  return columns;
}

/// The columns of each row.
static std::vector<std::vector<int64_t>>
drawRows(const Grid &grid, const PatternOptions &options, Random &random) {
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(grid.rows));
  if (rows.empty() || grid.columns == 0)
    return rows;
  if (options.pattern == SparsePattern::Banded)
    for (size_t r = 0; r < rows.size(); ++r)
      rows[r] = bandOf(int64_t(r), grid, options.band);
  else
    for (auto [row, count] : llvm::zip(rows, rowCounts(grid, options, random)))
      row = sample(count, grid.columns, random);
  if (options.pattern != SparsePattern::Banded && options.density == 0)
    return rows;
  // Of several tensors the same, so that products of them are some.
  int64_t column = grid.columns / 2;
  switch (options.draw % 4) {
  case 0:
    if (rows.size() > 1)
      rows.front().clear();
    break;
  case 1:
    rows.back() = upTo(grid.columns);
    break;
  case 2:
    for (std::vector<int64_t> &row : rows)
      row = {column};
    break;
  case 3:
    for (std::vector<int64_t> &row : rows)
      row.clear();
    rows.back() = {column};
    break;
  }
  return rows;
}

/// Adds the elements of a block that are within the tensor.
static void addBlock(std::vector<int64_t> block, const Grid &grid,
                     ArrayRef<int64_t> shape,
                     std::vector<std::vector<int64_t>> &found) {
  std::vector<int64_t> within(block.size(), 0);
  for (size_t dim = 0; dim < block.size(); ++dim)
    block[dim] *= grid.blocks[dim];
  while (true) {
    std::vector<int64_t> indices = block;
    for (size_t dim = 0; dim < block.size(); ++dim)
      indices[dim] += within[dim];
    if (isInShape(indices, shape))
      found.push_back(std::move(indices));
    size_t dim = block.size();
    while (dim > 0 && ++within[dim - 1] == grid.blocks[dim - 1])
      within[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// Of every group of a structured level as many as it keeps.
static std::vector<std::vector<int64_t>> fillGroups(const SparseFormat &format,
                                                    const SparseLevel &level,
                                                    Random &random) {
  std::vector<int64_t> groups = format.shape;
  groups[level.dim] = (groups[level.dim] + level.size - 1) / level.size;
  int64_t count = 1;
  for (int64_t size : groups)
    count *= size;
  std::vector<std::vector<int64_t>> found;
  for (int64_t g = 0; g < count; ++g) {
    std::vector<int64_t> indices(groups.size());
    int64_t rest = g;
    for (size_t dim = groups.size(); dim-- > 0; rest /= groups[dim])
      indices[dim] = rest % groups[dim];
    int64_t first = indices[level.dim] * level.size;
    int64_t size = std::min(level.size, format.shape[level.dim] - first);
    for (int64_t place : sample(std::min(level.kept, size), size, random)) {
      indices[level.dim] = first + place;
      found.push_back(indices);
    }
  }
  return found;
}

std::vector<std::vector<int64_t>> lh::drawPattern(const SparseFormat &format,
                                                  const PatternOptions &options,
                                                  uint64_t seed) {
  Random random(seed);
  for (const SparseLevel &level : format.levels)
    if (level.kind == LevelKind::Structured)
      return fillGroups(format, level, random);
  Grid grid(format);
  std::vector<std::vector<int64_t>> found;
  std::vector<std::vector<int64_t>> rows = drawRows(grid, options, random);
  for (size_t r = 0; r < rows.size(); ++r)
    for (int64_t column : rows[r]) {
      std::vector<int64_t> block(grid.shape.size());
      int64_t rest = column;
      for (size_t dim = block.size(); dim-- > 0; rest /= grid.shape[dim])
        block[dim] =
            dim == 0 && block.size() > 1 ? int64_t(r) : rest % grid.shape[dim];
      addBlock(std::move(block), grid, format.shape, found);
    }
  return found;
}
