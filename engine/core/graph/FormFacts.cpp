// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame rule, and contracts judged by what is known.
#include "core/graph/FormFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

PresenceFacts::Fact PresenceFacts::find(StringRef name) const {
  if (auto it = named.find(name.str()); it != named.end())
    return it->second;
  if (othersAbsent)
    return {Known::No, *othersAbsent};
  return {};
}

void PresenceFacts::set(StringRef name, bool present,
                        const FactSource &source) {
  named[name.str()] = {present ? Known::Yes : Known::No, source};
}

void PresenceFacts::setOnly(ArrayRef<std::string> names,
                            const FactSource &source) {
  std::map<std::string, Fact> left;
  for (const std::string &name : names)
    left[name] = find(name);
  named = std::move(left);
  othersAbsent = source;
}

PresenceFacts PresenceFacts::withoutPresences() const {
  PresenceFacts result = *this;
  for (auto &[name, fact] : result.named)
    if (fact.present == Known::Yes)
      fact = {};
  return result;
}

static void addItems(PresenceFacts &facts,
                     const std::map<std::string, FormItem> &items,
                     bool withKernels) {
  for (const auto &[name, item] : items)
    if (facts.find(name).present != Known::Yes)
      facts.set(name, true, {"", item.where, item.names, withKernels});
}

static void addPart(FormFacts &facts, const FormPart &part, bool withKernels) {
  addItems(facts.dialects, part.dialects, withKernels);
  addItems(facts.ops, part.ops, withKernels);
  addItems(facts.types, part.types, withKernels);
  addItems(facts.boundary, part.boundary, withKernels);
  auto sourceOf = [&](const FormItem &item) {
    return FactSource{"", item.where, item.names, withKernels};
  };
  if (part.dynamicShape && (!facts.staticShapes || facts.staticShapes->value))
    facts.staticShapes = {false, sourceOf(*part.dynamicShape)};
  if (part.allocaInLoop && (!facts.allocaInLoop || !facts.allocaInLoop->value))
    facts.allocaInLoop = {true, sourceOf(*part.allocaInLoop)};
  if (part.largestVector > facts.vectorsAtLeast->value)
    facts.vectorsAtLeast = facts.vectorsAtMost = {
        part.largestVector, sourceOf(part.largestVectorAt)};
}

FormFacts FormFacts::of(const ModuleForm &form, bool withKernels) {
  FormFacts facts;
  // What isn't in a module without kernels isn't in its kernels either.
  FactSource seen{"", {}, "", withKernels || form.kernels.ops.empty()};
  for (PresenceFacts *all :
       {&facts.dialects, &facts.ops, &facts.types, &facts.boundary})
    all->othersAbsent = seen;
  facts.staticShapes = {true, seen};
  facts.allocaInLoop = {false, seen};
  facts.vectorsAtLeast = facts.vectorsAtMost = {0, seen};
  addPart(facts, form.payload, false);
  if (withKernels)
    addPart(facts, form.kernels, true);
  return facts;
}

bool lh::namesKernels(const FormDecl &form) {
  auto isGpu = [](StringRef name) {
    return name.starts_with("gpu") || name.starts_with("nvvm") ||
           name.starts_with("rocdl");
  };
  return llvm::any_of(form.dialectsSome, isGpu) ||
         llvm::any_of(form.dialectsNone, isGpu) ||
         llvm::any_of(form.opsSome, isGpu) || llvm::any_of(form.opsNone, isGpu);
}

void FormFacts::add(const FormDecl &form, StringRef by) {
  FactSource source{by.str(), form.where, "", namesKernels(form)};
  auto addNames = [&](PresenceFacts &facts, ArrayRef<std::string> names,
                      bool present) {
    for (const std::string &name : names)
      facts.set(name, present, source);
  };
  if (form.dialectsOnly)
    dialects.setOnly(*form.dialectsOnly, source);
  addNames(dialects, form.dialectsNone, false);
  addNames(dialects, form.dialectsSome, true);
  addNames(ops, form.opsNone, false);
  addNames(ops, form.opsSome, true);
  for (const std::string &op : form.opsSome)
    dialects.set(StringRef(op).split('.').first, true, source);
  addNames(types, form.typesNone, false);
  addNames(types, form.typesSome, true);
  if (llvm::is_contained(form.typesNone, "vector"))
    vectorsAtMost = {0, source};
  if (form.shapes == "static")
    staticShapes = {true, source};
  if (form.largestVector &&
      (!vectorsAtMost || vectorsAtMost->value > *form.largestVector))
    vectorsAtMost = {*form.largestVector, source};
  if (form.allocas == "outside-loops")
    allocaInLoop = {false, source};
  if (form.boundary) {
    boundary = {};
    boundary.set(*form.boundary, true, source);
    boundary.othersAbsent = source;
  }
}

