// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a golden case to its new outputs; RecordCommand.cpp writes them.
#include "cli/Recording.h"

#include "core/numerics/TensorFile.h"
#include "core/plan/Cases.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lh;

LogicalResult Recording::findCase() {
  const CaseDecl *found = nullptr;
  for (const CaseDecl &decl : graph.cases)
    if (options.graph.cases.size() == 1 &&
        decl.name.value == options.graph.cases[0])
      found = &decl;
  if (!found)
    return refuse("name one case of the manifest with --case");
  where = found->name.where;
  if (std::holds_alternative<OnnxTestCase>(found->source) ||
      std::holds_alternative<StablehloTestCase>(found->source))
    return refuse("case '" + found->name.value +
                  "' has its outputs from a test suite; 'golden:' and 'generate:' cases "
                  "can be recorded");
  generated = std::get_if<GenerateCase>(&found->source);
  if (!generated && !options.outDir.empty())
    return refuse("case '" + found->name.value +
                  "' is a golden already and recorded in its own folder; "
                  "--out is for generated cases");
  if (!generated)
    return findPlace();
  if (!options.dtype.empty())
    return refuse("case '" + found->name.value +
                  "' is generated; --dtype is for overrides in a golden");
  if (options.outDir.empty())
    return refuse("case '" + found->name.value +
                  "' is generated; say with --out which folder to make of it");
  folder = absolutePath(options.outDir, workingDirectory());
  if (env.files.exists(folder))
    return refuse("'" + options.outDir +
                  "' exists; a generated case is recorded in a new folder");
  return success();
}

/// Of a golden: its own outputs or an override.
LogicalResult Recording::findPlace() {
  std::optional<DType> dtype = parseDType(options.dtype);
  if (!options.dtype.empty() && (!dtype || dtypeName(*dtype) != options.dtype))
    return refuse("--dtype '" + options.dtype +
                  "' is no element type such as float16");
  place = {options.graph.target, options.dtype};
  return success();
}

LogicalResult Recording::findSource() {
  const std::vector<std::string> &asked = options.graph.pipelines;
  if (asked.size() > 1)
    return refuse("one --pipeline at most can be recorded");
  source = asked.empty() ? "oracle" : asked[0];
  for (const ResolvedPipeline &candidate : graph.pipelines) {
    bool runs = std::holds_alternative<ExecuteDecl>(
        graph.bubbles[candidate.path.back()].action);
    bool wanted = asked.empty() ? candidate.name != options.against
                                : candidate.name == asked[0];
    if (runs && wanted && pipeline.empty())
      pipeline = candidate.name;
  }
  if (pipeline.empty())
    return refuse(asked.empty() ? Twine("no pipeline ends in 'execute'")
                                : "there is no pipeline '" + asked[0] +
                                      "' that ends in 'execute'");
  bool known = options.against == "oracle" ||
               llvm::any_of(graph.pipelines, [&](const auto &candidate) {
                 return candidate.name == options.against;
               });
  if (!known || (options.against == source && source != "oracle"))
    return refuse("--against '" + options.against +
                  "' is neither 'oracle' nor another pipeline");
  return success();
}

LogicalResult Recording::makePlan() {
  VerifyDecl verify;
  std::set<std::string> references = {options.against};
  if (source == "oracle")
    references.insert(source);
  for (const std::string &reference : references)
    verify.against.push_back({reference, where});
  graph.verify = verify;
  setRepeat(graph, 0);
  Selection selection = selectionOf(options.graph);
  selection.pipelines = {pipeline};
  selection.recordsGoldens = true;
  selection.oracle = OracleMode::Tolerance;
  auto cases = expandCases(graph, selection, env.files, sink);
  if (failed(cases))
    return failure();
  model = std::get<std::string>(cases->front().values["model"]);
  if (!generated)
    folder = folderOf(model);
  FailureOr<Plan> made = setup.plan(selection, env, sink);
  if (failed(made))
    return failure();
  plan = std::move(*made);
  result = plan.results.front();
  if (!result.skipped.empty() || !result.notApplicable.empty())
    return refuse("pipeline '" + pipeline + "' can't run: " + result.skipped +
                  result.notApplicable);
  data = &std::get<RunAction>(plan.steps[result.leaf].action).data;
  return success();
}

LogicalResult Recording::runPlan() {
  record = setup.runToEnd(plan, {});
  return failure(record.interrupted);
}

