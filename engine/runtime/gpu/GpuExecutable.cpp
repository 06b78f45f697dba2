// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies inputs and weights to the device, calls the code, checks its memory.
#include "runtime/gpu/GpuExecutable.h"

#include "runtime/abi/InputBinding.h"
#include "runtime/abi/ResultChecks.h"
#include "runtime/abi/WeightFiles.h"
#include "runtime/abi/WrittenCheck.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace lh;

namespace {
/// The arguments of one entry as buffers of the device's.
struct DeviceArguments {
  std::vector<FencedBuffer> own; ///< copies; kept where they are
  std::vector<const std::byte *> bytes;
  std::vector<ArrayRef<int64_t>> shapes;
};

class GpuExecutable : public Executable {
public:
  GpuExecutable(ModuleAbi abi, std::unique_ptr<DeviceProgram> program,
                SourceSpan where)
      : abi(std::move(abi)), program(std::move(program)),
        where(std::move(where)) {}

  const EntryAbi &signature() const override { return abi.entry; }
  LogicalResult prepare(DiagnosticSink &sink) override;
  FailureOr<RunOutput> run(ArrayRef<NamedTensor> inputs,
                           const RunOptions &options,
                           DiagnosticSink &sink) override;
  FailureOr<std::unique_ptr<BoundCall>> bind(ArrayRef<NamedTensor> inputs,
                                             const SourceSpan &at,
                                             DiagnosticSink &sink) override;
  bool survivesFork() const override { return program->isSimulated(); }

private:
  class Call;
  friend class Call;

  LogicalResult open(DiagnosticSink &sink);
  LogicalResult runPrepare(DiagnosticSink &sink);
  LogicalResult addCopy(DeviceArguments &arguments, const std::byte *bytes,
                        size_t size, ArrayRef<int64_t> shape,
                        DiagnosticSink &sink);
  LogicalResult addWeight(DeviceArguments &arguments, WeightFiles &files,
                          const EntryArgument &argument, DiagnosticSink &sink);
  FailureOr<std::unique_ptr<Call>> makeCall(ArrayRef<NamedTensor> inputs,
                                            const SourceSpan &at,
                                            DiagnosticSink &sink);

  ModuleAbi abi;
  std::unique_ptr<DeviceProgram> program;
  SourceSpan where;
  bool isOpen = false;
  WeightFiles weights;
  DeviceArguments constant; ///< weights and prepared ones, in order
};

/// One entry with its buffers. The caller's inputs outlive it.
class GpuExecutable::Call : public BoundCall {
public:
  Call(GpuExecutable &owner, SourceSpan where)
      : owner(owner), where(std::move(where)) {}

  LogicalResult bindInputs(ArrayRef<NamedTensor> inputs, DiagnosticSink &sink);

  LogicalResult call(uint64_t count, DiagnosticSink &sink) override;
  LogicalResult check(ArrayRef<NamedTensor> expected,
                      DiagnosticSink &sink) override;
  uint64_t bytesRead() const override;
  std::optional<double> deviceSeconds() const override { return lastSeconds; }

  /// With poison in the results, round the inputs, and in what the code and
  /// its kernels allocate.
  FailureOr<std::vector<Tensor>>
  callPoisoned(RunOutput &output, DiagnosticSink &sink,
               Poison poison = Poison::NotANumber);
  /// What callPoisoned() gave with Poison::NotANumber, against other poison.
  LogicalResult checkFirst(ArrayRef<Tensor> first, const RunOptions &options,
                           RunOutput &output, DiagnosticSink &sink);
  LogicalResult callTimed(ArrayRef<Tensor> first, unsigned repeat,
                          RunOutput &output, DiagnosticSink &sink);
  /// Under `count` other orders of threads: the same bits each time.
  LogicalResult callReordered(ArrayRef<Tensor> first, unsigned count,
                              RunOutput &output, DiagnosticSink &sink);
  LogicalResult checkInputs(DiagnosticSink &sink) const;
  std::vector<const Tensor *> givenTensors() const;

private:
  FailureOr<std::vector<Tensor>> takeResults(DiagnosticSink &sink);
  LogicalResult noteMemory(RunOutput &output, DiagnosticSink &sink);

