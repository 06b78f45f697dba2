// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tuner may choose among.
#include "core/tune/Space.h"

#include "core/manifest/ValueText.h"
#include "core/support/Hash.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace lh;

void lh::addPoints(TuneSpace &space, const TunePoint &fixed,
                   ArrayRef<TuneDimension> dimensions,
                   llvm::function_ref<bool(const TunePoint &)> isAllowed) {
  std::set<TunePoint> known(space.points.begin(), space.points.end());
  for (TunePoint &point : combinationsOf(dimensions, fixed))
    if (isAllowed(point) && known.insert(point).second)
      space.points.push_back(std::move(point));
}

static bool areNumbers(ArrayRef<Value> values) {
  return llvm::all_of(
      values, [](const Value &value) { return asNumber(value).has_value(); });
}

std::vector<TuneDimension> lh::dimensionsOf(const TuneSpace &space) {
  std::map<std::string, std::vector<Value>> byName;
  for (const TunePoint &point : space.points)
    for (const auto &[name, value] : point) {
      std::vector<Value> &values = byName[name];
      if (llvm::none_of(values, [&, &value = value](const Value &other) {
            return sameValue(value, other);
          }))
        values.push_back(value);
    }
  std::vector<TuneDimension> dimensions;
  for (auto &[name, values] : byName) {
    if (areNumbers(values))
      llvm::sort(values, [](const Value &a, const Value &b) {
        return *asNumber(a) < *asNumber(b);
      });
    dimensions.push_back({name, std::move(values)});
  }
  return dimensions;
}

std::optional<size_t> lh::indexOf(const TuneSpace &space,
                                  const TunePoint &point) {
  const auto *found = llvm::find(ArrayRef(space.points), point);
  if (found == ArrayRef(space.points).end())
    return std::nullopt;
  return static_cast<size_t>(found - space.points.data());
}

std::string lh::textOf(const TunePoint &point) {
  std::vector<std::string> words;
  for (const auto &[name, value] : point)
    words.push_back(name + "=" + valueText(value));
  return words.empty() ? "default" : llvm::join(words, " ");
}

static std::string pointHash(const TunePoint &point) {
  std::vector<std::string> texts;
  for (const auto &[name, value] : point)
    for (const std::string &text :
         {name, valueTypeName(value).str(), valueText(value)})
      texts.push_back(text);
  return keyHex(std::vector<StringRef>(texts.begin(), texts.end()));
}

std::string lh::hashOf(const TuneSpace &space) {
  std::vector<std::string> hashes;
  for (const TunePoint &point : space.points)
    hashes.push_back(pointHash(point));
  if (!hashes.empty())
    llvm::sort(hashes.begin() + 1, hashes.end());
  return keyHex(std::vector<StringRef>(hashes.begin(), hashes.end()));
}
