// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bubbles that a name on the command line stands for.
#include "core/plan/BubbleNames.h"

#include "llvm/ADT/Twine.h"

using namespace lh;

std::vector<size_t> lh::bubblesNamed(ArrayRef<StringRef> bubbles,
                                     StringRef asked) {
  std::string within = ("/" + asked + "/").str();
  std::vector<size_t> outer, inner;
  for (size_t i = 0; i < bubbles.size(); ++i) {
    std::string name = ("/" + bubbles[i] + "/").str();
    size_t place = StringRef(name).find(within);
    if (place == 0)
      outer.push_back(i);
    else if (place != StringRef::npos)
      inner.push_back(i);
  }
  return outer.empty() ? inner : outer;
}

std::vector<StringRef> lh::namesToAskFor(ArrayRef<StringRef> bubbles) {
  std::vector<StringRef> names;
  for (StringRef rest : bubbles)
    for (; !rest.empty(); rest = rest.split('/').second)
      for (StringRef name = rest; !name.empty();
           name = name.contains('/') ? name.rsplit('/').first : StringRef())
        names.push_back(name);
  return names;
}
