// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases with their files found: one per model, each with its data sets.
#include "core/plan/Cases.h"

#include "core/graph/Evaluate.h"
#include "core/manifest/Words.h"
#include "core/numerics/TensorList.h"
#include "core/plan/ExtraInputs.h"
#include "core/plan/Globs.h"
#include "core/plan/GoldenStore.h"
#include "core/plan/Tolerances.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

/// The folders with a model.onnx that `pattern` matches: itself, its
/// subfolders, or what it matches as a glob. None is an error.
static FailureOr<std::vector<std::string>>
findOnnxTests(llvm::vfs::FileSystem &files, const std::string &pattern,
              const SourceSpan &from, DiagnosticSink &sink) {
  auto hasModel = [&](const std::string &folder) {
    return isFile(files, folder + "/model.onnx");
  };
  std::vector<std::string> folders;
  if (hasModel(pattern)) {
    folders.push_back(pattern);
  } else if (isFolder(files, pattern)) {
    for (const std::string &name : listFolder(files, pattern))
      folders.push_back(pattern + "/" + name);
  } else {
    FailureOr<std::vector<std::string>> matched = glob(files, pattern);
    if (failed(matched))
      return sink.error(DiagKind::PlanBadCase, from,
                        "'" + pattern + "' is not a well-formed pattern");
    folders = std::move(*matched);
  }
  llvm::erase_if(folders,
                 [&](const std::string &name) { return !hasModel(name); });
  if (folders.empty())
    return sink.error(DiagKind::PlanBadCase, from,
                      "'" + pattern +
                          "' matches no folder that has a model.onnx");
  return folders;
}

/// Files `<prefix>N<suffix>` of `folder` by N.
static std::vector<std::pair<uint64_t, std::string>>
numbered(llvm::vfs::FileSystem &files, const std::string &folder,
         StringRef prefix, StringRef suffix) {
  std::vector<std::pair<uint64_t, std::string>> found;
  for (const std::string &file : listFolder(files, folder)) {
    StringRef name = file;
    uint64_t number = 0;
    if (name.consume_front(prefix) && name.consume_back(suffix) &&
        !name.getAsInteger(10, number))
      found.emplace_back(number, folder + "/" + file);
  }
  llvm::sort(found);
  return found;
}

/// Adds a tensor, or the elements of a sequence or an optional.
static std::optional<TensorList>
addFiles(std::vector<std::pair<std::string, std::string>> &files,
         const std::string &path) {
  std::optional<TensorList> list = tensorListAt(path);
  for (const std::string &file :
       list ? list->files : std::vector<std::string>{path})
    files.emplace_back("", file);
  return list;
}

static void addInput(DataSet &data, const std::string &path) {
  size_t first = data.inputs.size();
  std::optional<TensorList> list = addFiles(data.inputs, path);
  if (!list)
    return;
  data.lists.push_back({first, list->files.size(), list->hasValue});
  data.fixesNumbers = true;
}

/// test_data_set_N/{input,output}_N.pb, in numeric order.
static FailureOr<std::vector<DataSet>>
findOnnxDataSets(llvm::vfs::FileSystem &files, const std::string &folder,
                 const SourceSpan &from, DiagnosticSink &sink) {
  auto folders = numbered(files, folder, "test_data_set_", "");
  if (folders.empty())
    return sink.error(DiagKind::PlanBadCase, from,
                      "'" + folder + "' has no test_data_set_N folder");
  std::vector<DataSet> sets;
  for (const auto &[number, path] : folders) {
    DataSet data;
    // Of several sets each would be compiled for its own numbers.
    data.fixesNumbers = folders.size() == 1;
    if (folders.size() > 1)
      data.name = std::to_string(number);
    // The files' own names say nothing: inputs and outputs go by position.
    for (auto &[index, file] : numbered(files, path, "input_", ".pb"))
      addInput(data, file);
    for (auto &[index, file] : numbered(files, path, "output_", ".pb"))
      data.fixesNumbers |= addFiles(data.expected, file).has_value();
    if (data.expected.empty())
      return sink.error(DiagKind::PlanBadCase, from,
                        "'" + path + "' has no expected outputs");
    sets.push_back(std::move(data));
  }
  return sets;
}

