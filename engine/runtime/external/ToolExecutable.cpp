// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs to files, a program that is asked for calls, and files to results.
#include "runtime/external/ToolExecutable.h"

#include "core/manifest/Placeholders.h"
#include "core/numerics/Npy.h"
#include "core/support/FileSystem.h"
#include "core/support/ScratchFolder.h"
#include "runtime/abi/InputBinding.h"
#include "runtime/abi/ResultChecks.h"
#include "runtime/external/ArrayFiles.h"
#include "runtime/external/ToolProcess.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>

using namespace lh;

namespace fs = llvm::sys::fs;

namespace {

/// The tool's program with one set of inputs.
class Server {
public:
  Server(const ToolUse &use, const EntryAbi &abi, const SourceSpan &where)
      : use(use), abi(abi), where(where) {}

  /// Starts it, and waits until it has loaded the model.
  LogicalResult start(ArrayRef<const Tensor *> inputs, DiagnosticSink &sink);
  LogicalResult call(uint64_t count, DiagnosticSink &sink) {
    return ask("run " + std::to_string(count), "done", sink);
  }
  /// The results of the last call.
  FailureOr<std::vector<Tensor>> results(DiagnosticSink &sink);

private:
  LogicalResult ask(StringRef request, StringRef answer, DiagnosticSink &sink) {
    return check(process.ask(request, answer), sink);
  }
  LogicalResult check(const std::string &why, DiagnosticSink &sink);
  std::vector<std::string> words() const;
  std::string program() const {
    return "'serve' of tool '" + use.tool->name + "'";
  }

  const ToolUse &use;
  const EntryAbi &abi;
  const SourceSpan &where;
  ScratchFolder folder;
  std::string inputs = folder.path() + "/inputs";
  std::string outputs = folder.path() + "/outputs";
  ToolProcess process;
};

class ToolExecutable : public Executable {
public:
  ToolExecutable(ToolUse use, ModuleAbi abi, const SourceSpan &where)
      : use(std::move(use)), abi(std::move(abi)), where(where) {}

  const EntryAbi &signature() const override { return abi.entry; }
  LogicalResult prepare(DiagnosticSink &) override { return success(); }
  FailureOr<RunOutput> run(ArrayRef<NamedTensor> inputs,
                           const RunOptions &options,
                           DiagnosticSink &sink) override;
  FailureOr<std::unique_ptr<BoundCall>> bind(ArrayRef<NamedTensor> inputs,
                                             const SourceSpan &where,
                                             DiagnosticSink &sink) override;

private:
  FailureOr<std::unique_ptr<Server>> serve(ArrayRef<NamedTensor> inputs,
                                           DiagnosticSink &sink);
  class Call;

  ToolUse use;
  ModuleAbi abi;
  SourceSpan where;
};

/// What is called again and again; the process makes the calls.
class ToolExecutable::Call : public BoundCall {
public:
  Call(std::unique_ptr<Server> server, const EntryAbi &abi, uint64_t bytes,
       const SourceSpan &where)
      : server(std::move(server)), abi(abi), bytes(bytes), where(where) {}

  LogicalResult call(uint64_t count, DiagnosticSink &sink) override {
    return server->call(count, sink);
  }
  LogicalResult check(ArrayRef<NamedTensor> expected,
                      DiagnosticSink &sink) override;
  bool callsElsewhere() const override { return true; }
  uint64_t bytesRead() const override { return bytes; }

private:
  std::unique_ptr<Server> server;
  const EntryAbi &abi;
  uint64_t bytes;
  SourceSpan where;
};

} // namespace

std::vector<std::string> Server::words() const {
  std::map<std::string, std::string> places = {
      {"here", folderOf(use.tool->file)},
      {"model", use.model},
      {"inputs", inputs},
      {"outputs", outputs},
      {"threads", std::to_string(use.threads)}};
  std::vector<std::string> words;
  for (const Located<std::string> &word : use.tool->serve)
    words.push_back(withPlaces(word.value, places));
  return words;
}

