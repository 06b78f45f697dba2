// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one bubble refers to: facts, values, files.
#include "core/graph/BubbleExpander.h"
#include "core/graph/Evaluate.h"
#include "core/graph/NamedFiles.h"
#include "core/graph/VersionOverlay.h"
#include "core/manifest/KernelParser.h"
#include "core/manifest/ValueText.h"
#include "core/support/FileSystem.h"
#include "core/support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

//===----------------------------------------------------------------------===//
// Conditions and references
//===----------------------------------------------------------------------===//

/// Leaves in `context` the targets on which the bubble's `when` holds too.
bool BubbleExpander::narrow(const BubbleDecl &bubble, Context &context) {
  if (bubble.when.empty())
    return true;
  bool complete = true;
  for (const FactCondition &condition : bubble.when) {
    StringRef fact = condition.name.value;
    std::string missing = targets.without(fact, context.targets);
    if (missing.empty())
      continue;
    complete = false;
    (void)sink.error(DiagKind::TargetUnknownFact, condition.name.where,
                     "target " + missing + " has no fact '" + fact +
                         "', which 'when' asks for" +
                         targets.suggestion(fact, context.targets));
  }
  if (!complete)
    return false;
  bool hadTargets = !context.targets.empty();
  llvm::erase_if(context.targets, [&](size_t target) {
    return !conditionHolds(bubble.when, targets.facts(target), sink);
  });
  llvm::append_range(context.when, bubble.when);
  if (hadTargets && context.targets.empty() && !lacksTargets) {
    (void)sink.error(DiagKind::GraphWhenNeverTrue,
                     bubble.when.front().name.where,
                     "'when' of bubble '" + bubble.name.value +
                         "' holds for none of the declared targets");
    return false;
  }
  return true;
}

LogicalResult BubbleExpander::checkReference(const Reference &reference,
                                             const Context &context) {
  switch (reference.scope) {
  case Reference::Scope::Params:
  case Reference::Scope::Let:
    return success(); // substituted
  case Reference::Scope::Sweep:
    return sink.error(DiagKind::GraphMisplacedReference, reference.where,
                      "'${sweep." + reference.name +
                          "}' in a bubble; a sweep multiplies runs, not "
                          "compiles, and is for the target's emulator");
  case Reference::Scope::Case:
    if (reference.name == "model" || reference.name == "name")
      return success();
    return sink.error(DiagKind::GraphUndefinedName, reference.where,
                      "'${case." + reference.name +
                          "}' is not defined; a case has 'model' and 'name'" +
                          didYouMean(reference.name, {"model", "name"}));
  case Reference::Scope::Target:
    break;
  }
  std::string missing = targets.without(reference.name, context.targets);
  if (missing.empty())
    return success();
  std::string place = reference.where.file + ":" +
                      std::to_string(reference.where.line) + ":" +
                      std::to_string(reference.where.column);
  if (missingFacts.insert(place).second)
    (void)sink.error(DiagKind::TargetUnknownFact, reference.where,
                     "target " + missing + " has no fact '" + reference.name +
                         "'" +
                         targets.suggestion(reference.name, context.targets));
  return failure();
}

FailureOr<Expression>
BubbleExpander::resolveExpression(const Expression &expression,
                                  Environment &environment,
                                  const Context &context) {
  FailureOr<Expression> result = substitute(expression, environment, sink);
  if (failed(result))
    return failure();
  // A formula's references came with parameters, which were checked.
  LogicalResult valid = success();
  for (const Expression::Piece &piece : result->pieces)
    if (const Reference *reference = std::get_if<Reference>(&piece))
      if (failed(checkReference(*reference, context)))
        valid = failure();
  if (failed(valid))
    return failure();
  return result;
}