/// The files that `pattern` matches: itself, those of its folder, or what it
/// matches as a glob. None is an error.
static FailureOr<std::vector<std::string>>
findPrograms(llvm::vfs::FileSystem &files, const std::string &pattern,
             const SourceSpan &from, DiagnosticSink &sink) {
  if (isFile(files, pattern))
    return std::vector<std::string>{pattern};
  std::vector<std::string> found;
  if (isFolder(files, pattern)) {
    for (const std::string &name : listFolder(files, pattern))
      found.push_back(pattern + "/" + name);
  } else {
    FailureOr<std::vector<std::string>> matched = glob(files, pattern);
    if (failed(matched))
      return sink.error(DiagKind::PlanBadCase, from,
                        "'" + pattern + "' is not a well-formed pattern");
    found = std::move(*matched);
  }
  llvm::erase_if(found, [&](const std::string &name) {
    return !StringRef(name).ends_with(".mlir") || !isFile(files, name);
  });
  if (found.empty())
    return sink.error(DiagKind::PlanBadCase, from,
                      "'" + pattern + "' matches no .mlir file");
  return found;
}

/// "", which leaves the case its own name, "drawn-2", "exact", "exact-2".
static std::string nameOf(InputSet set, unsigned draw) {
  std::string word = wordOf(set).str();
  if (draw > 0)
    return word + "-" + std::to_string(draw + 1);
  return set == InputSet::Drawn ? "" : word;
}

/// What a mistake makes of rare elements shows on some inputs only, and a small
/// model runs in no time.
static constexpr unsigned drawsByDefault = 4;

static bool comparesWith(const VerifyDecl &verify, StringRef reference) {
  return llvm::any_of(verify.against, [&](const Located<std::string> &against) {
    return against.value == reference;
  });
}

namespace {

/// Expands declared cases one after the other; keeps what is selected.
class CaseExpander {
public:
  CaseExpander(const ResolvedGraph &graph, const Selection &selection,
               Globs &globs, const CaseFiles &from, DiagnosticSink &sink)
      : graph(graph), selection(selection), globs(globs), files(from.files),
        readPrograms(from.readPrograms), sink(sink) {}

  LogicalResult expand(const CaseDecl &decl) {
    names.push_back(decl.name.value);
    current = &decl;
    LogicalResult result = std::visit(
        [&](const auto &source) { return expand(source); }, decl.source);
    if (failed(result)) {
      (void)selected(decl.name.value); // what is wrong with it is said
      addCase(decl.name.value, "", {DataSet()});
    }
    return result;
  }

  std::vector<ExpandedCase> cases;
  std::vector<std::string> names; ///< all that could have been selected

private:
  FailureOr<std::string> path(const Expression &expression) {
    Scope scope;
    scope.params = &graph.params;
    FailureOr<std::string> text = evaluateText(expression, scope, sink);
    if (failed(text))
      return failure();
    const std::string &file =
        expression.where.isKnown() ? expression.where.file : graph.file;
    return absolutePath(*text, folderOf(file));
  }

  bool selected(StringRef name) {
    return globs.match({name, StringRef(current->name.value)});
  }

  void addCase(const std::string &name, const std::string &model,
               std::vector<DataSet> dataSets) {
    cases.push_back({name,
                     {{"name", Value(name)}, {"model", Value(model)}},
                     std::move(dataSets),
                     current->tolerance});
  }

  /// A corpus that isn't on this machine is no mistake of the manifest: the
  /// case is there, and can't be run.
  bool isAbsent(StringRef pattern) {
    StringRef fixed = pattern.substr(0, pattern.find_first_of("*?[{"));
    std::string folder = folderOf(fixed);
    if (isFolder(files, folder) || isFile(files, fixed))
      return false;
    if (selected(current->name.value)) {
      addCase(current->name.value, "", {DataSet()});
      cases.back().absent = "there is no folder '" + folder + "'";
    }
    return true;
  }

