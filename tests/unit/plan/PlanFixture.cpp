// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small graphs and a machine to plan for.
#include "PlanFixture.h"
#include "core/numerics/Npy.h"
#include "core/support/Hash.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

Located<std::string> lh::named(const std::string &text) {
  return {text, {"/m.yaml", 1, 1, 1}};
}

Expression lh::literal(const std::string &text) {
  return {{Value(text)}, {"/m.yaml", 2, 2, 2}};
}

Expression lh::reference(Reference::Scope scope, const std::string &name) {
  SourceSpan where{"/m.yaml", 3, 3, 3};
  return {{Reference{scope, name, where}}, where};
}

Machine::Machine()
    : files(new llvm::vfs::InMemoryFileSystem),
      facts{"x86_64",
            {},
            [](const TargetSpec &target) {
              return std::string(
                  StringRef(target.name).starts_with("far") ? "too far" : "");
            },
            *files} {
  facts.host.name = "host";
  facts.host.run.nativeOn = "x86_64";
}

void Machine::addFile(const std::string &path, const std::string &content) {
  files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(content));
}

void Machine::addGolden(const std::string &name) {
  std::string folder = "/golden/" + name;
  addFile(folder + "/model.onnx", "model");
  addFile(folder + "/inputs/x.npy");
  addFile(folder + "/outputs/y.npy", npy({1, 2}));
  addSidecar(folder);
}

void Machine::addSidecar(const std::string &folder, const std::string &target,
                         const std::string &more) {
  addFile(folder + "/provenance.json",
          R"({"producer": "a test", "versions": {"test": "1"}, "target": ")" +
              target + R"(", "dtypes": {"y": "float32"}, "model_sha256": ")" +
              sha256Hex("model") + "\"" + more + "}");
}

std::string lh::npy(const std::vector<double> &values, DType dtype) {
  Tensor tensor(dtype, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<int64_t>(i), values[i]);
  return npyBytes(tensor);
}

static void addBubble(ResolvedGraph &graph, const std::string &name,
                      ResolvedAction action) {
  ResolvedBubble bubble;
  bubble.name = name;
  bubble.declaredAt = {"/m.yaml", 9, 1, 1};
  bubble.action = std::move(action);
  graph.bubbles.push_back(std::move(bubble));
}

void lh::addPasses(ResolvedGraph &graph, const std::string &name,
                   Expression pipeline) {
  addBubble(graph, name, PassesDecl{std::move(pipeline)});
}

void lh::addTarget(ResolvedGraph &graph, const std::string &name,
                   int64_t vectorBits) {
  TargetSpec target;
  target.name = name;
  target.run.nativeOn = "x86_64";
  target.facts["vector_bits"].value = vectorBits;
  graph.targets.push_back(std::move(target));
}

ResolvedGraph lh::makeGraph() {
  ResolvedGraph graph;
  graph.name = "test";
  graph.file = "/m.yaml";
  IngressDecl ingress;
  ingress.model = reference(Reference::Scope::Case, "model");
  addBubble(graph, "import", ingress);
  addPasses(graph, "fuse", literal("cse"));
  addPasses(graph, "lower", literal("a"));
  ExecuteDecl execute;
  execute.entry = named("main");
  addBubble(graph, "run", execute);
  addPasses(graph, "loops", literal("b"));
  graph.pipelines = {{"fast", {}, "", {0, 1, 2, 3}},
                     {"plain", {}, "", {0, 1, 4, 3}}};
  addTarget(graph, "host", 512);
  CaseDecl digits;
  digits.name = named("digits");
  digits.source = GoldenCase{literal("/golden/digits")};
  graph.cases.push_back(digits);
  VerifyDecl verify;
  verify.against = {named("golden")};
  graph.verify = verify;
  return graph;
}

Planned lh::planFor(const ResolvedGraph &graph, const Machine &machine,
                    const Selection &selection) {
  CollectingSink sink;
  Planned planned;
  planned.plan = makePlan(graph, selection, machine.facts, sink);
  planned.diagnostics = sink.take();
  return planned;
}

size_t lh::countSteps(const Plan &plan, StringRef bubble) {
  return static_cast<size_t>(llvm::count_if(
      plan.steps, [&](const Step &step) { return step.bubble == bubble; }));
}
