// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of several things that cost nothing one by one can go together.
#include "core/bench/Redundancy.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {

class Search {
public:
  explicit Search(CostQuestion costs) : costs(costs) {}

  void takeAway(ArrayRef<std::string> group);

  Redundancy found;

private:
  std::optional<bool> ask(ArrayRef<std::string> some,
                          ArrayRef<std::string> more);
  void findPartner(const std::string &name);

  CostQuestion costs;
  bool isOver = false;
};

} // namespace

std::optional<bool> Search::ask(ArrayRef<std::string> some,
                                ArrayRef<std::string> more) {
  if (isOver)
    return std::nullopt;
  std::vector<std::string> all = some.vec();
  llvm::append_range(all, more);
  std::optional<bool> answer = costs(all);
  isOver |= !answer;
  return answer;
}

void Search::takeAway(ArrayRef<std::string> group) {
  if (group.empty())
    return;
  // One by one they cost nothing.
  bool isFirst = group.size() == 1 && found.removable.empty();
  std::optional<bool> isNeeded =
      isFirst ? std::optional(false) : ask(found.removable, group);
  if (!isNeeded)
    return;
  if (!*isNeeded) {
    llvm::append_range(found.removable, group);
    return;
  }
  if (group.size() == 1)
    return findPartner(group.front());
  takeAway(group.take_front(group.size() / 2));
  takeAway(group.drop_front(group.size() / 2));
}

/// Among what is gone already.
void Search::findPartner(const std::string &name) {
  ArrayRef<std::string> among = found.removable;
  while (among.size() > 1) {
    ArrayRef<std::string> half = among.take_front(among.size() / 2);
    std::optional<bool> isInHalf = ask(name, half);
    if (!isInHalf)
      return;
    among = *isInHalf ? half : among.drop_front(half.size());
  }
  // It may take several to be missed.
  std::optional<bool> isPair = ask(name, among);
  if (!isPair)
    return;
  if (*isPair)
    found.pairs.push_back({among.front(), name});
  else
    found.needed.push_back(name);
}

Redundancy lh::findRedundancy(ArrayRef<std::string> costless,
                              CostQuestion costs) {
  Search search(costs);
  search.takeAway(costless);
  return std::move(search.found);
}