std::optional<StepId> Recording::leafOf(StringRef reference) const {
  if (reference == pipeline)
    return result.leaf;
  for (const PlannedComparison &comparison : plan.comparisons)
    if (comparison.result == 0 && comparison.against == reference)
      return comparison.referenceLeaf;
  return std::nullopt;
}

std::optional<StepId> Recording::firstFailure(StepId leaf) const {
  for (StepId step : plan.pathTo(leaf))
    if (record.outcomes[step].status != StepStatus::Passed)
      return step;
  return std::nullopt;
}

LogicalResult Recording::requirePassed(StepId leaf, StringRef what) {
  std::optional<StepId> failed = firstFailure(leaf);
  if (!failed)
    return success();
  const StepOutcome &outcome = record.outcomes[*failed];
  for (const Diagnostic &diagnostic : outcome.diagnostics)
    sink.emit(diagnostic);
  return refuse(what + " gives no outputs: bubble '" +
                plan.steps[*failed].bubble +
                "' did not pass: " + outcome.reason);
}

FailureOr<Tensor> Recording::loadOutput(StepId leaf, StringRef name) {
  for (const OutputFile &output : record.outcomes[leaf].outputs)
    if (output.name == name)
      return readTensorFile(output.path, sink);
  return refuse("the outputs of '" + plan.steps[leaf].bubble + "' have no '" +
                name + "'");
}

/// What the output whose file is called `file` is compared with now; nothing
/// when that can't be read.
std::optional<Tensor> Recording::loadOld(StringRef file) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string &at : place.searched())
    llvm::append_range(found, listTensors(env.files, folder + "/" + at));
  for (const auto &[known, path] : found) {
    if (fileSafe(known) != file)
      continue;
    CollectingSink unreadable;
    FailureOr<Tensor> tensor = readTensorFile(path, unreadable);
    if (succeeded(tensor))
      return std::move(*tensor);
    for (const Diagnostic &problem : unreadable.diagnostics())
      sink.warning(problem.kind, problem.where, problem.message);
    return std::nullopt;
  }
  return std::nullopt;
}

/// The pipeline's results tell; where it fails, the old output has to.
FailureOr<DType> Recording::typeOf(StringRef name,
                                   const std::optional<Tensor> &old) {
  if (!firstFailure(result.leaf))
    for (const OutputFile &output : record.outcomes[result.leaf].outputs)
      if (output.name == name)
        if (std::optional<DType> dtype = parseDType(output.dtype))
          return *dtype;
  if (old)
    return old->dtype();
  if (failed(requirePassed(result.leaf, "pipeline '" + pipeline + "'")))
    return failure();
  return refuse("the results of pipeline '" + pipeline + "' have no '" + name +
                "'");
}

LogicalResult Recording::collectOutputs() {
  std::optional<StepId> from = leafOf(source),
                        against = leafOf(options.against);
  if (!from || !against)
    return refuse("'" + (from ? options.against : source) +
                  "' can't be run beside pipeline '" + pipeline + "'");
  if (failed(requirePassed(*from, "'" + source + "'")) ||
      failed(requirePassed(*against, "'" + options.against + "'")))
    return failure();
  const std::vector<OutputFile> &files = record.outcomes[*from].outputs;
  std::vector<std::string> names;
  for (const OutputFile &file : files)
    names.push_back(file.name);
  for (const auto &[file, fileName] : llvm::zip(files, fileNames(names))) {
    RecordedOutput output;
    output.name = file.name;
    output.old = loadOld(fileName);
    FailureOr<DType> dtype = typeOf(file.name, output.old);
    if (succeeded(dtype) && place.excludes(*dtype))
      continue;
    // Results of this type are not compared with outputs of another one.
    if (output.old && place.excludes(output.old->dtype()))
      output.old.reset();
    FailureOr<Tensor> value = loadOutput(*from, file.name);
    FailureOr<Tensor> reference = loadOutput(*against, file.name);
    if (failed(dtype) || failed(value) || failed(reference))
      return failure();
    output.fresh = roundedTo(*value, *dtype);
    output.reference = std::move(*reference);
    outputs.push_back(std::move(output));
  }
  if (outputs.empty() && place.isOverride())
    return refuse("no output of pipeline '" + pipeline + "' is of type '" +
                  place.dtype + "'");
  return success();
}