  LogicalResult expand(const GoldenCase &golden) {
    FailureOr<std::string> folder = path(golden.directory);
    if (failed(folder) || !selected(current->name.value))
      return success(succeeded(folder));
    std::string recipe = howToMakeModel(files, *folder);
    if (!recipe.empty() && !selection.recordsGoldens) {
      addCase(current->name.value, "", {DataSet()});
      cases.back().absent =
          "there is no model in '" + *folder + "'; to make it: " + recipe;
      return success();
    }
    const SourceSpan &where = current->name.where;
    FailureOr<GoldenFiles> found =
        selection.recordsGoldens
            ? locateGolden(files, *folder, where, sink)
            : findGolden(files, *folder, targetNames(), where, sink);
    if (failed(found))
      return failure();
    if (!selection.recordsGoldens && !comparesWithGolden())
      sink.warning(DiagKind::PlanUnusedGolden, where,
                   "unused golden: 'verify: against:' doesn't name golden, so "
                   "nothing is compared with the outputs in '" +
                       *folder + "'");
    addCase(current->name.value, found->model, {std::move(found->data)});
    return success();
  }

  LogicalResult expand(const OnnxTestCase &test) {
    // What nobody asked for need not exist.
    if (!globs.mayMatchUnder(current->name.value))
      return success();
    FailureOr<std::string> pattern = path(test.pattern);
    if (failed(pattern))
      return failure();
    if (isAbsent(*pattern))
      return success();
    FailureOr<std::vector<std::string>> folders =
        findOnnxTests(files, *pattern, current->name.where, sink);
    if (failed(folders))
      return failure();
    bool single = folders->size() == 1 && folders->front() == *pattern;
    LogicalResult result = success();
    for (const std::string &folder : *folders)
      if (failed(addOnnxTest(folder, single)))
        result = failure();
    return result;
  }

  LogicalResult addOnnxTest(const std::string &folder, bool single) {
    std::string name = current->name.value;
    if (!single)
      name.append("/").append(llvm::sys::path::filename(folder));
    names.push_back(name);
    if (!selected(name))
      return success();
    FailureOr<std::vector<DataSet>> sets =
        findOnnxDataSets(files, folder, current->name.where, sink);
    if (failed(sets))
      return failure();
    addCase(name, folder + "/model.onnx", std::move(*sets));
    return success();
  }

  LogicalResult expand(const StablehloTestCase &test) {
    if (!globs.mayMatchUnder(current->name.value))
      return success();
    FailureOr<std::string> pattern = path(test.pattern);
    if (failed(pattern))
      return failure();
    if (isAbsent(*pattern))
      return success();
    FailureOr<std::vector<std::string>> found =
        findPrograms(files, *pattern, current->name.where, sink);
    if (failed(found))
      return failure();
    bool isOne = found->size() == 1 && found->front() == *pattern;
    LogicalResult result = success();
    for (const std::string &file : *found)
      if (failed(addPrograms(file, isOne)))
        result = failure();
    return result;
  }

  /// The tests of one file, if any of them may be wanted.
  LogicalResult addPrograms(const std::string &file, bool isOne) {
    std::string name = current->name.value;
    if (!isOne)
      name.append("/").append(llvm::sys::path::stem(file));
    names.push_back(name);
    if (!selected(name) && !globs.mayMatchUnder(name))
      return success();
    if (!readPrograms)
      return sink.error(DiagKind::PlanBadCase, current->name.where,
                        "this command can't read StableHLO's tests");
    FailureOr<std::vector<ProgramTest>> tests = readPrograms(file, sink);
    if (failed(tests))
      return failure();
    for (const ProgramTest &test : *tests) {
      std::string whole = name + (test.name.empty() ? "" : "/" + test.name);
      if (!test.name.empty())
        names.push_back(whole);
      if (!selected(name) && !selected(whole))
        continue;
      DataSet data;
      for (const std::string &input : test.inputs)
        data.inputs.emplace_back("", input);
      for (const std::string &output : test.expected)
        data.expected.emplace_back("", output);
      addCase(whole, test.model, {std::move(data)});
    }
    return success();
  }

  LogicalResult expand(const GenerateCase &generate) {
    FailureOr<std::string> model = path(generate.model);
    if (failed(model) || !selected(current->name.value))
      return success(succeeded(model));
    if (!isFile(files, *model))
      return sink.error(DiagKind::PlanBadCase, generate.model.where,
                        "there is no model '" + *model + "'");
    std::vector<DataSet> sets;
    unsigned draws = generate.draws.value_or(
        oracleMode() == OracleMode::Auto ? drawsByDefault : 1);
    for (InputSet set : setsOf(generate))
      for (unsigned draw = 0; draw < draws; ++draw) {
        DataSet &data = sets.emplace_back();
        data.name = nameOf(set, draw);
        data.set = set;
        data.draw = draw;
        data.generate = generate;
        data.generate->seed += draw;
      }
    addCase(current->name.value, *model, std::move(sets));
    return success();
  }