LogicalResult Server::check(const std::string &why, DiagnosticSink &sink) {
  if (why.empty())
    return success();
  return sink.error(DiagKind::BackendProgramFailed,
                    use.tool->serve.front().where, program() + " " + why);
}

LogicalResult Server::start(ArrayRef<const Tensor *> given,
                            DiagnosticSink &sink) {
  if (!folder.isUsable() || fs::create_directory(inputs) ||
      fs::create_directory(outputs))
    return sink.error(DiagKind::SupportCannotWrite, where,
                      "cannot make a temporary folder; is TMPDIR right?");
  for (auto [i, tensor] : llvm::enumerate(given))
    if (failed(writeNpy(fileAt(inputs, i), *tensor, sink)))
      return failure();
  if (failed(check(process.start(words(), folder.path()), sink)))
    return failure();
  return ask("", "ready", sink);
}

FailureOr<std::vector<Tensor>> Server::results(DiagnosticSink &sink) {
  if (failed(ask("write", "done", sink)))
    return failure();
  auto results = readResults(abi, outputs,
                             {program(), use.tool->serve.front().where}, sink);
  if (failed(results) || failed(checkBooleans(abi, *results, where, sink)))
    return failure();
  return results;
}

FailureOr<std::unique_ptr<Server>>
ToolExecutable::serve(ArrayRef<NamedTensor> inputs, DiagnosticSink &sink) {
  auto order = bindInputs(abi.entry, inputs, where, sink);
  if (failed(order))
    return failure();
  std::vector<const Tensor *> given;
  for (size_t i : *order)
    given.push_back(&inputs[i].tensor);
  auto server = std::make_unique<Server>(use, abi.entry, where);
  if (failed(server->start(given, sink)))
    return failure();
  return server;
}

FailureOr<RunOutput> ToolExecutable::run(ArrayRef<NamedTensor> inputs,
                                         const RunOptions &options,
                                         DiagnosticSink &sink) {
  auto server = serve(inputs, sink);
  if (failed(server) || failed((*server)->call(1, sink)))
    return failure();
  auto results = (*server)->results(sink);
  if (failed(results))
    return failure();
  RunOutput output;
  output.outputs = namedResults(abi.entry, std::move(*results));
  for (unsigned i = 0; i <= options.repeat && options.repeat > 0; ++i) {
    auto begin = std::chrono::steady_clock::now();
    if (failed((*server)->call(1, sink)))
      return failure();
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    if (i > 0) // the first warms up
      output.seconds.push_back(taken.count());
  }
  return output;
}

LogicalResult ToolExecutable::Call::check(ArrayRef<NamedTensor> expected,
                                          DiagnosticSink &sink) {
  if (failed(server->call(1, sink)))
    return failure();
  auto results = server->results(sink);
  return failure(failed(results) ||
                 failed(checkSameBits(abi, expected, *results, where, sink)));
}

FailureOr<std::unique_ptr<BoundCall>>
ToolExecutable::bind(ArrayRef<NamedTensor> inputs, const SourceSpan &,
                     DiagnosticSink &sink) {
  auto server = serve(inputs, sink);
  if (failed(server))
    return failure();
  std::vector<const NamedTensor *> given;
  for (const NamedTensor &input : inputs)
    given.push_back(&input);
  return std::unique_ptr<BoundCall>(std::make_unique<Call>(
      std::move(*server), abi.entry, bytesToRead(abi, given), where));
}

FailureOr<std::unique_ptr<Executable>>
lh::loadTool(const ToolUse &use, mlir::ModuleOp module, StringRef entry,
             bool allowsExec, const SourceSpan &where, DiagnosticSink &sink) {
  if (!allowsExec)
    return sink.error(DiagKind::PlanNotAllowed, use.tool->serve.front().where,
                      "tool '" + use.tool->name +
                          "' is a program, which is started only with "
                          "--allow-exec");
  noteTensorAbi(module);
  FailureOr<ModuleAbi> abi = readEntryAbi(module, entry, where, sink);
  if (failed(abi))
    return failure();
  return std::unique_ptr<Executable>(
      std::make_unique<ToolExecutable>(use, std::move(*abi), where));
}
