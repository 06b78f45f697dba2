// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts values into a bubble's expressions.
#include "core/plan/BindAction.h"

#include "core/manifest/Placeholders.h"
#include "core/numerics/TensorFile.h"
#include "core/plan/EmitPath.h"
#include "core/plan/TunedSequence.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {

/// Binds one bubble's action; each overload yields its step or steps.
class Binder {
public:
  Binder(const ResolvedBubble &bubble, const BindingPoint &point,
         DiagnosticSink &sink)
      : bubble(bubble), point(point), sink(sink) {}

  FailureOr<std::vector<Step>> bind() {
    FailureOr<std::vector<Step>> steps =
        std::visit([&](const auto &decl) { return bind(decl); }, bubble.action);
    if (failed(steps) || failed(bindExpectations(steps->back())))
      return failure();
    return steps;
  }

private:
  using Steps = FailureOr<std::vector<Step>>;

  Steps bind(const IngressDecl &decl) {
    ImportAction action;
    action.kind = decl.kind;
    FailureOr<std::vector<std::string>> words = texts(decl.command);
    if (failed(words))
      return failure();
    action.command = std::move(*words);
    for (auto [word, expression] : llvm::zip(action.command, decl.command))
      word = withPlaces(word, {{"here", folderOf(expression.where.file)}});
    if (!decl.model.pieces.empty()) {
      FailureOr<std::string> path = text(decl.model);
      if (failed(path))
        return failure();
      action.path = absolutePath(*path, folderOf(decl.model.where.file));
    }
    if (decl.shapesFromCase) {
      action.bindShapes = inputShapes();
    }
    return one(std::move(action));
  }

  Steps bind(const PassesDecl &decl) {
    FailureOr<std::string> pipeline = text(decl.pipeline);
    if (failed(pipeline))
      return failure();
    return one(PassesAction{std::move(*pipeline), decl.pipeline.where});
  }

  Steps bind(const ScheduleDecl &decl) {
    ScheduleAction action;
    action.file = decl.file.value;
    action.entry = decl.entry.value;
    action.where = decl.file.where;
    for (const Located<std::string> &library : decl.libraries)
      action.libraries.push_back(library.value);
    bool bound = true;
    for (const auto &[name, expression] : bubble.parameters) {
      FailureOr<Value> value = evaluate(expression, point.scope, sink);
      if (failed(value))
        bound = false;
      else
        action.parameters.push_back({name, std::move(*value)});
    }
    if (!bound)
      return failure();
    if (decl.kernel) {
      action.kernel = decl.kernel;
      action.kernelTarget = point.target;
    }
    action.strategies = decl.strategies;
    if (decl.strategies) {
      action.facts = point.facts;
      action.tuned = tunedSequence(*decl.strategies, point.target, point.tuned);
    }
    return one(std::move(action));
  }

  Steps bind(const PatternsDecl &decl) {
    return one(PatternsAction{decl.file.value, decl.file.where});
  }

  Steps bind(const CommandDecl &decl) {
    FailureOr<std::vector<std::string>> words = texts(decl.words);
    if (failed(words))
      return failure();
    return one(CommandAction{std::move(*words)});
  }

  Steps bind(const EmitDecl &decl) {
    FailureOr<std::string> path = text(decl.path);
    if (failed(path))
      return failure();
    auto place = emitPlace(*path, point.outputFolder, decl.path.where, sink);
    if (failed(place))
      return failure();
    EmitAction action{decl.format, std::move(*place), std::nullopt};
    if (decl.format != EmitFormat::Mlir)
      action.target = point.target;
    return one(std::move(action));
  }

  Steps bind(const ExecuteDecl &decl) {
    const std::string &entry = decl.entry.value;
    CompileAction compile{point.target, entry, decl.entry.where};
    if (!decl.library.pieces.empty()) {
      auto library = libraryFile(decl);
      if (failed(library))
        return failure();
      compile.library = std::move(*library);
    }
    if (decl.tool)
      compile.tool = ToolUse{*decl.tool, point.toolVersion.str(), point.model,
                             static_cast<unsigned>(threadsOf(point.target))};
    Steps steps = one(std::move(compile));
    Step run = steps->front();
    // Only what the case itself declares is worth timing, and no emulator; a
    // simulated device repeats for the sake of other orders of threads.
    bool isTimed = point.isNative && point.data.set == InputSet::Drawn &&
                   point.data.draw == 0;
    unsigned repeat = isTimed || point.isSimulated ? decl.repeat : 0;
    run.action = RunAction{entry, point.data, repeat, point.sweepPoint};
    // What the bubble requires of the module holds before compilation, what it
    // ensures after the run.
    steps->front().ensures.reset();
    run.requires_.reset();
    steps->push_back(std::move(run));
    return steps;
  }