  GpuExecutable &owner;
  SourceSpan where;
  std::vector<const NamedTensor *> given;
  DeviceArguments copies;
  std::unique_ptr<CallFrame> frame;
  std::optional<double> lastSeconds; ///< a simulated device has no clock
};
} // namespace

LogicalResult GpuExecutable::prepare(DiagnosticSink &sink) {
  // The device is opened later, but a file that isn't there is told now.
  for (const EntryArgument &argument : abi.entry.arguments)
    if (argument.role == ArgumentRole::Weight &&
        failed(weights.bind(argument, 1, where, sink)))
      return failure();
  return success();
}

LogicalResult GpuExecutable::addCopy(DeviceArguments &arguments,
                                     const std::byte *bytes, size_t size,
                                     ArrayRef<int64_t> shape,
                                     DiagnosticSink &sink) {
  FencedBuffer &copy = arguments.own.emplace_back(size, program->memory());
  if (!copy.isUsable())
    return failure();
  if (size > 0 &&
      failed(program->device().copy(copy.data(), bytes, size, sink)))
    return failure();
  arguments.bytes.push_back(copy.data());
  arguments.shapes.push_back(shape);
  return success();
}

LogicalResult GpuExecutable::addWeight(DeviceArguments &arguments,
                                       WeightFiles &files,
                                       const EntryArgument &argument,
                                       DiagnosticSink &sink) {
  FailureOr<const std::byte *> bytes = files.bind(argument, 1, where, sink);
  if (failed(bytes))
    return failure();
  return addCopy(arguments, *bytes, argument.data.bytes, argument.tensor.shape,
                 sink);
}

/// Opens the device and brings there what stays from call to call.
LogicalResult GpuExecutable::open(DiagnosticSink &sink) {
  if (failed(program->load(sink)))
    return failure();
  if (isOpen)
    return success();
  for (const EntryArgument &argument : abi.entry.arguments)
    if (argument.role == ArgumentRole::Weight &&
        failed(addWeight(constant, weights, argument, sink)))
      return failure();
  if (abi.prepare && failed(runPrepare(sink)))
    return failure();
  isOpen = true;
  return program->device().synchronize(sink);
}

/// Adds what `@prepare` yields to the constant arguments, in their order.
LogicalResult GpuExecutable::runPrepare(DiagnosticSink &sink) {
  WeightFiles files;
  DeviceArguments arguments;
  for (const EntryArgument &argument : abi.prepare->arguments)
    if (failed(addWeight(arguments, files, argument, sink)))
      return failure();
  CallFrame frame(*abi.prepare, arguments.bytes, arguments.shapes,
                  program->memory());
  Arena &arena = program->arena();
  if (!frame.isUsable() ||
      failed(program->call(1, frame.packedArguments(), 1, where, sink)))
    return failure();
  auto results = frame.takeLastResults(arena, where, sink);
  arena.reclaim();
  if (failed(results) ||
      failed(checkBooleans(*abi.prepare, *results, where, sink)))
    return failure();
  for (const EntryArgument &argument : abi.entry.arguments) {
    if (argument.role != ArgumentRole::Prepared)
      continue;
    const Tensor &tensor = (*results)[argument.preparedIndex];
    if (failed(addCopy(constant, tensor.data(), tensor.sizeInBytes(),
                       argument.tensor.shape, sink)))
      return failure();
  }
  return success();
}

FailureOr<std::unique_ptr<GpuExecutable::Call>>
GpuExecutable::makeCall(ArrayRef<NamedTensor> inputs, const SourceSpan &at,
                        DiagnosticSink &sink) {
  auto call = std::make_unique<Call>(*this, at);
  if (failed(open(sink)) || failed(call->bindInputs(inputs, sink)))
    return failure();
  return call;
}

