// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run init`: a manifest to begin with.
#include "cli/Command.h"

#include "core/graph/ModelSniffing.h"
#include "core/manifest/YamlText.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "steps/GraphLoader.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lh;

namespace {
struct InitOptions {
  std::string model, output;
};
} // namespace

static void addInitFlags(CLI::App &command, InitOptions &options) {
  addValue(command, "model", "MODEL", options.model,
           "the model that it is for (default: a model.onnx beside it)");
  addValue(command, "-o,--output", "FILE", options.output,
           "where it goes; '-' is standard output (default: NAME.yaml here, "
           "after the model). A file that is there stays as it is");
}

namespace {

class Initializer {
public:
  Initializer(const InitOptions &options, DriverEnv &env)
      : options(options), env(env), sources(env.files),
        sink(env.err, sources, sinkOptions(env)) {
    output = options.output;
    if (output.empty())
      output = llvm::sys::path::stem(model()).str() + ".yaml";
  }

  int run() {
    FailureOr<std::string> text = manifest();
    if (failed(text))
      return badUsage;
    if (output == "-") {
      env.out << *text;
      return 0;
    }
    if (llvm::sys::fs::exists(output)) {
      (void)sink.error(DiagKind::SupportCannotWrite, commandLinePlace(),
                       "'" + output +
                           "' is there already; name another file by -o");
      return badUsage;
    }
    if (failed(writeFileAtomically(output, *text, commandLinePlace(), sink)))
      return badUsage;
    env.out << "wrote " << output << "; lh-run " << output << " runs it\n";
    return 0;
  }

private:
  StringRef model() const {
    return options.model.empty() ? StringRef("model.onnx") : options.model;
  }

  /// Which of the library's manifests is for the model.
  FailureOr<std::string> kind() {
    if (options.model.empty())
      return std::string("onnx");
    std::string path = absolutePath(options.model, workingDirectory());
    FailureOr<StringRef> contents =
        sources.load(path, commandLinePlace(), sink);
    if (failed(contents))
      return failure();
    std::optional<SniffedFile> sniffed = sniffModel(path, *contents);
    if (sniffed && sniffed->ingress)
      return sniffed->manifest;
    return sink.error(DiagKind::GraphForeignModel, {path},
                      sniffed ? "this is " + sniffed->kind +
                                    ", which lh-run doesn't read as a model; " +
                                    sniffed->remedy
                              : "this is neither an ONNX model nor an MLIR "
                                "module");
  }

  /// The library's manifest for this kind, with the model's own path.
  FailureOr<std::string> manifest() {
    FailureOr<std::string> name = kind();
    if (failed(name))
      return failure();
    ResolveOptions resolve = resolveOptions({}, env);
    std::string path = shippedModelManifest(*name, resolve, env.files);
    if (path.empty())
      return sink.error(DiagKind::GraphFileNotFound, commandLinePlace(),
                        "the library has no manifest for such models; "
                        "'lh-run doctor' says where it is");
    FailureOr<StringRef> shipped = sources.load(path, {}, sink);
    if (failed(shipped))
      return failure();
    return withModel(*shipped, *name, path);
  }

  std::string withModel(StringRef shipped, StringRef kind,
                        StringRef place) const {
    std::string folder =
        output == "-" ? workingDirectory()
                      : folderOf(absolutePath(output, workingDirectory()));
    std::string path =
        displayPath(absolutePath(model(), workingDirectory()), folder);
    std::string text = shipped.substr(shipped.find("lighthouse: 1")).str();
    StringRef ending = kind == "python" ? "py" : kind;
    replace(text, "{model: model." + ending.str(), "{model: " + quoted(path));
    // Scripts beside the library's manifest stay there.
    replace(text, "{here}", folderOf(place));
    std::string name = fileSafe(llvm::sys::path::stem(model()));
    replace(text, "name: " + kind.str() + "-model", "name: " + name);
    return text;
  }

  static void replace(std::string &text, StringRef from, StringRef to) {
    size_t at = text.find(from);
    if (at != std::string::npos)
      text.replace(at, from.size(), to);
  }

  /// As a scalar of YAML in which nothing is a reference.
  static std::string quoted(std::string text) {
    for (size_t at = text.find("${"); at != std::string::npos;
         at = text.find("${", at + 2))
      text.insert(at++, "$");
    return quotedYaml(text);
  }

  const InitOptions &options;
  DriverEnv &env;
  SourceStore sources;
  StreamSink sink;
  std::string output;
};

} // namespace

static int runInit(const InitOptions &options, DriverEnv &env) {
  return Initializer(options, env).run();
}

CommandRun lh::makeInitCommand(CLI::App &command) {
  return makeCommand(command, addInitFlags, runInit);
}