  FailureOr<LibraryFile> libraryFile(const ExecuteDecl &decl) {
    FailureOr<std::string> path = text(decl.library);
    if (failed(path))
      return failure();
    const SourceSpan &where = decl.library.where;
    if (!StringRef(*path).ends_with(".so") && !StringRef(*path).ends_with(".a"))
      return sink.error(DiagKind::PlanLibraryPath, where,
                        "'" + *path +
                            "' is no name of a library; one ends with '.so', "
                            "or with '.a' where it is static");
    auto place = emitPlace(*path, point.outputFolder, where, sink);
    if (failed(place))
      return failure();
    return LibraryFile{std::move(*place), decl.weightsBeside};
  }

  LogicalResult bindExpectations(Step &step) {
    for (const ExpectDecl &expect : bubble.expect) {
      if (expect.matched)
        step.expectMatched.push_back(*expect.matched);
      if (!expect.file)
        continue;
      FailureOr<std::string> file = text(*expect.file);
      if (failed(file))
        return failure();
      const SourceSpan &where = expect.file->where;
      step.expect.push_back(
          {absolutePath(*file, folderOf(where.file)), expect.prefix, where});
    }
    return success();
  }

  Steps one(StepAction action) {
    Step step;
    step.bubble = bubble.name;
    step.declaredAt = bubble.declaredAt;
    step.action = std::move(action);
    step.requires_ = bubble.requires_;
    step.ensures = bubble.ensures;
    for (const Located<std::string> &fact : bubble.preserves)
      step.preserves.push_back(fact.value);
    step.optional = bubble.optional;
    return std::vector<Step>{std::move(step)};
  }

  FailureOr<std::string> text(const Expression &expression) {
    return evaluateText(expression, point.scope, sink);
  }

  FailureOr<std::vector<std::string>> texts(ArrayRef<Expression> list) {
    std::vector<std::string> result;
    bool bound = true;
    for (const Expression &expression : list) {
      FailureOr<std::string> word = text(expression);
      if (failed(word))
        bound = false;
      else
        result.push_back(std::move(*word));
    }
    if (!bound)
      return failure();
    return result;
  }

  /// `shapes: case`: the shapes of the data set's inputs. None when one can't
  /// be read: the run step reads it again and says so, for its own case alone.
  std::optional<std::vector<InputShape>> inputShapes() {
    std::vector<InputShape> shapes;
    ArrayRef<std::pair<std::string, std::string>> files = point.data.inputs;
    size_t next = 0;
    auto takeTensors = [&](size_t end) {
      for (; next < end; ++next)
        shapes.push_back(shapeOf(files[next]));
    };
    for (const InputList &list : point.data.lists) {
      takeTensors(list.first);
      ListShape shape{{}, list.hasValue};
      for (size_t end = next + list.count; next < end; ++next)
        shape.elements.push_back(shapeOf(files[next]).shape);
      shapes.emplace_back().list = std::move(shape);
    }
    takeTensors(files.size());
    if (isUnreadable)
      return std::nullopt;
    if (point.data.generate)
      for (const GeneratedInput &input : point.data.generate->inputs)
        shapes.push_back({input.name.value, input.dtype, input.shape});
    return shapes;
  }

  InputShape shapeOf(const std::pair<std::string, std::string> &file) {
    CollectingSink reportedByTheRun;
    FailureOr<Tensor> tensor = readTensorFile(file.second, reportedByTheRun);
    isUnreadable |= failed(tensor);
    if (failed(tensor))
      return {};
    InputShape shape{file.first, dtypeName(tensor->dtype()).str(),
                     tensor->shape().vec()};
    constexpr int64_t few = 64;
    if (point.data.fixesNumbers && tensor->shape().size() <= 1 &&
        tensor->elementCount() <= few &&
        (isInteger(tensor->dtype()) || tensor->dtype() == DType::Bool))
      for (int64_t i = 0; i < tensor->elementCount(); ++i)
        shape.values.push_back(static_cast<int64_t>(tensor->at(i)));
    return shape;
  }

  bool isUnreadable = false; ///< one of the data set's inputs
  const ResolvedBubble &bubble;
  const BindingPoint &point;
  DiagnosticSink &sink;
};

} // namespace

FailureOr<std::vector<Step>> lh::bindBubble(const ResolvedBubble &bubble,
                                            const BindingPoint &point,
                                            DiagnosticSink &sink) {
  return Binder(bubble, point, sink).bind();
}
