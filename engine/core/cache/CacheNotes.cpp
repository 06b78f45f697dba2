// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why the cache did not have a step, for --explain-cache.
#include "core/cache/CacheNotes.h"

#include "core/cache/CacheRecord.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

namespace {

/// A result that is kept.
struct Kept {
  StepKey key;
  int64_t usedAt = 0;
};

class Explainer {
public:
  Explainer(const Plan &plan, const PortablePaths &paths,
            const CacheStore &store, StringRef workingDirectory)
      : plan(plan), paths(paths), workingDirectory(workingDirectory) {
    store.forEach([&](StringRef about, int64_t usedAt) {
      if (std::optional<StepKey> key = decodeKey(about))
        keptAt[key->place].push_back({std::move(*key), usedAt});
    });
  }

  std::string explain(const Step &step, const CachedStep &cached) const;

private:
  std::string whyUnknown(const Step &step, const StepKey &key) const;
  std::vector<std::string> differences(const StepKey &before,
                                       const StepKey &now) const;
  std::string shown(StringRef name) const;
  StringRef parentOf(const Step &step) const {
    return plan.steps[*step.parent].bubble;
  }

  const Plan &plan;
  const PortablePaths &paths;
  StringRef workingDirectory;
  std::map<std::string, std::vector<Kept>> keptAt;
};

} // namespace

/// "file '@{library}/b.mlir'" as the user would write the path.
std::string Explainer::shown(StringRef name) const {
  auto [word, rest] = name.split(" '");
  if (word != "file" && word != "model" && word != "plugin")
    return name.str();
  std::string path = paths.unpack(rest.drop_back());
  return (word + " '" + displayPath(path, workingDirectory) + "'").str();
}

static const std::string *valueOf(const StepKey &key, StringRef name) {
  for (const KeyPart &part : key.parts)
    if (part.name == name)
      return &part.value;
  return nullptr;
}

static bool isShort(StringRef text) {
  return text.size() <= 32 && !text.contains('\n');
}

/// Empty when the two are the same but for their parents.
std::vector<std::string> Explainer::differences(const StepKey &before,
                                                const StepKey &now) const {
  std::vector<std::string> list;
  bool elsewhere = false;
  for (const KeyPart &part : now.parts) {
    const std::string *old = valueOf(before, part.name);
    if (old && *old == part.value)
      continue;
    if (part.name == "bubble")
      elsewhere = true;
    else if (!old)
      list.push_back(shown(part.name) + " is new");
    else if (isShort(*old) && isShort(part.value))
      list.push_back(shown(part.name) + ": " + *old + " -> " + part.value);
    else
      list.push_back(shown(part.name) + " changed");
  }
  for (const KeyPart &part : before.parts)
    if (!valueOf(now, part.name))
      list.push_back(shown(part.name) + " is gone");
  if (elsewhere && list.empty())
    list.push_back("what the bubble declares changed");
  return list;
}

std::string Explainer::whyUnknown(const Step &step, const StepKey &key) const {
  auto found = keptAt.find(key.place);
  if (found == keptAt.end())
    return "nothing is kept of these bubbles";
  const Kept *nearest = nullptr;
  std::vector<std::string> least;
  auto rank = [&](const Kept &kept, size_t count) {
    // A result of the same module first, then the most similar, the newest.
    return std::tuple(kept.key.parent != key.parent, count, -kept.usedAt);
  };
  for (const Kept &kept : found->second) {
    std::vector<std::string> list = differences(kept.key, key);
    if (nearest && rank(kept, list.size()) >= rank(*nearest, least.size()))
      continue;
    nearest = &kept;
    least = std::move(list);
  }
  if (nearest->key.parent != key.parent && least.empty())
    return ("follows from '" + parentOf(step) + "'").str();
  return llvm::join(least, ", ");
}

std::string Explainer::explain(const Step &step,
                               const CachedStep &cached) const {
  if (cached.decision != CacheDecision::Run)
    return "";
  if (std::holds_alternative<RunAction>(step.action))
    return "code is always run";
  if (cached.key.key.empty())
    return "an external tool has a part in it";
  switch (cached.miss) {
  case CachedStep::Miss::Damaged:
    return "its entry was damaged";
  case CachedStep::Miss::NotKept:
    return "what it leaves behind was not kept";
  default:
    return whyUnknown(step, cached.key);
  }
}

std::vector<std::string> lh::cacheNotes(const Plan &plan,
                                        ArrayRef<CachedStep> steps,
                                        const PortablePaths &paths,
                                        const CacheStore &store,
                                        StringRef workingDirectory) {
  Explainer explainer(plan, paths, store, workingDirectory);
  std::vector<std::string> notes;
  for (const Step &step : plan.steps)
    notes.push_back(explainer.explain(step, steps[step.id]));
  return notes;
}