LogicalResult GpuExecutable::Call::bindInputs(ArrayRef<NamedTensor> inputs,
                                              DiagnosticSink &sink) {
  const EntryAbi &entry = owner.abi.entry;
  auto order = lh::bindInputs(entry, inputs, where, sink);
  if (failed(order))
    return failure();
  for (size_t i : *order) {
    const Tensor &tensor = inputs[i].tensor;
    given.push_back(&inputs[i]);
    if (failed(owner.addCopy(copies, tensor.data(), tensor.sizeInBytes(),
                             tensor.shape(), sink)))
      return failure();
  }
  std::vector<const std::byte *> bytes;
  std::vector<ArrayRef<int64_t>> shapes;
  // Weights come first among the constant ones, then what was prepared.
  size_t nextInput = 0, nextWeight = 0;
  size_t nextPrepared = static_cast<size_t>(
      llvm::count_if(entry.arguments, [](const EntryArgument &argument) {
        return argument.role == ArgumentRole::Weight;
      }));
  for (const EntryArgument &argument : entry.arguments) {
    bool isInput = argument.role == ArgumentRole::Input;
    size_t &next = isInput                                 ? nextInput
                   : argument.role == ArgumentRole::Weight ? nextWeight
                                                           : nextPrepared;
    const DeviceArguments &from = isInput ? copies : owner.constant;
    bytes.push_back(from.bytes[next]);
    shapes.push_back(from.shapes[next++]);
  }
  frame = std::make_unique<CallFrame>(entry, bytes, shapes,
                                      owner.program->memory());
  if (!frame->isUsable())
    return failure();
  if (!owner.program->isSimulated())
    lastSeconds = 0;
  return owner.program->device().synchronize(sink);
}

FailureOr<std::vector<Tensor>>
GpuExecutable::Call::takeResults(DiagnosticSink &sink) {
  if (failed(frame->checkFences(where, sink)))
    return failure();
  return frame->takeResults(owner.program->arena(), where, sink);
}

LogicalResult GpuExecutable::Call::noteMemory(RunOutput &output,
                                              DiagnosticSink &sink) {
  Arena &arena = owner.program->arena();
  output.peakBytes = std::max(output.peakBytes, arena.peakBytes());
  if (output.leakedBytes == 0 && arena.liveBytes() > 0) {
    output.leakedBytes = arena.liveBytes();
    warnOfLeak(owner.abi.entry, arena.liveBlocks(), arena.liveBytes(), where,
               sink);
  }
  arena.reclaim();
  arena.resetPeak();
  if (std::optional<size_t> size = arena.takeDamage())
    return reportDamage(owner.abi.entry, *size, where, sink);
  return success();
}

FailureOr<std::vector<Tensor>>
GpuExecutable::Call::callPoisoned(RunOutput &output, DiagnosticSink &sink,
                                  Poison poison) {
  frame->poisonResults(poison);
  for (FencedBuffer &copy : copies.own)
    copy.raise(poison);
  owner.program->setPoison(poison);
  LogicalResult called =
      owner.program->call(0, frame->packedArguments(), 1, where, sink);
  owner.program->setPoison(std::nullopt);
  if (failed(called)) {
    owner.program->arena().reclaim();
    return failure();
  }
  auto results = takeResults(sink);
  if (failed(results) || failed(noteMemory(output, sink)))
    return failure();
  return results;
}

/// Nothing of the host's touches the memory in between: it stays on the device.
LogicalResult GpuExecutable::Call::callTimed(ArrayRef<Tensor> first,
                                             unsigned repeat, RunOutput &output,
                                             DiagnosticSink &sink) {
  Arena &arena = owner.program->arena();
  for (unsigned i = 0; i <= repeat; ++i) {
    bool last = i == repeat;
    FailureOr<double> seconds =
        owner.program->time(0, frame->packedArguments(), 1, where, sink);
    if (failed(seconds)) {
      arena.reclaim();
      return failure();
    }
    if (i > 0)
      output.seconds.push_back(*seconds);
    else
      output.freshBlocks = arena.freshBlocks();
    if (!last) {
      arena.reclaim();
      continue;
    }
    auto results = takeResults(sink);
    if (failed(results) || failed(noteMemory(output, sink)))
      return failure();
    if (failed(checkSameBits(owner.abi.entry, first, *results, where, sink)))
      return failure();
  }
  output.freshBlocks = arena.freshBlocks() - output.freshBlocks;
  return success();
}