FormFacts FormFacts::kept(ArrayRef<std::string> preserved) const {
  auto keeps = [&](StringRef word) {
    return llvm::is_contained(preserved, word);
  };
  FormFacts result;
  if (keeps("dialects"))
    result.dialects = dialects.withoutPresences();
  if (keeps("ops"))
    result.ops = ops.withoutPresences();
  if (keeps("types"))
    result.types = types.withoutPresences();
  if (keeps("boundary"))
    result.boundary = boundary;
  if (keeps("shapes") && staticShapes && staticShapes->value)
    result.staticShapes = staticShapes;
  if (keeps("vectors"))
    result.vectorsAtMost = vectorsAtMost;
  if (keeps("allocas") && allocaInLoop && !allocaInLoop->value)
    result.allocaInLoop = allocaInLoop;
  return result;
}

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

namespace {
class Judge {
public:
  Judge(const FormFacts &facts, const FormDecl &form)
      : facts(facts), form(form), withKernels(namesKernels(form)) {}

  std::vector<ClauseState> all() {
    if (form.dialectsOnly)
      judgeOnly(*form.dialectsOnly);
    judgeNames("dialect", form.dialectsNone, form.dialectsSome,
               [&](StringRef name) { return facts.dialects.find(name); });
    judgeNames("op", form.opsNone, form.opsSome,
               [&](StringRef name) { return findOp(name); });
    judgeNames("type", form.typesNone, form.typesSome,
               [&](StringRef name) { return findType(name); });
    if (form.shapes == "static")
      judgeShapes();
    if (form.largestVector)
      judgeVectors(*form.largestVector);
    if (form.allocas == "outside-loops")
      judgeAllocas();
    if (form.boundary)
      judgeBoundary(*form.boundary);
    return std::move(clauses);
  }

private:
  /// What is there without kernels is there with them, and what isn't there
  /// with them isn't there without.
  Known usable(const PresenceFacts::Fact &fact) const {
    if (fact.present == Known::Yes && fact.source.withKernels && !withKernels)
      return Known::Unknown;
    if (fact.present == Known::No && !fact.source.withKernels && withKernels)
      return Known::Unknown;
    return fact.present;
  }

  static Known opposite(Known known) {
    return known == Known::Yes  ? Known::No
           : known == Known::No ? Known::Yes
                                : Known::Unknown;
  }

  PresenceFacts::Fact findOp(StringRef name) const {
    PresenceFacts::Fact op = facts.ops.find(name);
    if (op.present != Known::Unknown)
      return op;
    PresenceFacts::Fact dialect = facts.dialects.find(name.split('.').first);
    return dialect.present == Known::No ? dialect : op;
  }

  void addClause(const Twine &wanted, Known met, const Twine &seen,
                 const FactSource &source) {
    clauses.push_back({wanted.str(), met, seen.str(), source});
  }

  /// Tensors at the boundary are values of that type.
  PresenceFacts::Fact findType(StringRef name) const {
    PresenceFacts::Fact type = facts.types.find(name);
    if (type.present != Known::Unknown)
      return type;
    PresenceFacts::Fact boundary = facts.boundary.find((name + "s").str());
    return boundary.present == Known::Yes ? boundary : type;
  }

  PresenceFacts::Fact findBoundary(StringRef kind) const {
    PresenceFacts::Fact boundary = facts.boundary.find(kind);
    if (boundary.present != Known::Unknown)
      return boundary;
    PresenceFacts::Fact type = facts.types.find(kind.drop_back());
    return type.present == Known::No ? type : boundary;
  }

  template <typename Find>
  void judgeNames(StringRef sort, ArrayRef<std::string> none,
                  ArrayRef<std::string> some, Find find) {
    auto judgeOne = [&](StringRef name, bool wanted) {
      PresenceFacts::Fact fact = find(name);
      Known present = usable(fact);
      std::string thing = (sort + " '" + name + "'").str();
      addClause((wanted ? "some " : "no ") + thing,
                wanted ? present : opposite(present),
                (wanted ? "no " : "some ") + thing, fact.source);
    };
    for (const std::string &name : none)
      judgeOne(name, false);
    for (const std::string &name : some)
      judgeOne(name, true);
  }

  /// A clause for each dialect that mustn't be there and is; else one for all.
  void judgeOnly(ArrayRef<std::string> only) {
    std::string wanted = "only the dialects '" + llvm::join(only, "', '") + "'";
    bool certain = facts.dialects.othersAbsent.has_value();
    bool failed = false;
    for (const auto &[name, fact] : facts.dialects.named) {
      if (name == "builtin" || llvm::is_contained(only, name))
        continue;
      Known present = usable(fact);
      certain &= present == Known::No;
      if (present != Known::Yes)
        continue;
      failed = true;
      addClause(wanted, Known::No, "dialect '" + Twine(name) + "'",
                fact.source);
    }
    if (!failed)
      addClause(wanted, certain ? Known::Yes : Known::Unknown, "", {});
  }