  /// Or with nothing at all, which makes results unverified anyway.
  bool comparesWithGolden() const {
    return !graph.verify || comparesWith(*graph.verify, "golden");
  }

  std::vector<StringRef> targetNames() const {
    std::vector<StringRef> targets;
    if (graph.targets.empty())
      targets.push_back("host");
    for (const TargetSpec &target : graph.targets)
      targets.push_back(target.name);
    return targets;
  }

  /// How the oracle judges the current case; none: it doesn't.
  std::optional<OracleMode> oracleMode() const {
    if (!graph.verify || !comparesWith(*graph.verify, "oracle"))
      return std::nullopt;
    PlannedComparison comparison;
    comparison.against = "oracle";
    setMode(comparison, selection, current->tolerance, *graph.verify);
    return comparison.mode;
  }

  /// The declared sets, else those that the oracle can judge.
  std::vector<InputSet> setsOf(const GenerateCase &generate) const {
    if (!generate.sets.empty())
      return generate.sets;
    std::optional<OracleMode> mode = oracleMode();
    if (mode == OracleMode::Auto)
      return {InputSet::Drawn, InputSet::Exact, InputSet::Specials};
    if (mode == OracleMode::Exact)
      return {InputSet::Exact};
    return {InputSet::Drawn};
  }

  const ResolvedGraph &graph;
  const Selection &selection;
  Globs &globs;
  llvm::vfs::FileSystem &files;
  const ProgramTestReader &readPrograms;
  DiagnosticSink &sink;
  const CaseDecl *current = nullptr;
};

} // namespace

/// Without cases a pipeline still runs, on inputs made from its signature.
static ExpandedCase namelessCase() {
  DataSet data;
  data.generate = GenerateCase();
  return {"", {}, {std::move(data)}, {}};
}

static void reseed(std::vector<ExpandedCase> &cases, uint64_t seed) {
  for (ExpandedCase &expanded : cases)
    for (DataSet &data : expanded.dataSets)
      if (data.generate)
        data.generate->seed = seed + data.draw;
}

/// Where all cases have errors, or none is chosen.
static ExpandedCase standIn(const ResolvedGraph &graph) {
  std::string name = graph.cases.empty() ? "" : graph.cases[0].name.value;
  return {name,
          {{"name", Value(name)}, {"model", Value(std::string())}},
          {DataSet()},
          {}};
}

CaseParts lh::expandCaseParts(const ResolvedGraph &graph, bool lacksCases,
                              const Selection &selection,
                              const CaseFiles &files, DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  Globs globs(selection.cases);
  CaseExpander expander(graph, selection, globs, files, sink);
  bool expandedAll = true;
  for (const CaseDecl &decl : graph.cases)
    expandedAll &= succeeded(expander.expand(decl));
  std::vector<StringRef> names(expander.names.begin(), expander.names.end());
  if (!lacksCases)
    (void)globs.reportUnused(DiagKind::PlanUnknownCase, "case", names, sink);
  if (graph.cases.empty() && !lacksCases)
    expander.cases.push_back(namelessCase());
  if (selection.seed)
    reseed(expander.cases, *selection.seed);
  if (expandedAll && !lacksCases)
    (void)replaceInputs(selection.inputs, files.files, expander.cases, sink);
  CaseParts parts{std::move(expander.cases), sink.errorCount() == errors};
  if (parts.cases.empty() && (lacksCases || !parts.isComplete))
    parts.cases.push_back(standIn(graph));
  return parts;
}

FailureOr<std::vector<ExpandedCase>> lh::expandCases(const ResolvedGraph &graph,
                                                     const Selection &selection,
                                                     const CaseFiles &files,
                                                     DiagnosticSink &sink) {
  CaseParts parts =
      expandCaseParts(graph, /*lacksCases=*/false, selection, files, sink);
  if (!parts.isComplete)
    return failure();
  return std::move(parts.cases);
}
