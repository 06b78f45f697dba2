// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run import-lighthouse`: another project's pipelines as manifests.
#include "cli/Command.h"

#include "core/graph/LighthouseDescriptor.h"
#include "core/manifest/ManifestText.h"
#include "core/support/FileSystem.h"
#include "steps/GraphLoader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <filesystem>
#include <map>

using namespace lh;

namespace {
struct ImportOptions {
  std::string descriptor, kernels, output;
};

/// A manifest under construction, with the comments that say where its bubbles
/// come from.
class LighthouseManifest {
public:
  /// `from`: the folder of the descriptor; `to`: the manifest's.
  LighthouseManifest(StringRef from, StringRef to) : folder(from), home(to) {}

  void addPayload(bool hasKernels);
  void add(const LighthouseStep &step);
  std::string text(const std::string &name, const std::string &descriptor,
                   std::vector<CaseDecl> cases);

private:
  std::string placeOf(const SourceSpan &where) const {
    StringRef file = where.file;
    if (!file.consume_front(folder + "/"))
      file = llvm::sys::path::filename(file);
    return (file + ":" + Twine(where.line)).str();
  }
  BubbleDecl &addBubble(StringRef text, ActionDecl action, std::string comment);

  std::string folder, home;
  Manifest manifest;
  std::vector<std::string> comments; ///< of each bubble
  size_t substitute = 0;             ///< the last that stands for Python
  std::map<std::string, int> used;   ///< how often each name is asked for
};
} // namespace

static void addImportFlags(CLI::App &command, ImportOptions &options) {
  addValue(command, "descriptor", "FILE", options.descriptor,
           "a pipeline of llvm/lighthouse: YAML with a list 'Pipeline'")
      ->required();
  addValue(command, "--kernels", "FILE", options.kernels,
           "a list of kernels, as examples/KernelBench/level1.yaml there: each "
           "becomes a case with inputs of its shapes");
  addValue(command, "-o,--output", "FILE", options.output,
           "where the manifest goes (default: standard output)");
}

BubbleDecl &LighthouseManifest::addBubble(StringRef text, ActionDecl action,
                                          std::string comment) {
  BubbleDecl &bubble = manifest.bubbles.emplace_back();
  std::string name = nameFrom(text);
  int before = used[name]++;
  bubble.name.value =
      before == 0 ? name : name + "-" + std::to_string(before + 1);
  bubble.action = std::move(action);
  comments.push_back(std::move(comment));
  return bubble;
}

void LighthouseManifest::addPayload(bool hasKernels) {
  ParameterDecl &param = manifest.params.emplace_back();
  param.name.value = hasKernels ? "models" : "model";
  param.type = ParameterType::Path;
  param.doc = hasKernels ? "the folder with a NAME.mlir for each kernel"
                         : "the payload, linalg on tensors";
  Expression model{{Reference{Reference::Scope::Case, "model", {}}}, {}};
  addBubble("import", IngressDecl{IngressKind::Mlir, model, false, {}}, "");
}

void LighthouseManifest::add(const LighthouseStep &step) {
  std::string place = placeOf(step.where);
  if (step.kind == LighthouseStep::Kind::Nothing) {
    comments[substitute] +=
        "\n" + place + ": " + step.python + ", substituted by this, too";
    return;
  }
  if (step.kind == LighthouseStep::Kind::Bubble) {
    substitute = comments.size();
    addBubble(llvm::sys::path::filename(step.text.substr(strlen("lib:"))),
              UseDecl{{step.text, {}}},
              place + ": " + step.python + ", substituted");
    return;
  }
  bool isSchedule = step.kind == LighthouseStep::Kind::Schedule;
  StringRef name = isSchedule ? llvm::sys::path::stem(step.text)
                              : StringRef(step.text).take_until([](char c) {
                                  return c == '{' || c == ' ';
                                });
  std::string passes = step.text;
  // How callers pass results is a matter of who calls.
  if (name == "one-shot-bufferize") {
    passes = "lh-entry-abi{tensors=true}, " + passes + ", lh-entry-abi";
    place += ", between passes for lh-run's calling convention";
  }
  ActionDecl action = PassesDecl{literal(passes)};
  if (isSchedule) {
    ScheduleDecl schedule;
    schedule.file.value =
        std::filesystem::path(step.text).lexically_relative(home).string();
    action = std::move(schedule);
  }
  addBubble(name, std::move(action), place).optional =
      "not every payload has what each step works on";
}

std::string LighthouseManifest::text(const std::string &name,
                                     const std::string &descriptor,
                                     std::vector<CaseDecl> cases) {
  addBubble("run", ExecuteDecl{{"main", {}}}, "");
  manifest.name.value = name;
  manifest.summary = "A pipeline of llvm/lighthouse, imported.";
  manifest.targets = unlocated({"host"});
  std::vector<std::string> names;
  for (const BubbleDecl &bubble : manifest.bubbles)
    names.push_back(bubble.name.value);
  addEdges(manifest, names);
  manifest.cases = std::move(cases);
  if (manifest.cases.empty()) {
    GenerateCase generate;
    generate.seed = 1;
    generate.model = {{Reference{Reference::Scope::Params, "model", {}}}, {}};
    CaseDecl &one = manifest.cases.emplace_back();
    one.name.value = "generated";
    one.source = std::move(generate);
  }
  manifest.verify.emplace();
  manifest.verify->against = {{"oracle", {}}};
  YamlNode document = documentOf(manifest);
  document.comment = "From " + descriptor + " by lh-run import-lighthouse.";
  YamlNode *bubbles = document.find("bubbles");
  for (size_t i = 0; i < comments.size(); ++i)
    bubbles->items[i].comment = comments[i];
  return yamlText(document);
}

static int runImport(const ImportOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  std::string path = absolutePath(options.descriptor, workingDirectory());
  unsigned errors = sink.errorCount();
  auto steps = readLighthouse(path, sources, sink);
  std::vector<CaseDecl> cases;
  if (!options.kernels.empty())
    if (auto kernels = readLighthouseKernels(
            absolutePath(options.kernels, workingDirectory()), sources, sink);
        succeeded(kernels))
      cases = std::move(*kernels);
  if (failed(steps) || sink.errorCount() != errors)
    return badUsage;
  std::string written = absolutePath(
      options.output.empty() ? "-" : options.output, workingDirectory());
  LighthouseManifest manifest(llvm::sys::path::parent_path(path),
                              llvm::sys::path::parent_path(written));
  manifest.addPayload(!options.kernels.empty());
  for (const LighthouseStep &step : *steps)
    manifest.add(step);
  std::string text =
      manifest.text(nameFrom(llvm::sys::path::stem(path)),
                    llvm::sys::path::filename(path).str(), std::move(cases));
  if (options.output.empty()) {
    env.out << text;
    return 0;
  }
  if (failed(
          writeFileAtomically(options.output, text, commandLinePlace(), sink)))
    return badUsage;
  env.out << "wrote " << options.output << "; "
          << llvm::count_if(*steps,
                            [](const LighthouseStep &step) {
                              return !step.python.empty();
                            })
          << " of " << steps->size() << " steps are substituted\n";
  return 0;
}

CommandRun lh::makeImportLighthouseCommand(CLI::App &command) {
  return makeCommand(command, addImportFlags, runImport);
}
