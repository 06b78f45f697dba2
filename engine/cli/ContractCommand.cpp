// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run contract`: the form of a module, held against a bubble's contract.
#include "cli/Command.h"

#include "cli/SharedOptions.h"
#include "compiler/session/ModelFile.h"
#include "core/graph/ContractFlow.h"
#include "core/support/FileSystem.h"
#include "steps/Engine.h"
#include "steps/GraphLoader.h"

#include "llvm/Support/Format.h"

using namespace lh;

namespace {
struct ContractOptions {
  std::string bubble, on, target;
  std::vector<std::string> libraryDirs, plugins;
};
} // namespace

static void addContractFlags(CLI::App &command, ContractOptions &options) {
  addValue(command, "bubble", "BUBBLE", options.bubble,
           "lib:area/name or a bubble file (default: only the form is told)");
  addValue(command, "--on", "FILE", options.on,
           "the module: a .mlir or .onnx file")
      ->required();
  addValue(command, "--target", "NAME", options.target,
           "the target whose facts the bubble's parameters refer to (default: "
           "host)");
  addLibraryFlags(command, options.libraryDirs, options.plugins);
}

namespace {

constexpr int mayNotRun = 1;

/// Prints a form, a line for each part.
class FormPrinter {
public:
  FormPrinter(llvm::raw_ostream &out, StringRef workingDirectory)
      : out(out), workingDirectory(workingDirectory) {}

  void print(const ModuleForm &form) {
    printPart(form.payload);
    if (form.kernels.ops.empty())
      return;
    out << "in its gpu.modules\n";
    printPart(form.kernels);
  }

  std::string placeOf(const SourceSpan &where, StringRef names) const {
    std::string text;
    if (where.isKnown())
      text = displayPath(where.file, workingDirectory) + ":" +
             std::to_string(where.line) + ":" + std::to_string(where.column);
    if (!names.empty())
      text += (text.empty() ? "" : ", ") + names.str();
    return text;
  }

private:
  void line(const char *what, const std::string &text) {
    out << "  " << llvm::format("%-9s", what) << ' ' << text << '\n';
  }

  void printPart(const FormPart &part) {
    line("dialects", counts(part.dialects));
    line("types", counts(part.types));
    line("shapes", part.dynamicShape
                       ? "dynamic, first at " + place(*part.dynamicShape)
                       : "static");
    line("vectors", part.largestVector > 0
                        ? "of " + std::to_string(part.largestVector) +
                              " elements at most, at " +
                              place(part.largestVectorAt)
                        : "none of fixed length");
    line("allocas", part.allocaInLoop
                        ? "in a loop, first at " + place(*part.allocaInLoop)
                        : "none in loops");
    line("boundary", counts(part.boundary, /*withCounts=*/false));
  }

  std::string place(const FormItem &item) const {
    return placeOf(item.where, item.names);
  }

  static std::string counts(const std::map<std::string, FormItem> &items,
                            bool withCounts = true) {
    std::string text;
    for (const auto &[name, item] : items) {
      text += (text.empty() ? "" : ", ") + name;
      if (withCounts)
        text += " " + std::to_string(item.count);
    }
    return text.empty() ? "none" : text;
  }

  llvm::raw_ostream &out;
  StringRef workingDirectory;
};

} // namespace

/// What the bubble asks for; nothing where it takes every form.
static FailureOr<std::optional<FormDecl>>
contractOf(const ContractOptions &options, DriverEnv &env, SourceStore &sources,
           DiagnosticSink &sink) {
  GraphOptions graph;
  graph.libraryDirs = options.libraryDirs;
  ResolveOptions resolve = resolveOptions(graph, env);
  FailureOr<TargetSpec> target =
      namedTarget(options.target, resolve, sources, sink);
  if (failed(target))
    return failure();
  FailureOr<std::vector<ResolvedBubble>> bubbles =
      loadBubbleFile(options.bubble, *target, resolve, sources, sink);
  if (failed(bubbles))
    return failure();
  return requirementOf(bubbles->front());
}

/// Prints each clause, and returns whether the form meets them all.
static bool printClauses(const ModuleForm &form, const FormDecl &wanted,
                         const FormPrinter &printer, llvm::raw_ostream &out) {
  bool fits = true;
  for (const ClauseState &clause :
       judge(FormFacts::of(form, namesKernels(wanted)), wanted)) {
    bool met = clause.met != Known::No;
    fits &= met;
    out << (met ? "  met  " : "  not  ") << clause.wanted;
    std::string place =
        printer.placeOf(clause.source.where, clause.source.names);
    if (!met)
      out << ": there is " << clause.seen
          << (place.empty() ? "" : ", first at " + place);
    out << '\n';
  }
  if (wanted.checkFile)
    out << "  (filecheck " << wanted.checkFile->file
        << " is looked at when it runs)\n";
  return fits;
}

static int runContract(const ContractOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  std::optional<FormDecl> wanted;
  if (!options.bubble.empty()) {
    auto contract = contractOf(options, env, sources, sink);
    if (failed(contract))
      return badUsage;
    wanted = std::move(*contract);
  }
  FailureOr<std::unique_ptr<Engine>> engine =
      Engine::create({.plugins = options.plugins}, sink);
  if (failed(engine))
    return badUsage;
  FailureOr<ModelFile> file =
      readModelFile(options.on, (*engine)->session(), sink);
  if (failed(file))
    return badUsage;

  std::string folder = workingDirectory();
  FormPrinter printer(env.out, folder);
  env.out << options.on << " is in this form\n";
  printer.print(file->form);
  if (options.bubble.empty())
    return 0;
  if (!wanted) {
    env.out << options.bubble << " runs on every form\n";
    return 0;
  }
  env.out << options.bubble << " requires\n";
  bool fits = printClauses(file->form, *wanted, printer, env.out);
  env.out << options.bubble << (fits ? " may" : " may not") << " run on it\n";
  return fits ? 0 : mayNotRun;
}

CommandRun lh::makeContractCommand(CLI::App &command) {
  return makeCommand(command, addContractFlags, runContract);
}
