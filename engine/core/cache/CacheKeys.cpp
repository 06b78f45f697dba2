// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the result of each step of a plan depends on.
#include "core/cache/CacheKeys.h"

#include "core/cache/FileIdentity.h"
#include "core/manifest/KernelParser.h"
#include "core/manifest/ValueText.h"
#include "core/plan/CanonicalText.h"
#include "core/support/Hash.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

namespace {

class KeyMaker {
public:
  KeyMaker(const Plan &plan, const KeyContext &context)
      : plan(plan), context(context),
        generatesInputs(llvm::any_of(plan.steps,
                                     [](const Step &step) {
                                       const auto *run =
                                           std::get_if<RunAction>(&step.action);
                                       return run && run->data.generate;
                                     })),
        files(context.paranoid ? "" : context.hashFolder) {}

  std::vector<KeyPart> partsOf(const Step &step);

private:
  void add(const Twine &name, const Twine &value) {
    parts.push_back({name.str(), value.str()});
  }
  void add(const ImportAction &action);
  void add(const PassesAction &action) { add("passes", action.pipeline); }
  void add(const ScheduleAction &action);
  void add(const PatternsAction &action) { addFile(action.file); }
  void add(const CompileAction &action);
  void add(const EmitAction &action);
  template <typename Other> void add(const Other &) {}
  void add(const TargetSpec &target);
  void addChecks(const Step &step);
  void addFile(const std::string &file) { addContents("file", file); }
  void addContents(StringRef word, const std::string &file) {
    add(word + " '" + context.paths.shown(file) + "'", files.byContents(file));
  }

  const Plan &plan;
  const KeyContext &context;
  bool generatesInputs;
  FileIdentities files;
  std::vector<KeyPart> parts;
  std::map<std::string, std::vector<std::string>> modelFiles;
  std::map<std::string, std::string> codeFacts;
};

} // namespace

void KeyMaker::add(const ImportAction &action) {
  for (const KeyPart &part : context.engine)
    parts.push_back(part);
  // An import marks in the module what may be drawn.
  add("inputs are drawn", generatesInputs ? "yes" : "no");
  for (const std::string &file : plan.dialects)
    addFile(file);
  if (action.kind == IngressKind::Mlir)
    return addFile(action.path);
  addContents("model", action.path);
  auto [more, isNew] = modelFiles.try_emplace(action.path);
  if (isNew && context.filesOfModel)
    more->second = context.filesOfModel(action.path);
  for (const std::string &file : more->second)
    addContents("model", file);
}

void KeyMaker::add(const ScheduleAction &action) {
  addFile(action.file);
  for (const std::string &library : action.libraries)
    addFile(library);
  add("entry", action.entry);
  for (const BoundParameter &parameter : action.parameters)
    add("parameter '" + Twine(parameter.name.value) + "'",
        valueText(parameter.value));
  if (!action.kernel)
    return;
  for (const std::string &file :
       {action.kernel->file, bodyFile(*action.kernel).value})
    addFile(file);
  add(*action.kernelTarget);
}

void KeyMaker::add(const TargetSpec &target) {
  add("target", target.name);
  add("triple", target.triple);
  add("cpu", target.cpu);
  add("features", llvm::join(target.features, ","));
  for (const auto &[name, value] : target.facts)
    add("fact '" + Twine(name) + "'", valueText(value.value));
  if (!context.codeFacts)
    return;
  // Asking takes a while, and many steps are for one target.
  auto [facts, isNew] = codeFacts.try_emplace(
      target.file + "\n" + target.name + "\n" + target.backend + "\n" +
      target.triple + "\n" + target.cpu + "\n" +
      llvm::join(target.features, ","));
  if (isNew)
    facts->second = context.codeFacts(target);
  add("machine", facts->second);
}

void KeyMaker::add(const CompileAction &action) {
  add("entry", action.entry);
  add(*action.target);
  add("counts", action.countsArithmetic ? "arithmetic" : "nothing");
  add("library",
      action.library ? context.paths.pack(action.library->path) : "");
}

void KeyMaker::add(const EmitAction &action) {
  if (action.target)
    add(*action.target);
}

void KeyMaker::addChecks(const Step &step) {
  for (const CheckFile &check : step.checkFiles())
    addFile(check.file);
}

std::vector<KeyPart> KeyMaker::partsOf(const Step &step) {
  parts.clear();
  std::visit([&](const auto &action) { add(action); }, step.action);
  addChecks(step);
  if (!step.leavesOut.empty())
    add("left out", llvm::join(step.leavesOut, ", "));
  // Nothing is forgotten, if not told by a name of its own.
  add("bubble", canonicalText(step, context.paths));
  return std::move(parts);
}

/// Whether the step gives the same again for the same. What a kernel in C or a
/// file in PDLL includes, and its compiler, aren't known; nor what an external
/// tool is made of, be it a bubble's or a target's.
static bool isRepeatable(const Step &step) {
  const auto *patterns = std::get_if<PatternsAction>(&step.action);
  if (patterns && patterns->isPdll())
    return false;
  const auto *schedule = std::get_if<ScheduleAction>(&step.action);
  if (schedule && schedule->kernel &&
      std::holds_alternative<CSource>(schedule->kernel->body))
    return false;
  const auto *compile = std::get_if<CompileAction>(&step.action);
  if (std::holds_alternative<RunAction>(step.action) ||
      std::holds_alternative<CommandAction>(step.action) ||
      (compile && (compile->tool || !compile->target->compile.empty())))
    return false;
  const auto *import = std::get_if<ImportAction>(&step.action);
  return !import || (import->command.empty() && import->path != "-");
}

/// What keys and entries are made of: another form has other keys.
static constexpr StringRef keyForm = "lighthouse step 3";

static std::string hashOf(const StepKey &key) {
  std::vector<StringRef> texts{keyForm, key.parent};
  for (const KeyPart &part : key.parts) {
    texts.push_back(part.name);
    texts.push_back(part.value);
  }
  return blake3Hex(texts);
}

std::vector<StepKey> lh::keysOf(const Plan &plan, const KeyContext &context) {
  KeyMaker maker(plan, context);
  std::vector<StepKey> keys(plan.steps.size());
  for (const Step &step : plan.steps) {
    StepKey &key = keys[step.id];
    const StepKey *parent = step.parent ? &keys[*step.parent] : nullptr;
    key.place = (parent ? parent->place + " " : "") + step.bubble;
    if (!isRepeatable(step) || (parent && parent->key.empty()))
      continue;
    key.parent = parent ? parent->key : "";
    key.parts = maker.partsOf(step);
    key.key = hashOf(key);
  }
  return keys;
}
