// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `{name}` in the words of programs: places that are known when one is started.
#include "core/manifest/Placeholders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

/// Calls back with each name in braces and the text before it, then with an
/// empty name and the rest.
static void forEachPlace(
    StringRef word,
    llvm::function_ref<void(StringRef before, StringRef name)> callback) {
  size_t begin = 0;
  for (size_t at = word.find('{'); at != StringRef::npos;
       at = word.find('{', at + 1)) {
    StringRef name = word.drop_front(at + 1).take_while(
        [](char c) { return llvm::isAlpha(c) || c == '_'; });
    size_t end = at + 1 + name.size();
    if (name.empty() || end >= word.size() || word[end] != '}')
      continue;
    callback(word.slice(begin, at), name);
    begin = end + 1;
  }
  callback(word.drop_front(begin), "");
}

std::vector<StringRef> lh::placesIn(StringRef word) {
  std::vector<StringRef> names;
  forEachPlace(word, [&](StringRef, StringRef name) {
    if (!name.empty())
      names.push_back(name);
  });
  return names;
}

std::string lh::withPlaces(StringRef word,
                           const std::map<std::string, std::string> &places) {
  std::string result;
  forEachPlace(word, [&](StringRef before, StringRef name) {
    result += before;
    if (name.empty())
      return;
    auto place = places.find(name.str());
    result += place == places.end() ? "{" + name.str() + "}" : place->second;
  });
  return result;
}