LogicalResult BubbleExpander::addExpectation(const BubbleDecl &bubble,
                                             Environment &environment,
                                             const Context &context,
                                             ResolvedBubble &result) {
  if (bubble.fails) {
    result.fails.push_back(*bubble.fails);
    result.fails.back().bubble = context.prefix + bubble.name.value;
  }
  if (!bubble.expect)
    return success();
  ExpectDecl expect = *bubble.expect;
  if (expect.file) {
    FailureOr<Expression> file =
        resolveExpression(*expect.file, environment, context);
    if (failed(file))
      return failure();
    expect.file = std::move(*file);
  }
  result.expect.push_back(std::move(expect));
  return success();
}

FailureOr<std::vector<Expression>>
BubbleExpander::resolveWords(ArrayRef<Expression> words,
                             Environment &environment, const Context &context) {
  std::vector<Expression> result;
  for (const Expression &word : words) {
    FailureOr<Expression> resolved =
        resolveExpression(word, environment, context);
    if (succeeded(resolved))
      result.push_back(std::move(*resolved));
  }
  if (result.size() != words.size())
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// Files and actions
//===----------------------------------------------------------------------===//

FailureOr<std::string>
BubbleExpander::findFile(const Located<std::string> &name, StringRef ending,
                         StringRef what) {
  llvm::vfs::FileSystem &files = sources.fileSystem();
  StringRef text = name.value;
  if (!text.consume_front("lib:")) {
    std::string file = absolutePath(text, folderOf(name.where.file));
    if (isFile(files, file))
      return fileForLlvm(file, llvmMajor(), files);
    return sink.error(DiagKind::GraphFileNotFound, name.where,
                      "no file '" + name.value + "' for '" + what + "'" +
                          didYouMeanFile(file, files));
  }
  std::string relative = text.str();
  if (llvm::sys::path::extension(text).empty())
    relative += ending;
  std::string meant;
  for (const std::string &library : libraryDirs) {
    std::string file =
        absolutePath(relative, absolutePath("schedules", library));
    if (isFile(files, file))
      return fileForLlvm(file, llvmMajor(), files);
    if (meant.empty())
      meant = didYouMeanFile(file, files);
  }
  return sink.error(DiagKind::GraphFileNotFound, name.where,
                    "the library has no '" + text + "'; '" + name.value +
                        "' stands for schedules/" + relative + meant);
}

/// What depends on a case is looked for when the plan is made.
LogicalResult BubbleExpander::findCheckFiles(ResolvedBubble &bubble) {
  LogicalResult valid = success();
  auto resolve = [&](std::string &name, const SourceSpan &where) {
    FailureOr<std::string> file = findFile({name, where}, "", "filecheck");
    if (succeeded(file))
      name = *file;
    else
      valid = failure();
  };
  for (std::optional<FormDecl> *form : {&bubble.requires_, &bubble.ensures})
    if (*form && (*form)->checkFile)
      resolve((*form)->checkFile->file, (*form)->checkFile->where);
  for (ExpectDecl &expect : bubble.expect)
    if (expect.file && expect.file->isLiteral()) {
      std::string name = valueText(std::get<Value>(expect.file->pieces[0]));
      resolve(name, expect.file->where);
      expect.file->pieces[0] = Value(name);
    }
  return valid;
}

/// Reads the kernel that the schedule names, if it names one.
LogicalResult BubbleExpander::resolveKernel(ScheduleDecl &schedule,
                                            Environment &environment,
                                            const Context &context) {
  if (!schedule.kernelName)
    return success();
  FailureOr<Expression> name =
      resolveExpression(*schedule.kernelName, environment, context);
  if (failed(name))
    return failure();
  if (!name->isLiteral())
    return sink.error(DiagKind::GraphMisplacedReference, name->where,
                      "a kernel's name may depend on parameters alone: its "
                      "file is read before there is a target or a case");
  std::string text = valueText(std::get<Value>(name->pieces[0]));
  if (text == noKernel)
    return success();
  CollectingSink found;
  FailureOr<KernelSpec> kernel =
      readKernel({std::move(text), name->where},
                 {"kernel", folderOf(context.declaredAt.file), libraryDirs},
                 sources, found);
  for (Diagnostic &diagnostic : found.take()) {
    if (context.used) // which has got the name from a bubble
      diagnostic.notes.push_back({context.declaredAt, "for this bubble"});
    sink.emit(std::move(diagnostic));
  }
  if (failed(kernel))
    return failure();
  namedFiles.insert(kernel->file);
  schedule.kernel = std::move(*kernel);
  return success();
}

FailureOr<ScheduleDecl>
BubbleExpander::resolveSchedule(const ScheduleDecl &schedule,
                                Environment &environment,
                                const Context &context) {
  ScheduleDecl result = schedule;
  LogicalResult valid = success();
  auto resolve = [&](Located<std::string> &name, StringRef what) {
    FailureOr<std::string> file = findFile(name, ".mlir", what);
    if (succeeded(file))
      name.value = *file;
    else
      valid = failure();
  };
  resolve(result.file, "schedule");
  for (Located<std::string> &library : result.libraries)
    resolve(library, "library");
  if (failed(resolveKernel(result, environment, context)) || failed(valid))
    return failure();
  return result;
}

FailureOr<ResolvedAction>
BubbleExpander::resolveTool(const ExternalDecl &external) {
  FailureOr<ToolSpec> tool = readTool(
      external.tool, {"tool", folderOf(external.tool.where.file), libraryDirs},
      sources, sink);
  if (failed(tool))
    return failure();
  namedFiles.insert(tool->file);
  ExecuteDecl execute{{"main", external.tool.where}};
  execute.tool = std::move(*tool);
  return ResolvedAction(std::move(execute));
}

FailureOr<ResolvedAction>
BubbleExpander::resolveAction(const ActionDecl &action,
                              Environment &environment,
                              const Context &context) {
  auto resolved = [&](const Expression &expression) {
    return resolveExpression(expression, environment, context);
  };
  if (const auto *ingress = std::get_if<IngressDecl>(&action)) {
    IngressDecl result = *ingress;
    FailureOr<Expression> model = resolved(ingress->model);
    FailureOr<std::vector<Expression>> command =
        resolveWords(ingress->command, environment, context);
    if (failed(model) || failed(command))
      return failure();
    result.model = absoluteExpression(std::move(*model));
    result.command = std::move(*command);
    return ResolvedAction(std::move(result));
  }
  if (const auto *passes = std::get_if<PassesDecl>(&action)) {
    FailureOr<Expression> pipeline = resolved(passes->pipeline);
    if (failed(pipeline))
      return failure();
    return ResolvedAction(PassesDecl{std::move(*pipeline)});
  }
  if (const auto *schedule = std::get_if<ScheduleDecl>(&action)) {
    FailureOr<ScheduleDecl> result =
        resolveSchedule(*schedule, environment, context);
    if (failed(result))
      return failure();
    return ResolvedAction(std::move(*result));
  }
  if (const auto *patterns = std::get_if<PatternsDecl>(&action)) {
    FailureOr<std::string> file = findFile(patterns->file, ".mlir", "patterns");
    if (failed(file))
      return failure();
    return ResolvedAction(PatternsDecl{{*file, patterns->file.where}});
  }
  if (const auto *command = std::get_if<CommandDecl>(&action)) {
    FailureOr<std::vector<Expression>> words =
        resolveWords(command->words, environment, context);
    if (failed(words))
      return failure();
    return ResolvedAction(CommandDecl{std::move(*words)});
  }
  if (const auto *emit = std::get_if<EmitDecl>(&action)) {
    FailureOr<Expression> path = resolved(emit->path);
    if (failed(path))
      return failure();
    if (emit->format != EmitFormat::SharedLibrary)
      return ResolvedAction(EmitDecl{emit->format, std::move(*path), false});
    // It is run before it is handed out.
    ExecuteDecl execute{{"main", emit->path.where}};
    execute.library = std::move(*path);
    execute.weightsBeside = emit->weightsBeside;
    return ResolvedAction(std::move(execute));
  }
  if (const auto *external = std::get_if<ExternalDecl>(&action))
    return resolveTool(*external);
  return ResolvedAction(std::get<ExecuteDecl>(action));
}
