// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When two bound actions are the same action.
#include "core/plan/CanonicalText.h"

#include "core/manifest/ValueText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

namespace {

/// Writes fields with their lengths, so that no two lists of fields read alike.
class Writer {
public:
  Writer(std::string &text, const PortablePaths &paths)
      : paths(paths), stream(text) {}

  void field(StringRef text) {
    std::string packed = paths.pack(text);
    stream << packed.size() << ':' << packed << ';';
  }
  void field(int64_t number) { stream << number << ';'; }
  void field(const Value &value) {
    field(static_cast<int64_t>(value.index()));
    field(StringRef(valueText(value)));
  }
  void field(ArrayRef<std::string> words) {
    field(static_cast<int64_t>(words.size()));
    for (const std::string &word : words)
      field(StringRef(word));
  }
  void field(ArrayRef<int64_t> numbers) {
    field(static_cast<int64_t>(numbers.size()));
    for (int64_t number : numbers)
      field(number);
  }
  void field(ArrayRef<std::pair<std::string, std::string>> pairs) {
    field(static_cast<int64_t>(pairs.size()));
    for (const auto &[name, path] : pairs) {
      field(StringRef(name));
      field(StringRef(path));
    }
  }

  void field(const ImportAction &action) {
    field(StringRef("import"));
    field(static_cast<int64_t>(action.kind));
    field(StringRef(action.path));
    field(ArrayRef(action.command));
    field(int64_t(action.bindShapes ? 1 : 0));
    if (!action.bindShapes)
      return;
    for (const InputShape &input : *action.bindShapes) {
      field(StringRef(input.name));
      field(StringRef(input.dtype));
      field(ArrayRef(input.shape));
      field(ArrayRef(input.values));
      field(int64_t(input.list ? 1 : 0));
      if (input.list)
        field(*input.list);
    }
  }
  void field(const ListShape &list) {
    field(int64_t(list.hasValue ? 1 : 0));
    field(static_cast<int64_t>(list.elements.size()));
    for (const std::vector<int64_t> &shape : list.elements)
      field(ArrayRef(shape));
  }
  void field(const PassesAction &action) {
    field(StringRef("passes"));
    field(StringRef(action.pipeline));
  }
  void field(const ScheduleAction &action) {
    field(StringRef("schedule"));
    field(StringRef(action.file));
    field(StringRef(action.entry));
    field(ArrayRef(action.libraries));
    for (const BoundParameter &parameter : action.parameters) {
      field(StringRef(parameter.name.value));
      field(parameter.value);
    }
    if (!action.tuned.empty())
      field(StringRef(action.tuned));
    if (!action.kernel)
      return;
    field(StringRef(action.kernel->file));
    field(*action.kernelTarget);
  }
  void field(const PatternsAction &action) {
    field(StringRef("patterns"));
    field(StringRef(action.file));
  }
  void field(const CommandAction &action) {
    field(StringRef("command"));
    field(ArrayRef(action.words));
  }
  void field(const CompileAction &action) {
    field(StringRef("compile"));
    if (action.tool)
      return field(*action.tool);
    field(*action.target);
    field(StringRef(action.entry));
    if (!action.library)
      return;
    field(StringRef(action.library->path));
    field(int64_t(action.library->weightsBeside));
  }
  void field(const ToolUse &use) {
    field(StringRef(use.tool->file));
    field(StringRef(use.version));
    field(StringRef(use.model));
    field(int64_t(use.threads));
  }
  void field(const RunAction &action) {
    field(StringRef("run"));
    field(StringRef(action.entry));
    field(static_cast<int64_t>(action.repeat));
    field(action.data);
    for (const auto &[name, value] : action.sweepPoint) {
      field(StringRef(name));
      field(value);
    }
  }
  void field(const EmitAction &action) {
    field(StringRef("emit"));
    field(static_cast<int64_t>(action.format));
    field(StringRef(action.path));
    if (action.target)
      field(*action.target);
  }

  void field(const Rare<FormDecl> &form) {
    field(int64_t(form ? 1 : 0));
    if (!form)
      return;
    field(int64_t(form->dialectsOnly ? 1 : 0));
    if (form->dialectsOnly)
      field(ArrayRef(*form->dialectsOnly));
    for (const std::vector<std::string> *words :
         {&form->dialectsNone, &form->dialectsSome, &form->opsNone,
          &form->opsSome, &form->typesNone, &form->typesSome})
      field(ArrayRef(*words));
    for (const std::optional<std::string> *word :
         {&form->shapes, &form->allocas, &form->boundary})
      field(StringRef(word->value_or("")));
    field(form->largestVector.value_or(-1));
    const CheckFile none;
    field(ArrayRef<CheckFile>(form->checkFile ? *form->checkFile : none));
  }
  void field(ArrayRef<MatchedDecl> expected) {
    field(static_cast<int64_t>(expected.size()));
    for (const MatchedDecl &matched : expected) {
      field(matched.least.value_or(-1));
      field(matched.most.value_or(-1));
    }
  }
  void field(ArrayRef<CheckFile> checks) {
    field(static_cast<int64_t>(checks.size()));
    for (const CheckFile &check : checks) {
      field(StringRef(check.file));
      field(StringRef(check.prefix));
    }
  }

private:
  /// Targets are told apart by name and file; the rest follows from these,
  /// except for one that the engine made itself.
  void field(const TargetSpec &target) {
    for (StringRef text : {StringRef(target.name), StringRef(target.file),
                           StringRef(target.backend), StringRef(target.triple),
                           StringRef(target.cpu)})
      field(text);
    field(ArrayRef(target.features));
  }
  void field(const DataSet &data) {
    field(ArrayRef(data.inputs));
    field(ArrayRef(data.expected));
    field(StringRef(data.labels));
    if (!data.generate)
      return;
    field(static_cast<int64_t>(data.generate->seed));
    field(static_cast<int64_t>(data.set));
    field(int64_t(data.draw));
    field(ArrayRef(data.generate->open));
    for (const GeneratedInput &input : data.generate->inputs) {
      field(StringRef(input.name.value));
      field(ArrayRef(input.shape));
      field(StringRef(input.dtype));
      field(StringRef(input.dist));
      ElementRange range = input.range.value_or(ElementRange());
      field(Value(range.low));
      field(Value(range.high));
      field(int64_t(input.range ? 1 : 0));
      if (input.sparse) {
        field(static_cast<int64_t>(input.sparse->pattern));
        field(Value(input.sparse->density));
        field(input.sparse->band);
      }
    }
  }

  const PortablePaths &paths;
  llvm::raw_string_ostream stream;
};

} // namespace

std::string lh::canonicalText(const Step &step, const PortablePaths &paths) {
  std::string text;
  Writer writer(text, paths);
  std::visit([&](const auto &action) { writer.field(action); }, step.action);
  writer.field(step.requires_);
  writer.field(step.ensures);
  writer.field(ArrayRef(step.preserves));
  writer.field(ArrayRef(step.expect));
  writer.field(ArrayRef(step.expectMatched));
  writer.field(StringRef(step.optional));
  if (!step.leavesOut.empty())
    writer.field(ArrayRef(step.leavesOut));
  return text;
}
