// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models of the user's in place of a manifest's cases.
#include "core/graph/ModelCases.h"

#include "core/graph/ModelSniffing.h"
#include "core/graph/Parameters.h"
#include "core/manifest/Words.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

static bool readsCase(const Expression &expression) {
  return llvm::any_of(expression.pieces, [](const Expression::Piece &piece) {
    const auto *reference = std::get_if<Reference>(&piece);
    return reference && reference->scope == Reference::Scope::Case &&
           reference->name == "model";
  });
}

static bool readsCase(const IngressDecl &ingress) {
  return readsCase(ingress.model) ||
         llvm::any_of(ingress.command,
                      [](const Expression &word) { return readsCase(word); });
}

/// The one bubble of the manifest that reads `${case.model}`.
static FailureOr<const ResolvedBubble *> ingressOf(const ResolvedGraph &graph,
                                                   DiagnosticSink &sink) {
  const ResolvedBubble *found = nullptr;
  for (const ResolvedBubble &bubble : graph.bubbles) {
    const auto *ingress = std::get_if<IngressDecl>(&bubble.action);
    if (!ingress || !readsCase(*ingress))
      continue;
    if (found)
      return sink.error(DiagKind::GraphMisplacedBubble, bubble.declaredAt,
                        "'" + bubble.name + "' and '" + found->name +
                            "' both read '${case.model}'; --model takes "
                            "manifests with one such ingress",
                        {{found->declaredAt, "the other one"}});
    found = &bubble;
  }
  if (!found)
    return sink.error(DiagKind::GraphMisplacedBubble, SourceSpan{graph.file},
                      "no ingress of '" + graph.name +
                          "' reads '${case.model}', so that --model has no "
                          "model to take the place of");
  return found;
}

/// What an ingress reads, by what the file holds.
static LogicalResult checkKind(StringRef model, StringRef path,
                               const ResolvedBubble &bubble,
                               llvm::vfs::FileSystem &files,
                               DiagnosticSink &sink) {
  const auto &ingress = std::get<IngressDecl>(bubble.action);
  if (!ingress.command.empty())
    return success();
  IngressKind kind = ingress.kind;
  auto contents = files.getBufferForFile(path);
  std::optional<SniffedFile> sniffed;
  if (contents)
    sniffed = sniffModel(path, (*contents)->getBuffer());
  if (sniffed && sniffed->ingress == kind && sniffed->manifest != "python")
    return success();
  return sink.error(
      DiagKind::GraphMisplacedBubble, bubble.declaredAt,
      "--model " + model + ": ingress '" + bubble.name + "' reads " +
          wordOf(kind).str() + " files" +
          (sniffed ? ", this is " + sniffed->kind : ""));
}

static LogicalResult checkFile(StringRef model, StringRef path,
                               llvm::vfs::FileSystem &files,
                               DiagnosticSink &sink) {
  if (isFile(files, path))
    return success();
  return sink.error(DiagKind::GraphFileNotFound, {},
                    "no file '" + model + "' for --model" +
                        didYouMeanFile(path, files));
}

/// The file's name without its ending, as cases are named; each once.
static std::string nameFor(StringRef path, ArrayRef<CaseDecl> cases) {
  std::string stem = llvm::sys::path::stem(path).str();
  for (char &c : stem)
    if (!llvm::isAlnum(c) && c != '-' && c != '.' && c != '_')
      c = '_';
  if (!llvm::isAlnum(stem.front()) && stem.front() != '_')
    stem = "_" + stem;
  std::string name = stem;
  for (unsigned i = 2; llvm::any_of(
           cases,
           [&](const CaseDecl &known) { return known.name.value == name; });
       ++i)
    name = stem + "-" + std::to_string(i);
  return name;
}

/// How the manifest draws for a model that it knows nothing of: as for its case
/// that gives open dimensions sizes.
static GenerateCase drawing(ArrayRef<CaseDecl> cases) {
  GenerateCase result;
  for (const CaseDecl &one : cases) {
    const auto *generate = std::get_if<GenerateCase>(&one.source);
    if (!generate || generate->open.empty())
      continue;
    result.open = generate->open;
    result.sets = generate->sets;
    result.draws = generate->draws;
    break;
  }
  return result;
}

/// By the oracle, and the pipelines that the manifest compares with.
static VerifyDecl verifyModels(const std::optional<VerifyDecl> &verify) {
  VerifyDecl result;
  if (verify) {
    result = *verify;
    result.tolerance = {};
    result.perDtype.clear();
    result.labelsAtLeast.reset();
    llvm::erase_if(result.against, [](const Located<std::string> &name) {
      return name.value == "golden" || name.value == "oracle";
    });
  }
  result.against.push_back({"oracle", result.where});
  if (!result.mode || result.mode->value == OracleMode::Tolerance)
    result.mode = {OracleMode::Auto, result.where};
  return result;
}

LogicalResult lh::useModels(ResolvedGraph &graph, const ResolveOptions &options,
                            llvm::vfs::FileSystem &files,
                            DiagnosticSink &sink) {
  FailureOr<const ResolvedBubble *> ingress = ingressOf(graph, sink);
  if (failed(ingress))
    return failure();
  GenerateCase drawn = drawing(graph.cases);
  graph.cases.clear();
  LogicalResult valid = success();
  const SourceSpan where{"<command line>", 1, 1, 0};
  for (const std::string &model : options.models) {
    std::string path = absolutePath(model, options.workingDirectory);
    if (failed(checkFile(model, path, files, sink)) ||
        failed(checkKind(model, path, **ingress, files, sink))) {
      valid = failure();
      continue;
    }
    CaseDecl one;
    one.name = {nameFor(path, graph.cases), where};
    GenerateCase generate = drawn;
    generate.model = literalExpression(Value(path), where);
    one.source = std::move(generate);
    graph.cases.push_back(std::move(one));
  }
  graph.verify = verifyModels(graph.verify);
  return valid;
}
