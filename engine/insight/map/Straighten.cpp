// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small steps sideways are taken out of a layout.
#include "insight/map/Straighten.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace lh;

namespace {

/// Columns that are upright to each other move together.
class Blocks {
public:
  Blocks(std::vector<Column> &columns, double gap)
      : columns(columns), members(columns.size()), block(columns.size()),
        gap(gap) {
    std::iota(block.begin(), block.end(), 0);
    for (size_t i = 0; i < columns.size(); ++i) {
      members[i] = {i};
      if (rows.size() <= columns[i].rank)
        rows.resize(columns[i].rank + 1);
      rows[columns[i].rank].push_back(i);
    }
  }

  bool areOne(size_t a, size_t b) const { return block[a] == block[b]; }

  void join(size_t a, size_t b) {
    size_t kept = block[a], gone = block[b];
    if (kept == gone)
      return;
    for (size_t member : members[gone])
      block[member] = kept;
    members[kept].insert(members[kept].end(), members[gone].begin(),
                         members[gone].end());
    members[gone].clear();
  }

  /// Moves the block of `column` by `distance` if there is room.
  bool move(size_t column, double distance) {
    const std::vector<size_t> &moved = members[block[column]];
    for (size_t member : moved)
      if (!hasRoom(member, distance))
        return false;
    for (size_t member : moved)
      columns[member].x += distance;
    return true;
  }

private:
  bool hasRoom(size_t index, double distance) const {
    const Column &moved = columns[index];
    double x = moved.x + distance;
    for (size_t i : rows[moved.rank]) {
      const Column &other = columns[i];
      if (block[i] == block[index])
        continue;
      bool isLeft = other.x < moved.x;
      if (isLeft ? other.x + other.right + gap > x - moved.left
                 : x + moved.right + gap > other.x - other.left)
        return false;
    }
    return true;
  }

  std::vector<Column> &columns;
  std::vector<std::vector<size_t>> members, rows;
  std::vector<size_t> block;
  double gap;
};

} // namespace

void lh::straighten(std::vector<Column> &columns, ArrayRef<UprightWish> wishes,
                    double limit, double gap) {
  std::vector<UprightWish> sorted(wishes.begin(), wishes.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const UprightWish &left, const UprightWish &right) {
                     return left.weight > right.weight;
                   });
  Blocks blocks(columns, gap);
  for (const UprightWish &wish : sorted) {
    if (blocks.areOne(wish.from, wish.to))
      continue;
    double lean = columns[wish.from].x + wish.offset - columns[wish.to].x;
    if (std::abs(lean) > limit)
      continue;
    if (blocks.move(wish.to, lean) || blocks.move(wish.from, -lean))
      blocks.join(wish.from, wish.to);
  }
}
