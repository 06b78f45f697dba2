// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-run's code: a lowered module, compiled, loaded and called by the backend
// as `execute:` and `lh-run bench` do it.
#include "Worker.h"

#include "compiler/session/MlirSession.h"
#include "core/graph/TargetFinder.h"
#include "runtime/Backends.h"
#include "runtime/abi/Backend.h"
#include "runtime/abi/HostFacts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <cstring>

using namespace peers;

namespace {
/// Diagnostics become the reason why there is nothing to measure.
class Complaints : public lh::CollectingSink {
public:
  [[noreturn]] void raise() const {
    std::string text = "lh-run's code:";
    for (const lh::Diagnostic &diagnostic : diagnostics())
      text += " " + diagnostic.message;
    throw Unusable(text);
  }
  void require(lh::LogicalResult result) const {
    if (lh::failed(result))
      raise();
  }
  template <typename T> T take(lh::FailureOr<T> result) const {
    require(lh::LogicalResult(result));
    return std::move(*result);
  }
};

/// Loaded code with what it is called on.
struct Loaded {
  Complaints sink;
  lh::SourceSpan where;
  std::unique_ptr<lh::Executable> executable;
  std::vector<lh::NamedTensor> inputs;
  std::vector<lh::NamedTensor> results; ///< of the first call
  std::unique_ptr<lh::BoundCall> call;
};
} // namespace

/// The target in `path`, a file in the folder `targets` of a library.
static lh::TargetSpec targetIn(const std::string &path, Complaints &sink) {
  auto files = llvm::vfs::getRealFileSystem();
  lh::SourceStore sources(*files);
  lh::TargetSearch search;
  search.libraryDirs = {
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(path)).str()};
  return sink.take(lh::readTarget({path, {}}, search, sources, sink));
}

/// "device=sim" or "device=real": of code for GPUs.
static lh::DeviceChoice devicesFor(const Work &work) {
  auto chosen = work.options.find("device");
  if (chosen == work.options.end())
    return lh::DeviceChoice::Auto;
  return chosen->second == "sim" ? lh::DeviceChoice::Simulated
                                 : lh::DeviceChoice::Real;
}

static void compile(const Work &work, Loaded &loaded) {
  const std::string &modulePath = work.option("module");
  const std::string &targetPath = work.option("target");
  loaded.where = {modulePath, 1, 1};
  lh::MlirSession session;
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(modulePath, &session.context());
  if (!module)
    throw Unusable(modulePath + " is no MLIR module");
  Complaints &sink = loaded.sink;
  lh::TargetSpec target = targetIn(targetPath, sink);
  lh::BackendRegistry backends =
      lh::makeBackends(lh::detectHost(), devicesFor(work));
  const lh::Backend *backend = sink.take(backends.get(target, sink));
  loaded.executable =
      sink.take(backend->compile(*module, target, "main", loaded.where, sink));
  sink.require(loaded.executable->prepare(sink));
}

/// The work's tensors that the entry asks for by name.
static void copyInputs(const Work &work, Loaded &loaded) {
  for (const lh::TensorSignature &wanted :
       loaded.executable->signature().inputs())
    for (const Operand &input : work.inputs) {
      if (input.name != wanted.name)
        continue;
      lh::Tensor tensor(*lh::parseDType(input.type), input.shape);
      std::memcpy(tensor.data(), input.bytes.get(), input.size());
      loaded.inputs.push_back({input.name, std::move(tensor)});
    }
}

/// Runs once, with the memory poisoned and fenced.
static std::vector<Operand> firstOutputs(const Work &work, Loaded &loaded) {
  lh::RunOptions options;
  options.where = loaded.where;
  loaded.results =
      loaded.sink
          .take(loaded.executable->run(loaded.inputs, options, loaded.sink))
          .outputs;
  std::vector<Operand> outputs;
  for (size_t i = 0; i < work.outputs.size(); ++i) {
    Operand &output = outputs.emplace_back(unwritten(work.outputs[i]));
    if (i >= loaded.results.size() ||
        loaded.results[i].tensor.sizeInBytes() != output.size())
      throw Unusable("lh-run's code gives no '" + output.name +
                     "' of the size expected");
    std::memcpy(output.bytes.get(), loaded.results[i].tensor.data(),
                output.size());
  }
  return outputs;
}

std::vector<Candidate> peers::makeCandidates(const Work &work) {
  auto loaded = std::make_shared<Loaded>();
  compile(work, *loaded);
  copyInputs(work, *loaded);
  std::vector<Operand> outputs = firstOutputs(work, *loaded);
  Complaints &sink = loaded->sink;
  loaded->call =
      sink.take(loaded->executable->bind(loaded->inputs, loaded->where, sink));
  auto often = [loaded](long calls) {
    loaded->sink.require(
        loaded->call->call(static_cast<uint64_t>(calls), loaded->sink));
  };
  auto check = [loaded] {
    loaded->sink.require(loaded->call->check(loaded->results, loaded->sink));
  };
  return {{work.option("label"), [often] { often(1); }, outputs, often, check}};
}
