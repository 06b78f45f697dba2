// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lines of a module changed: Myers' greedy algorithm on lines.
#include "insight/report/page/TextDiff.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace lh;

/// A line without the numbers of values, blocks and aliases.
static std::string lineKey(StringRef line) {
  std::string key;
  for (size_t i = 0; i < line.size();) {
    char c = line[i++];
    key += c;
    if (c != '%' && c != '^' && c != '#')
      continue;
    while (i < line.size() && (llvm::isAlnum(line[i]) || line[i] == '_') &&
           !llvm::isDigit(line[i]))
      key += line[i++];
    while (i < line.size() && llvm::isDigit(line[i]))
      ++i;
  }
  return key;
}

namespace {

/// Two texts as numbers: equal lines have equal numbers.
struct Lines {
  std::vector<StringRef> text;
  std::vector<unsigned> key;
};

class Differ {
public:
  Differ(StringRef before, StringRef after)
      : before(split(before)), after(split(after)) {}

  std::optional<std::vector<DiffLine>> run(size_t mostChanges);

private:
  Lines split(StringRef text);
  bool search(size_t mostChanges);
  void walkBack();
  void add(DiffSide side, size_t i, size_t j);

  llvm::StringMap<unsigned> keys;
  Lines before, after;
  size_t begin = 0, endBefore = 0, endAfter = 0; ///< what isn't alike
  /// By number of changes: how far each diagonal reaches in `before`.
  std::vector<std::vector<int64_t>> reached;
  std::vector<DiffLine> lines; ///< last first, while it is walked back
};

} // namespace

Lines Differ::split(StringRef text) {
  Lines lines;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    lines.text.push_back(line);
    lines.key.push_back(
        keys.try_emplace(lineKey(line), unsigned(keys.size())).first->second);
    text = rest;
  }
  return lines;
}

/// Fills `reached`; false when there are too many changes.
bool Differ::search(size_t mostChanges) {
  auto n = static_cast<int64_t>(endBefore - begin);
  auto m = static_cast<int64_t>(endAfter - begin);
  auto limit = static_cast<int64_t>(mostChanges);
  std::vector<int64_t> far(size_t(2 * limit + 3), 0);
  for (int64_t d = 0; d <= limit; ++d) {
    for (int64_t k = -d; k <= d; k += 2) {
      auto at = [&](int64_t diagonal) -> int64_t & {
        return far[size_t(diagonal + limit + 1)];
      };
      bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
      int64_t x = down ? at(k + 1) : at(k - 1) + 1;
      int64_t y = x - k;
      while (x < n && y < m && x >= 0 && y >= 0 &&
             before.key[begin + size_t(x)] == after.key[begin + size_t(y)])
        ++x, ++y;
      at(k) = x;
      if (x >= n && y >= m) {
        reached.emplace_back(far.begin() + (limit + 1 - d),
                             far.begin() + (limit + 2 + d));
        return true;
      }
    }
    reached.emplace_back(far.begin() + (limit + 1 - d),
                         far.begin() + (limit + 2 + d));
  }
  return false;
}

void Differ::add(DiffSide side, size_t i, size_t j) {
  DiffLine line{side, side == DiffSide::Before ? before.text[i] : after.text[j],
                0, 0};
  line.before = side == DiffSide::After ? 0 : i + 1;
  line.after = side == DiffSide::Before ? 0 : j + 1;
  lines.push_back(line);
}

void Differ::walkBack() {
  auto x = static_cast<int64_t>(endBefore - begin);
  auto y = static_cast<int64_t>(endAfter - begin);
  auto put = [&](DiffSide side) {
    add(side, begin + size_t(x), begin + size_t(y));
  };
  for (auto d = static_cast<int64_t>(reached.size()) - 1; d >= 0; --d) {
    int64_t k = x - y, fromX = 0;
    bool down = false;
    if (d > 0) {
      // Row d - 1 holds the diagonals -(d - 1) ... d - 1.
      auto at = [&](int64_t diagonal) {
        bool isThere = diagonal >= -(d - 1) && diagonal <= d - 1;
        return isThere ? reached[size_t(d - 1)][size_t(diagonal + d - 1)]
                       : int64_t{-1};
      };
      down = k == -d || (k != d && at(k - 1) < at(k + 1));
      fromX = down ? at(k + 1) : at(k - 1);
    }
    int64_t afterX = d > 0 ? (down ? fromX : fromX + 1) : 0;
    while (x > afterX) {
      --x, --y;
      put(DiffSide::Both);
    }
    if (d == 0)
      continue;
    down ? --y : --x;
    put(down ? DiffSide::After : DiffSide::Before);
  }
}

std::optional<std::vector<DiffLine>> Differ::run(size_t mostChanges) {
  endBefore = before.key.size();
  endAfter = after.key.size();
  while (begin < std::min(endBefore, endAfter) &&
         before.key[begin] == after.key[begin])
    ++begin;
  while (std::min(endBefore, endAfter) > begin &&
         before.key[endBefore - 1] == after.key[endAfter - 1])
    --endBefore, --endAfter;
  size_t changes = endBefore - begin + endAfter - begin;
  if (!search(std::min(mostChanges, changes)))
    return std::nullopt;
  for (size_t i = before.key.size(), j = after.key.size(); i > endBefore;)
    add(DiffSide::Both, --i, --j);
  walkBack();
  for (size_t i = begin; i > 0; --i)
    add(DiffSide::Both, i - 1, i - 1);
  std::reverse(lines.begin(), lines.end());
  return std::move(lines);
}

std::optional<std::vector<DiffLine>>
lh::diffLines(StringRef before, StringRef after, size_t mostChanges) {
  return Differ(before, after).run(mostChanges);
}
