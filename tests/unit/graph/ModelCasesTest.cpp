// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models of the user's in place of a manifest's cases.
#include "ProjectFiles.h"

#include "core/graph/Resolver.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

struct ModelProject : ProjectFiles {
  ResolveOptions options;

  ModelProject() {
    options.workingDirectory = "/here";
    for (const char *file :
         {"/here/net.onnx", "/here/a/net.onnx", "/here/m 1.onnx"})
      add(file, "");
    add("/p/targets/t.yaml", "lighthouse: 1\nbackend: cpu\n");
  }
  FailureOr<ResolvedGraph> resolve(std::vector<std::string> models,
                                   StringRef verify) {
    options.models = std::move(models);
    add("/p/m.yaml", ("lighthouse: 1\nname: m\ntargets: [t]\n"
                      "params: {corpus: {type: path, default: /data}}\n"
                      "bubbles:\n"
                      "  import: {ingress: onnx, model: '${case.model}'}\n"
                      "  clean: {passes: cse}\n"
                      "edges: [import -> clean]\n"
                      "pipelines: {all: {path: [import, clean]}}\n"
                      "cases: {own: {onnx-test: '${params.corpus}/*'}}\n" +
                      verify)
                         .str());
    return loadGraph("/p/m.yaml", options, sources, sink);
  }
};

} // namespace

TEST_CASE("each model is a case by its name", "[graph][model]") {
  ModelProject project;
  auto graph = project.resolve({"net.onnx", "a/net.onnx", "m 1.onnx"}, "");
  REQUIRE(succeeded(graph));
  REQUIRE(graph->cases.size() == 3);
  CHECK(graph->cases[0].name.value == "net");
  CHECK(graph->cases[1].name.value == "net-2");
  CHECK(graph->cases[2].name.value == "m_1");
  const auto &generate = std::get<GenerateCase>(graph->cases[1].source);
  CHECK(std::get<Value>(generate.model.pieces[0]) ==
        Value(std::string("/here/a/net.onnx")));
}

TEST_CASE("the oracle judges models, not what is said of other ones",
          "[graph][model]") {
  ModelProject project;
  auto graph = project.resolve(
      {"net.onnx"}, "verify: {against: [golden, all], oracle: tolerance, "
                    "atol: 0.1, labels: {at_least: 0.5}, "
                    "dtypes: {int32: {atol: 1}}}\n");
  REQUIRE(succeeded(graph));
  const VerifyDecl &verify = *graph->verify;
  REQUIRE(verify.against.size() == 2);
  CHECK(verify.against[0].value == "all");
  CHECK(verify.against[1].value == "oracle");
  CHECK(verify.mode->value == OracleMode::Auto);
  CHECK_FALSE(verify.tolerance.saysAnything());
  CHECK(verify.perDtype.empty());
  CHECK_FALSE(verify.labelsAtLeast);
}

TEST_CASE("a mode of the oracle's that is no tolerance stays",
          "[graph][model]") {
  ModelProject project;
  auto graph = project.resolve({"net.onnx"},
                               "verify: {against: [oracle], oracle: proof}\n");
  REQUIRE(succeeded(graph));
  CHECK(graph->verify->mode->value == OracleMode::Proof);
}

TEST_CASE(
    "a model that isn't there, or isn't of the ingress' kind, is an error",
    "[graph][model]") {
  ModelProject project;
  project.add("/here/x.mlir", "");
  CHECK(failed(project.resolve({"nett.onnx", "x.mlir"}, "")));
  REQUIRE(project.sink.diagnostics().size() == 2);
  CHECK(project.sink.diagnostics()[0].kind == DiagKind::GraphFileNotFound);
  CHECK_THAT(project.sink.diagnostics()[0].message,
             Catch::Contains("did you mean 'net.onnx'?"));
  CHECK(project.sink.diagnostics()[1].kind == DiagKind::GraphMisplacedBubble);
  CHECK(project.sink.diagnostics()[1].where.line == 6);
}