  void judgeShapes() {
    if (!facts.staticShapes)
      return addClause("static shapes", Known::Unknown, "", {});
    addClause("static shapes",
              facts.staticShapes->value ? Known::Yes : Known::No,
              "dynamic shapes", facts.staticShapes->source);
  }

  void judgeVectors(int64_t most) {
    std::string wanted =
        "no vector of more than " + std::to_string(most) + " elements";
    if (facts.vectorsAtLeast && facts.vectorsAtLeast->value > most)
      return addClause(wanted, Known::No,
                       "a vector of " + Twine(facts.vectorsAtLeast->value) +
                           " elements",
                       facts.vectorsAtLeast->source);
    bool fits = facts.vectorsAtMost && facts.vectorsAtMost->value <= most;
    addClause(wanted, fits ? Known::Yes : Known::Unknown, "", {});
  }

  void judgeAllocas() {
    if (!facts.allocaInLoop)
      return addClause("no alloca in a loop", Known::Unknown, "", {});
    addClause("no alloca in a loop",
              facts.allocaInLoop->value ? Known::No : Known::Yes,
              "an alloca in a loop", facts.allocaInLoop->source);
  }

  /// Functions that take and return no such thing suit every boundary.
  void judgeBoundary(StringRef wanted) {
    std::string text = (wanted + " at the boundary").str();
    Known met = Known::Yes;
    for (StringRef kind : {"tensors", "memrefs", "pointers"}) {
      if (kind == wanted)
        continue;
      PresenceFacts::Fact fact = findBoundary(kind);
      if (fact.present == Known::Yes)
        return addClause(text, Known::No, kind + " at the boundary",
                         fact.source);
      if (fact.present == Known::Unknown)
        met = Known::Unknown;
    }
    addClause(text, met, "", {});
  }

  const FormFacts &facts;
  const FormDecl &form;
  bool withKernels;
  std::vector<ClauseState> clauses;
};
} // namespace

std::vector<ClauseState> lh::judge(const FormFacts &facts,
                                   const FormDecl &form) {
  return Judge(facts, form).all();
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

namespace {
class PromiseCheck {
public:
  PromiseCheck(const FormPart &before, const FormPart &after)
      : before(before), after(after) {}

  void check(StringRef word) {
    if (word == "dialects")
      nothingNew("dialect", before.dialects, after.dialects);
    else if (word == "ops")
      nothingNew("op", before.ops, after.ops);
    else if (word == "types")
      nothingNew("type", before.types, after.types);
    else if (word == "boundary")
      sameBoundary();
    else if (word == "shapes" && !before.dynamicShape && after.dynamicShape)
      addBrokenPromise("static shapes", "dynamic shapes", *after.dynamicShape);
    else if (word == "vectors" && after.largestVector > before.largestVector)
      addBrokenPromise(
          "no vector of more than " + Twine(before.largestVector) + " elements",
          "a vector of " + Twine(after.largestVector) + " elements",
          after.largestVectorAt);
    else if (word == "allocas" && !before.allocaInLoop && after.allocaInLoop)
      addBrokenPromise("no alloca in a loop", "an alloca in a loop",
                       *after.allocaInLoop);
  }

  std::vector<ClauseState> broken;

private:
  using Items = std::map<std::string, FormItem>;

  void nothingNew(StringRef sort, const Items &had, const Items &has) {
    for (const auto &[name, item] : has)
      if (!had.count(name)) {
        std::string thing = (sort + " '" + name + "'").str();
        addBrokenPromise("no " + thing, "some " + thing, item);
      }
  }

  void sameBoundary() {
    for (const auto &[name, item] : after.boundary)
      if (!before.boundary.count(name))
        addBrokenPromise("no " + Twine(name) + " at the boundary",
                         Twine(name) + " at the boundary", item);
  }

  void addBrokenPromise(const Twine &wanted, const Twine &seen,
                        const FormItem &item) {
    broken.push_back({wanted.str(),
                      Known::No,
                      seen.str(),
                      {"", item.where, item.names, false}});
  }

  const FormPart &before, &after;
};
} // namespace

std::vector<ClauseState> lh::brokenPromises(const ModuleForm &before,
                                            const ModuleForm &after,
                                            ArrayRef<std::string> preserved) {
  PromiseCheck check(before.payload, after.payload);
  for (const std::string &word : preserved)
    check.check(word);
  return std::move(check.broken);
}