LogicalResult GpuExecutable::Call::callReordered(ArrayRef<Tensor> first,
                                                 unsigned count,
                                                 RunOutput &output,
                                                 DiagnosticSink &sink) {
  Device &device = owner.program->device();
  for (unsigned seed = 1; seed <= count; ++seed) {
    device.setSchedule(seed);
    auto results = callPoisoned(output, sink);
    device.setSchedule(0);
    if (failed(results))
      return failure();
    if (failed(checkSameBits(owner.abi.entry, first, *results, where, sink)))
      return failure();
  }
  return success();
}

LogicalResult GpuExecutable::Call::checkFirst(ArrayRef<Tensor> first,
                                              const RunOptions &options,
                                              RunOutput &output,
                                              DiagnosticSink &sink) {
  auto again = [&](Poison poison) {
    return callPoisoned(output, sink, poison);
  };
  const EntryAbi &entry = owner.abi.entry;
  if (failed(checkInputs(sink)) ||
      (options.checksWritten &&
       failed(checkWritten(entry, first, again, options, sink))))
    return failure();
  return checkBooleans(entry, first, where, sink);
}

LogicalResult GpuExecutable::Call::checkInputs(DiagnosticSink &sink) const {
  return checkInputsUntouched(owner.abi.entry, given, copies.bytes, where,
                              sink);
}

std::vector<const Tensor *> GpuExecutable::Call::givenTensors() const {
  std::vector<const Tensor *> tensors;
  for (const NamedTensor *input : given)
    tensors.push_back(&input->tensor);
  return tensors;
}

LogicalResult GpuExecutable::Call::call(uint64_t count, DiagnosticSink &sink) {
  FailureOr<double> seconds =
      owner.program->time(0, frame->packedArguments(), count, where, sink);
  owner.program->arena().reclaim();
  if (failed(seconds))
    return failure();
  if (!owner.program->isSimulated())
    lastSeconds = *seconds;
  return success();
}

LogicalResult GpuExecutable::Call::check(ArrayRef<NamedTensor> expected,
                                         DiagnosticSink &sink) {
  RunOutput output;
  auto results = callPoisoned(output, sink);
  if (failed(results) ||
      failed(checkSameBits(owner.abi.entry, expected, *results, where, sink)))
    return failure();
  return checkInputs(sink);
}

uint64_t GpuExecutable::Call::bytesRead() const {
  return bytesToRead(owner.abi, given);
}

FailureOr<RunOutput> GpuExecutable::run(ArrayRef<NamedTensor> inputs,
                                        const RunOptions &options,
                                        DiagnosticSink &sink) {
  auto call = makeCall(inputs, options.where, sink);
  if (failed(call))
    return failure();
  RunOutput output;
  auto results = (*call)->callPoisoned(output, sink);
  if (failed(results) ||
      failed((*call)->checkFirst(*results, options, output, sink)))
    return failure();
  // How long a simulation takes says nothing of the device.
  auto again = program->isSimulated() ? &Call::callReordered : &Call::callTimed;
  if ((options.repeat > 0 &&
       failed(((**call).*again)(*results, options.repeat, output, sink))) ||
      failed((*call)->checkInputs(sink)))
    return failure();
  for (size_t i = 0; i < results->size(); ++i)
    output.outputs.push_back(
        {abi.entry.results[i].name, std::move((*results)[i])});
  warnOfOutputSymbols(abi.entry, (*call)->givenTensors(), output.outputs,
                      options.where, sink);
  return output;
}

FailureOr<std::unique_ptr<BoundCall>>
GpuExecutable::bind(ArrayRef<NamedTensor> inputs, const SourceSpan &at,
                    DiagnosticSink &sink) {
  auto call = makeCall(inputs, at, sink);
  if (failed(call))
    return failure();
  return std::unique_ptr<BoundCall>(std::move(*call));
}

std::unique_ptr<Executable>
lh::makeGpuExecutable(ModuleAbi abi, std::unique_ptr<DeviceProgram> program,
                      SourceSpan where) {
  return std::make_unique<GpuExecutable>(std::move(abi), std::move(program),
                                         std::move(where));
}
