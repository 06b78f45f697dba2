// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contract from what a bubble was seen to take and to give.
#include "core/graph/FormInference.h"

#include "core/graph/FormFacts.h"
#include "core/manifest/ManifestText.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lh;

using Names = std::set<std::string>;
using Items = std::map<std::string, FormItem>;

namespace {

/// Which names were there in some module, and which in every one.
struct Seen {
  Names some;

  void add(const Items &items) {
    for (const auto &[name, item] : items)
      if (name != "builtin")
        some.insert(name);
  }
  std::vector<std::string> all() const { return {some.begin(), some.end()}; }
};

/// One side, before or after, of all observations.
struct Side {
  Seen dialects, ops, types, boundary;
  bool isStatic = true, allocasInLoops = false;

  void add(const FormPart &part) {
    dialects.add(part.dialects);
    ops.add(part.ops);
    types.add(part.types);
    boundary.add(part.boundary);
    isStatic &= !part.dynamicShape;
    allocasInLoops |= part.allocaInLoop.has_value();
  }
};

} // namespace

/// What was before, and is nowhere after.
static std::vector<std::string> gone(const Seen &before, const Seen &after) {
  std::vector<std::string> names;
  for (const std::string &name : before.some)
    if (!after.some.count(name))
      names.push_back(name);
  return names;
}

static void inferRequired(const Side &before, FormDecl &form) {
  form.dialectsOnly = before.dialects.all();
  for (const char *type : {"tensor", "memref", "vector", "scalable-vector"})
    if (!before.types.some.count(type))
      form.typesNone.push_back(type);
  if (before.isStatic)
    form.shapes = "static";
  if (before.boundary.some.size() == 1)
    form.boundary = *before.boundary.some.begin();
}

static void inferEnsured(const Side &before, const Side &after,
                         FormDecl &form) {
  // So few are a form of their own: the LLVM dialect, with what goes into it.
  constexpr size_t few = 3;
  if (after.dialects.some.size() <= few) {
    form.dialectsOnly = after.dialects.all();
  } else {
    form.dialectsNone = gone(before.dialects, after.dialects);
    for (const std::string &op : gone(before.ops, after.ops))
      if (after.dialects.some.count(StringRef(op).split('.').first.str()))
        form.opsNone.push_back(op);
  }
  form.typesNone = gone(before.types, after.types);
  if (after.boundary.some.size() == 1 &&
      after.boundary.some != before.boundary.some)
    form.boundary = *after.boundary.some.begin();
  if (!after.allocasInLoops && before.allocasInLoops)
    form.allocas = "outside-loops";
}

BubbleFile lh::inferContract(ArrayRef<FormObservation> observations) {
  assert(!observations.empty() && "nothing was seen");
  Side before, after;
  for (const FormObservation &seen : observations) {
    before.add(seen.before.payload);
    after.add(seen.after.payload);
  }
  BubbleFile contract;
  inferRequired(before, contract.requires_.emplace());
  inferEnsured(before, after, contract.ensures.emplace());
  for (const char *word :
       {"dialects", "ops", "types", "shapes", "vectors", "allocas", "boundary"})
    if (llvm::all_of(observations, [&](const FormObservation &seen) {
          return brokenPromises(seen.before, seen.after, {word}).empty();
        }))
      contract.preserves.push_back({word, {}});
  return contract;
}

std::string lh::contractYaml(const BubbleFile &contract) {
  YamlNode document = documentOf(contract);
  std::string text;
  for (const char *key : {"requires", "ensures", "preserves"})
    if (const YamlNode *node = document.find(key); node && !node->items.empty())
      text += key + (": " + flowText(*node)) + "\n";
  return text;
}
