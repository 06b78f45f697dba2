// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements to the arrays of their format.
#include "core/numerics/SparseFormat.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {

/// An element's coordinates on all levels, and which one it is.
struct Placed {
  std::vector<int64_t> at;
  size_t given;
};

/// Goes down the levels over elements sorted by their coordinates.
class LayoutBuilder {
public:
  LayoutBuilder(const SparseFormat &format, ArrayRef<Placed> placed)
      : format(format), placed(placed) {
    layout.levels.resize(format.levels.size());
    for (size_t l = 0; l < format.levels.size(); ++l)
      if (format.levels[l].kind == LevelKind::Compressed)
        layout.levels[l].positions = {0};
    way.resize(format.levels.size());
  }

  bool build() { return below(0, 0, placed.size()); }

  SparseLayout layout;
  size_t overfull = 0;

private:
  /// Where the elements from `begin` on that share its coordinate end.
  size_t endOfRun(size_t l, size_t begin, size_t end) const {
    size_t next = begin + 1;
    while (next < end && placed[next].at[l] == placed[begin].at[l])
      ++next;
    return next;
  }

  /// What is stored of level `l` for the elements from `begin` to `end`, which
  /// agree on all levels above.
  bool below(size_t l, size_t begin, size_t end) {
    if (l == format.levels.size()) {
      addElement(begin, end);
      return true;
    }
    switch (format.levels[l].kind) {
    case LevelKind::Dense:
      return dense(l, begin, end);
    case LevelKind::Compressed:
      return compressed(l, begin, end);
    case LevelKind::Singleton:
      layout.levels[l].coordinates.push_back(placed[begin].at[l]);
      way[l] = placed[begin].at[l];
      return below(l + 1, begin, end);
    case LevelKind::Structured:
      return structured(l, begin, end);
    }
    return false;
  }

  bool dense(size_t l, size_t begin, size_t end) {
    for (int64_t c = 0; c < format.levels[l].size; ++c) {
      size_t next = begin;
      if (begin < end && placed[begin].at[l] == c)
        next = endOfRun(l, begin, end);
      way[l] = c;
      if (!below(l + 1, begin, next))
        return false;
      begin = next;
    }
    return true;
  }

  bool compressed(size_t l, size_t begin, size_t end) {
    LevelArrays &arrays = layout.levels[l];
    while (begin < end) {
      size_t next =
          format.levels[l].isUnique ? endOfRun(l, begin, end) : begin + 1;
      way[l] = placed[begin].at[l];
      arrays.coordinates.push_back(way[l]);
      if (!below(l + 1, begin, next))
        return false;
      begin = next;
    }
    arrays.positions.push_back(int64_t(arrays.coordinates.size()));
    return true;
  }

  /// A group that has fewer than are kept gets zeros at its first free places.
  bool structured(size_t l, size_t begin, size_t end) {
    const SparseLevel &level = format.levels[l];
    std::vector<std::pair<int64_t, std::pair<size_t, size_t>>> kept;
    for (size_t next = begin; begin < end; begin = next) {
      next = endOfRun(l, begin, end);
      kept.push_back({placed[begin].at[l], {begin, next}});
      overfull = placed[begin].given;
    }
    if (int64_t(kept.size()) > level.kept)
      return false;
    for (int64_t c = 0; int64_t(kept.size()) < level.kept; ++c)
      if (llvm::none_of(kept, [&](const auto &k) { return k.first == c; }))
        kept.push_back({c, {end, end}});
    llvm::sort(kept);
    for (const auto &[coordinate, run] : kept) {
      way[l] = coordinate;
      layout.levels[l].coordinates.push_back(coordinate);
      if (!below(l + 1, run.first, run.second))
        return false;
    }
    return true;
  }

  void addElement(size_t begin, size_t end) {
    StoredElement element{std::vector<int64_t>(format.shape.size(), 0), {}};
    for (auto [level, coordinate] : llvm::zip(format.levels, way))
      element.indices[level.dim] +=
          level.isRemainder ? coordinate : coordinate * level.divisor;
    if (begin < end)
      element.given = placed[begin].given;
    layout.elements.push_back(std::move(element));
  }

  const SparseFormat &format;
  ArrayRef<Placed> placed;
  std::vector<int64_t> way; ///< the coordinates down to the current level
};

} // namespace

std::optional<SparseLayout> lh::layOut(const SparseFormat &format,
                                       ArrayRef<std::vector<int64_t>> indices,
                                       size_t *overfull) {
  std::vector<Placed> placed;
  placed.reserve(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    Placed &each = placed.emplace_back();
    each.given = i;
    for (const SparseLevel &level : format.levels)
      each.at.push_back(level.coordinate(indices[i][level.dim]));
  }
  llvm::sort(placed, [](const Placed &left, const Placed &right) {
    return left.at < right.at;
  });
  LayoutBuilder builder(format, placed);
  if (builder.build())
    return std::move(builder.layout);
  if (overfull)
    *overfull = builder.overfull;
  return std::nullopt;
}

bool lh::isInShape(ArrayRef<int64_t> indices, ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::zip(indices, shape), [](const auto &each) {
    auto [index, size] = each;
    return index >= 0 && index < size;
  });
}
