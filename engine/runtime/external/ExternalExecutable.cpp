// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors to files, a program, and files to tensors.
#include "runtime/external/ExternalExecutable.h"

#include "core/numerics/Npy.h"
#include "core/support/FileSystem.h"
#include "core/support/ScratchFolder.h"
#include "runtime/abi/InputBinding.h"
#include "runtime/abi/ResultChecks.h"
#include "runtime/abi/WeightFiles.h"
#include "runtime/external/ArrayFiles.h"
#include "runtime/external/TargetProgram.h"

#include "llvm/Support/FileSystem.h"

#include <cstring>

using namespace lh;

namespace fs = llvm::sys::fs;

namespace {

class ExternalExecutable : public Executable {
public:
  ExternalExecutable(EntryAbi abi, TargetSpec target, const SourceSpan &where)
      : abi(std::move(abi)), target(std::move(target)), where(where) {}

  /// Writes the code to its file.
  LogicalResult place(StringRef code, DiagnosticSink &sink);

  const EntryAbi &signature() const override { return abi; }
  /// Writes the weights to files that all runs share.
  LogicalResult prepare(DiagnosticSink &sink) override;
  FailureOr<RunOutput> run(ArrayRef<NamedTensor> inputs,
                           const RunOptions &options,
                           DiagnosticSink &sink) override;
  FailureOr<std::unique_ptr<BoundCall>> bind(ArrayRef<NamedTensor> inputs,
                                             const SourceSpan &where,
                                             DiagnosticSink &sink) override;

private:
  std::string programPath() const { return folder.path() + "/program"; }
  LogicalResult writeArguments(StringRef place, ArrayRef<const Tensor *> inputs,
                               const SourceSpan &where, DiagnosticSink &sink);

  EntryAbi abi;
  TargetSpec target;
  SourceSpan where;
  ScratchFolder folder;
};

} // namespace

static LogicalResult noFolder(const SourceSpan &where, DiagnosticSink &sink) {
  return sink.error(DiagKind::SupportCannotWrite, where,
                    "cannot make a temporary folder; is TMPDIR right?");
}

LogicalResult ExternalExecutable::place(StringRef code, DiagnosticSink &sink) {
  if (!folder.isUsable())
    return noFolder(where, sink);
  if (failed(writeFileAtomically(programPath(), code, where, sink)))
    return failure();
  // It may be something to execute.
  (void)fs::setPermissions(programPath(), fs::owner_all);
  return success();
}

LogicalResult ExternalExecutable::prepare(DiagnosticSink &sink) {
  WeightFiles files;
  for (size_t i = 0; i < abi.arguments.size(); ++i) {
    const EntryArgument &argument = abi.arguments[i];
    if (argument.role != ArgumentRole::Weight)
      continue;
    auto bytes =
        files.bind(argument, byteSize(argument.tensor.dtype), where, sink);
    if (failed(bytes))
      return failure();
    Tensor weight(argument.tensor.dtype, argument.tensor.shape);
    if (weight.sizeInBytes() > 0)
      std::memcpy(weight.data(), *bytes, weight.sizeInBytes());
    if (failed(writeNpy(fileAt(folder.path(), i), weight, sink)))
      return failure();
  }
  return success();
}

LogicalResult ExternalExecutable::writeArguments(
    StringRef place, ArrayRef<const Tensor *> inputs, const SourceSpan &where,
    DiagnosticSink &sink) {
  const Tensor *const *input = inputs.begin();
  for (size_t i = 0; i < abi.arguments.size(); ++i) {
    std::string file = fileAt(place, i);
    if (abi.arguments[i].role == ArgumentRole::Input) {
      if (failed(writeNpy(file, **input++, sink)))
        return failure();
    } else if (fs::create_hard_link(fileAt(folder.path(), i), file)) {
      return sink.error(DiagKind::SupportCannotWrite, where,
                        "cannot make '" + file + "'");
    }
  }
  return success();
}

FailureOr<RunOutput> ExternalExecutable::run(ArrayRef<NamedTensor> inputs,
                                             const RunOptions &options,
                                             DiagnosticSink &sink) {
  auto order = bindInputs(abi, inputs, options.where, sink);
  if (failed(order))
    return failure();
  std::vector<const Tensor *> given;
  for (size_t i : *order)
    given.push_back(&inputs[i].tensor);
  ScratchFolder own;
  TargetProgram program{"run.command", target.run.command, options.sweepPoint};
  program.folder = own.path();
  program.places = {{"program", programPath()},
                    {"entry", abi.name},
                    {"inputs", own.path() + "/inputs"},
                    {"outputs", own.path() + "/outputs"}};
  const std::string &outputs = program.places["outputs"];
  if (!own.isUsable() || fs::create_directory(program.places["inputs"]) ||
      fs::create_directory(outputs))
    return noFolder(options.where, sink);
  if (failed(writeArguments(program.places["inputs"], given, options.where,
                            sink)) ||
      failed(runTargetProgram(program, target, sink)))
    return failure();
  auto results = readResults(abi, outputs,
                             {"'run.command' of target '" + target.name + "'",
                              target.run.command.front().where},
                             sink);
  if (failed(results) ||
      failed(checkBooleans(abi, *results, options.where, sink)))
    return failure();
  RunOutput output;
  output.outputs = namedResults(abi, std::move(*results));
  warnOfOutputSymbols(abi, given, output.outputs, options.where, sink);
  return output;
}

FailureOr<std::unique_ptr<BoundCall>>
ExternalExecutable::bind(ArrayRef<NamedTensor>, const SourceSpan &where,
                         DiagnosticSink &sink) {
  return sink.error(DiagKind::BackendUnavailable, where,
                    "target '" + target.name +
                        "' runs by a program of its own, whose time would be "
                        "that of its start and of files");
}

FailureOr<std::unique_ptr<Executable>>
lh::loadExternal(CompiledCode code, const TargetSpec &target,
                 const SourceSpan &where, DiagnosticSink &sink) {
  auto executable = std::make_unique<ExternalExecutable>(
      std::move(code.abi.entry), target, where);
  if (failed(executable->place(code.object, sink)))
    return failure();
  return std::unique_ptr<Executable>(std::move(executable));
}
