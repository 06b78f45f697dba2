// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only test file that includes MLIR's parser and pass manager.
#include "BackendTestSupport.h"

#include "compiler/session/MlirSession.h"
#include "runtime/Backends.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <catch2/catch.hpp>

#include <cstdlib>

#include <unistd.h>

using namespace lh;

HostFacts lh::testHost() {
  HostFacts host = detectHost();
  host.programFolder = LH_RUNNER_FOLDER;
  return host;
}

TargetSpec lh::hostTarget() {
  TargetSpec target;
  target.name = "host";
  target.file = "host.yaml";
  target.backend = "cpu";
  target.triple = "host";
  target.cpu = "host";
  return target;
}

std::string lh::lowerTensors() {
  return std::string("one-shot-bufferize{bufferize-function-boundaries "
                     "function-boundary-type-conversion=identity-layout-map},"
                     "canonicalize,lh-entry-abi,"
                     "buffer-deallocation-pipeline,"
                     "convert-bufferization-to-memref,") +
         lowerMemRefs;
}

struct LoweredModule::State {
  MlirSession session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

LoweredModule::LoweredModule(StringRef text, StringRef passes)
    : state(std::make_unique<State>()) {
  mlir::MLIRContext &context = state->session.context();
  state->module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(state->module);
  mlir::PassManager manager(&context);
  REQUIRE(succeeded(mlir::parsePassPipeline(passes, manager)));
  REQUIRE(succeeded(manager.run(*state->module)));
}

LoweredModule::~LoweredModule() = default;

mlir::ModuleOp LoweredModule::module() const { return *state->module; }

FailureOr<std::unique_ptr<Executable>>
lh::compileText(StringRef text, StringRef passes, DiagnosticSink &sink,
                const TargetSpec &target) {
  LoweredModule lowered(text, passes);
  BackendRegistry backends = makeBackends(testHost());
  return backends.find("cpu")->compile(lowered.module(), target, "main",
                                       SourceSpan{"m.yaml", 3, 5}, sink);
}

std::unique_ptr<Executable> lh::load(StringRef text, StringRef passes) {
  CollectingSink sink;
  auto executable = compileText(text, passes, sink);
  INFO(only(sink));
  REQUIRE(succeeded(executable));
  REQUIRE(succeeded((*executable)->prepare(sink)));
  return std::move(*executable);
}

NamedTensor lh::floats(StringRef name, std::vector<int64_t> shape,
                       const std::vector<double> &numbers, DType dtype) {
  NamedTensor named{name.str(), Tensor(dtype, std::move(shape))};
  REQUIRE(named.tensor.elementCount() == static_cast<int64_t>(numbers.size()));
  for (size_t i = 0; i < numbers.size(); ++i)
    named.tensor.set(static_cast<int64_t>(i), numbers[i]);
  return named;
}

std::vector<double> lh::values(const Tensor &tensor) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor.elementCount(); ++i)
    numbers.push_back(tensor.at(i));
  return numbers;
}

std::string lh::only(const CollectingSink &sink) {
  std::string text;
  for (const Diagnostic &diagnostic : sink.diagnostics())
    text += (text.empty() ? "[" : "\n[") + kindName(diagnostic.kind).str() +
            "] " + diagnostic.message;
  return text;
}

TemporaryFile::TemporaryFile(StringRef bytes) {
  char name[] = "/tmp/lh-backend-XXXXXX";
  int fd = ::mkstemp(name);
  REQUIRE(fd >= 0);
  file = name;
  REQUIRE(::write(fd, bytes.data(), bytes.size()) ==
          static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

TemporaryFile::~TemporaryFile() { ::unlink(file.c_str()); }
