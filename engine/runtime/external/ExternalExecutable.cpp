// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors to files, a program, and files to tensors.
#include "runtime/external/ExternalExecutable.h"

#include "core/numerics/Npy.h"
#include "core/numerics/TensorFile.h"
#include "core/support/FileSystem.h"
#include "core/support/ScratchFolder.h"
#include "runtime/abi/InputBinding.h"
#include "runtime/abi/ResultChecks.h"
#include "runtime/abi/WeightFiles.h"
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
  FailureOr<Tensor> readResult(size_t index, StringRef place,
                               DiagnosticSink &sink) const;

  EntryAbi abi;
  TargetSpec target;
  SourceSpan where;
  ScratchFolder folder;
};

} // namespace

/// Of the argument or result at this position.
static std::string fileAt(StringRef folder, size_t index) {
  return (folder + "/" + Twine(index) + ".npy").str();
}

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

/// One cause, however the file is wrong.
FailureOr<Tensor> ExternalExecutable::readResult(size_t index, StringRef place,
                                                 DiagnosticSink &sink) const {
  const TensorSignature &result = abi.results[index];
  const SourceSpan &said = target.run.command.front().where;
  std::string file = fileAt(place, index), name = fileAt("{outputs}", index);
  if (!fs::is_regular_file(file))
    return sink.error(DiagKind::BackendProgramFailed, said,
                      "'run.command' of target '" + target.name +
                          "' ended well, but wrote no '" + name +
                          "', which is to hold output '" + result.name + "'");
  CollectingSink trouble;
  FailureOr<Tensor> tensor = readTensorFile(file, trouble);
  if (failed(tensor))
    return sink.error(DiagKind::BackendBadOutput, said,
                      "output '" + result.name + "': '" + name +
                          "' of target '" + target.name + "' can't be read: " +
                          trouble.diagnostics().front().message);
  bool fits = tensor->dtype() == result.dtype &&
              tensor->shape().size() == result.shape.size();
  for (size_t i = 0; fits && i < result.shape.size(); ++i)
    fits = result.shape[i] < 0 || result.shape[i] == tensor->shape()[i];
  if (fits)
    return tensor;
  auto described = [](DType dtype, const std::string &shape) {
    return (dtypeName(dtype) + (shape.empty() ? "" : " ") + shape).str();
  };
  return sink.error(DiagKind::BackendBadOutput, said,
                    "output '" + result.name + "': '" + name + "' of target '" +
                        target.name + "' holds " +
                        described(tensor->dtype(), shapeText(tensor->shape())) +
                        ", the entry's signature says " +
                        described(result.dtype, result.shapeText()));
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
  std::vector<Tensor> results;
  for (size_t i = 0; i < abi.results.size(); ++i) {
    FailureOr<Tensor> result = readResult(i, outputs, sink);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  if (failed(checkBooleans(abi, results, options.where, sink)))
    return failure();
  RunOutput output;
  for (size_t i = 0; i < results.size(); ++i)
    output.outputs.push_back({abi.results[i].name, std::move(results[i])});
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
