// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds weights and inputs, calls the code, watches its memory.
#include "runtime/cpu/JitExecutable.h"

#include "core/bench/Statistics.h"
#include "runtime/abi/InputBinding.h"
#include "runtime/abi/ResultChecks.h"
#include "runtime/abi/WeightFiles.h"
#include "runtime/abi/WrittenCheck.h"
#include "runtime/cpu/Arena.h"
#include "runtime/cpu/CallClocks.h"
#include "runtime/cpu/CallFrame.h"
#include "runtime/cpu/CountingBuild.h"
#include "runtime/cpu/JitCode.h"
#include "runtime/cpu/KernelLibraries.h"
#include "runtime/cpu/PackedEntry.h"
#include "runtime/cpu/PreparedWeights.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace lh;

namespace {
/// Code assumes no more, but wide loads that straddle cache lines are slow.
constexpr size_t weightAlignment = 64;

/// The caller's inputs in the entry's order, and what the code gets of them.
struct BoundInputs {
  std::vector<const NamedTensor *> given;
  std::vector<FencedBuffer> copies;
};

CallFrame::PackedFunction packedEntry(const JitCode &code, size_t i) {
  return reinterpret_cast<CallFrame::PackedFunction>(code.entry(i));
}

class JitExecutable : public Executable {
public:
  JitExecutable(CompiledCode compiled, std::unique_ptr<Arena> arena,
                std::vector<RuntimeSymbol> symbols,
                std::unique_ptr<JitCode> code, SourceSpan where)
      : compiled(std::move(compiled)), abi(this->compiled.abi),
        arena(std::move(arena)), symbols(std::move(symbols)),
        code(std::move(code)), where(std::move(where)) {}

  const EntryAbi &signature() const override { return abi.entry; }
  LogicalResult prepare(DiagnosticSink &sink) override;
  FailureOr<RunOutput> run(ArrayRef<NamedTensor> inputs,
                           const RunOptions &options,
                           DiagnosticSink &sink) override;
  FailureOr<std::optional<ArithmeticCount>>
  countArithmetic(ArrayRef<NamedTensor> inputs, const SourceSpan &at,
                  DiagnosticSink &sink) override;
  FailureOr<std::optional<CallProfile>> profile(const ClockedCode &clocked,
                                                ArrayRef<NamedTensor> inputs,
                                                const SourceSpan &at,
                                                DiagnosticSink &sink) override;
  FailureOr<std::unique_ptr<BoundCall>> bind(ArrayRef<NamedTensor> inputs,
                                             const SourceSpan &at,
                                             DiagnosticSink &sink) override;

private:
  class Call;

  CallFrame::PackedFunction function(size_t i) const {
    return packedEntry(*code, i);
  }
  LogicalResult runPrepare(DiagnosticSink &sink);
  FailureOr<BoundInputs> copyInputs(ArrayRef<NamedTensor> inputs,
                                    const SourceSpan &at,
                                    DiagnosticSink &sink) const;
  /// For calls of the entry on `inputs`, which outlive it.
  CallFrame frameFor(const BoundInputs &inputs) const;
  FailureOr<std::vector<Tensor>> callOnce(CallFrame &frame, bool wantsResults,
                                          double &seconds, RunOutput &output,
                                          const SourceSpan &at,
                                          DiagnosticSink &sink,
                                          Poison poison = Poison::NotANumber);
  FailureOr<std::vector<Tensor>>
  callPoisoned(CallFrame &frame, Poison poison, BoundInputs &inputs,
               RunOutput &output, const SourceSpan &at, DiagnosticSink &sink);
  LogicalResult callTimed(CallFrame &frame, ArrayRef<Tensor> first,
                          const RunOptions &options, RunOutput &output,
                          DiagnosticSink &sink);
  LogicalResult callRepeatedly(CallFrame &frame, BoundInputs &inputs,
                               const RunOptions &options, RunOutput &output,
                               DiagnosticSink &sink);
  LogicalResult noteMemory(RunOutput &output, const SourceSpan &where,
                           DiagnosticSink &sink);

  CompiledCode compiled; ///< its counting object is linked when it is called
  ModuleAbi &abi;
  // The code's allocator refers to the arena: it must go after the code.
  std::unique_ptr<Arena> arena;
  std::vector<RuntimeSymbol> symbols; ///< that the code is linked against
  std::unique_ptr<JitCode> code;
  SourceSpan where;
  WeightFiles weights;
  std::vector<const std::byte *> boundWeights; ///< by argument; null: none
  PreparedWeights prepared;
};

/// The memory of the entry's arguments stays where it is from call to call.
class JitExecutable::Call : public BoundCall {
public:
  Call(JitExecutable &executable, BoundInputs bound, const SourceSpan &where)
      : executable(executable), bound(std::move(bound)),
        frame(executable.frameFor(this->bound)), where(where) {}

  LogicalResult call(uint64_t count, DiagnosticSink &sink) override {
    return frame.callOften(executable.function(0), count, *executable.arena,
                           where, sink);
  }
  LogicalResult check(ArrayRef<NamedTensor> expected,
                      DiagnosticSink &sink) override;
  uint64_t bytesRead() const override;

private:
  JitExecutable &executable;
  BoundInputs bound;
  CallFrame frame;
  SourceSpan where;
};
} // namespace

LogicalResult JitExecutable::runPrepare(DiagnosticSink &sink) {
  // Read once, so an element's own alignment is enough, and no copy is kept.
  WeightFiles files;
  std::vector<const std::byte *> buffers;
  std::vector<ArrayRef<int64_t>> shapes;
  for (const EntryArgument &argument : abi.prepare->arguments) {
    FailureOr<const std::byte *> bytes =
        files.bind(argument, byteSize(argument.tensor.dtype), where, sink);
    if (failed(bytes))
      return failure();
    buffers.push_back(*bytes);
    shapes.push_back(argument.tensor.shape);
  }
  CallFrame frame(*abi.prepare, buffers, shapes);
  if (failed(frame.call(function(1), where, sink))) {
    arena->reclaim();
    return failure();
  }
  auto results = frame.takeLastResults(*arena, where, sink);
  arena->reclaim();
  if (failed(results) ||
      failed(checkBooleans(*abi.prepare, *results, where, sink)))
    return failure();
  prepared = PreparedWeights(std::move(*results));
  return success();
}

LogicalResult JitExecutable::prepare(DiagnosticSink &sink) {
  boundWeights.clear();
  for (const EntryArgument &argument : abi.entry.arguments) {
    boundWeights.push_back(nullptr);
    if (argument.role != ArgumentRole::Weight)
      continue;
    FailureOr<const std::byte *> bytes =
        weights.bind(argument, weightAlignment, where, sink);
    if (failed(bytes))
      return failure();
    boundWeights.back() = *bytes;
  }
  return abi.prepare ? runPrepare(sink) : success();
}

FailureOr<BoundInputs> JitExecutable::copyInputs(ArrayRef<NamedTensor> inputs,
                                                 const SourceSpan &at,
                                                 DiagnosticSink &sink) const {
  FailureOr<std::vector<size_t>> order =
      bindInputs(abi.entry, inputs, at, sink);
  if (failed(order))
    return failure();
  BoundInputs bound;
  for (size_t i : *order) {
    const Tensor &given = inputs[i].tensor;
    bound.given.push_back(&inputs[i]);
    FencedBuffer &copy = bound.copies.emplace_back(given.sizeInBytes());
    std::memcpy(copy.data(), given.data(), given.sizeInBytes());
  }
  return bound;
}

CallFrame JitExecutable::frameFor(const BoundInputs &inputs) const {
  std::vector<const std::byte *> bytes;
  std::vector<ArrayRef<int64_t>> shapes;
  size_t nextInput = 0;
  for (size_t i = 0; i < abi.entry.arguments.size(); ++i) {
    const EntryArgument &argument = abi.entry.arguments[i];
    switch (argument.role) {
    case ArgumentRole::Weight:
      bytes.push_back(boundWeights[i]);
      shapes.push_back(argument.tensor.shape);
      break;
    case ArgumentRole::Prepared:
      bytes.push_back(prepared.data(argument.preparedIndex));
      shapes.push_back(prepared.shape(argument.preparedIndex));
      break;
    case ArgumentRole::Input:
      shapes.push_back(inputs.given[nextInput]->tensor.shape());
      bytes.push_back(inputs.copies[nextInput++].data());
      break;
    }
  }
  return CallFrame(abi.entry, bytes, shapes);
}

LogicalResult JitExecutable::noteMemory(RunOutput &output, const SourceSpan &at,
                                        DiagnosticSink &sink) {
  output.peakBytes = std::max(output.peakBytes, arena->peakBytes());
  if (output.leakedBytes == 0 && arena->liveBytes() > 0) {
    output.leakedBytes = arena->liveBytes();
    warnOfLeak(abi.entry, arena->liveBlocks(), arena->liveBytes(), at, sink);
  }
  arena->reclaim();
  arena->resetPeak();
  if (std::optional<size_t> size = arena->takeDamage())
    return reportDamage(abi.entry, *size, at, sink);
  return success();
}

/// One call; its results, when they are wanted or must be freed.
FailureOr<std::vector<Tensor>>
JitExecutable::callOnce(CallFrame &frame, bool wantsResults, double &seconds,
                        RunOutput &output, const SourceSpan &at,
                        DiagnosticSink &sink, Poison poison) {
  FailureOr<double> taken = frame.call(function(0), at, sink, poison);
  if (failed(taken)) {
    arena->reclaim();
    return failure();
  }
  seconds = *taken;
  std::vector<Tensor> results;
  if (wantsResults || abi.entry.convention == EntryConvention::Returned) {
    auto all = frame.takeResults(*arena, at, sink);
    if (failed(all))
      return failure();
    results = std::move(*all);
  }
  if (failed(noteMemory(output, at, sink)))
    return failure();
  return results;
}

/// After a first call whose results are `first`: warms up, then times. What is
/// timed must give the same.
LogicalResult JitExecutable::callTimed(CallFrame &frame, ArrayRef<Tensor> first,
                                       const RunOptions &options,
                                       RunOutput &output,
                                       DiagnosticSink &sink) {
  for (unsigned i = 0; i <= options.repeat; ++i) {
    bool last = i == options.repeat;
    double seconds = 0;
    auto results = callOnce(frame, last, seconds, output, options.where, sink);
    if (failed(results))
      return failure();
    if (i > 0)
      output.seconds.push_back(seconds);
    else
      output.freshBlocks = arena->freshBlocks();
    if (last &&
        failed(checkSameBits(abi.entry, first, *results, options.where, sink)))
      return failure();
  }
  output.freshBlocks = arena->freshBlocks() - output.freshBlocks;
  return success();
}

static LogicalResult checkUntouched(const EntryAbi &abi,
                                    const BoundInputs &inputs,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink) {
  std::vector<const std::byte *> used;
  for (const FencedBuffer &copy : inputs.copies)
    used.push_back(copy.data());
  return checkInputsUntouched(abi, inputs.given, used, where, sink);
}

/// One call with this in and round the results, what the code allocates, and
/// round the inputs.
FailureOr<std::vector<Tensor>>
JitExecutable::callPoisoned(CallFrame &frame, Poison poison,
                            BoundInputs &inputs, RunOutput &output,
                            const SourceSpan &at, DiagnosticSink &sink) {
  for (FencedBuffer &copy : inputs.copies)
    copy.raise(poison);
  double untimed = 0;
  arena->setPoison(poison);
  auto results = callOnce(frame, true, untimed, output, at, sink, poison);
  arena->setPoison(std::nullopt);
  return results;
}

/// The results of the first call are the ones that are judged.
LogicalResult JitExecutable::callRepeatedly(CallFrame &frame,
                                            BoundInputs &inputs,
                                            const RunOptions &options,
                                            RunOutput &output,
                                            DiagnosticSink &sink) {
  auto call = [&](Poison poison) {
    return callPoisoned(frame, poison, inputs, output, options.where, sink);
  };
  auto results = call(Poison::NotANumber);
  if (failed(results) ||
      failed(checkUntouched(abi.entry, inputs, options.where, sink)) ||
      (options.checksWritten &&
       failed(checkWritten(abi.entry, *results, call, options, sink))) ||
      failed(checkBooleans(abi.entry, *results, options.where, sink)) ||
      (options.repeat > 0 &&
       failed(callTimed(frame, *results, options, output, sink))))
    return failure();
  for (size_t i = 0; i < results->size(); ++i)
    output.outputs.push_back(
        {abi.entry.results[i].name, std::move((*results)[i])});
  return success();
}

FailureOr<RunOutput> JitExecutable::run(ArrayRef<NamedTensor> inputs,
                                        const RunOptions &options,
                                        DiagnosticSink &sink) {
  FailureOr<BoundInputs> bound = copyInputs(inputs, options.where, sink);
  if (failed(bound))
    return failure();
  CallFrame frame = frameFor(*bound);
  RunOutput output;
  if (failed(callRepeatedly(frame, *bound, options, output, sink)) ||
      failed(checkUntouched(abi.entry, *bound, options.where, sink)))
    return failure();
  std::vector<const Tensor *> tensors;
  for (const NamedTensor *input : bound->given)
    tensors.push_back(&input->tensor);
  warnOfOutputSymbols(abi.entry, tensors, output.outputs, options.where, sink);
  return output;
}

FailureOr<std::optional<ArithmeticCount>>
JitExecutable::countArithmetic(ArrayRef<NamedTensor> inputs,
                               const SourceSpan &at, DiagnosticSink &sink) {
  if (compiled.countingObject.empty())
    return std::optional<ArithmeticCount>();
  auto counting = JitCode::load(
      compiled.countingObject, symbols,
      {packedName(abi.entry.name), countersName, countedName}, where, sink);
  FailureOr<BoundInputs> bound = copyInputs(inputs, at, sink);
  if (failed(counting) || failed(bound))
    return failure();
  CallFrame frame = frameFor(*bound);
  FailureOr<double> called = frame.call(packedEntry(**counting, 0), at, sink);
  // What it did to memory, the run before it did too, and was told of.
  arena->reclaim();
  arena->resetPeak();
  (void)arena->takeDamage();
  if (failed(called))
    return failure();
  return std::optional(
      countedArithmetic(static_cast<const uint64_t *>((*counting)->entry(1)),
                        static_cast<const char *>((*counting)->entry(2))));
}

/// Laps of calls whose clocks are read apart: the median of each piece's is
/// told, so that what disturbs one lap doesn't count.
static constexpr size_t profiledLaps = 15;
static constexpr double secondsPerLap = 0.05;

static double median(std::vector<double> values) {
  llvm::sort(values);
  return quantile(values, 0.5);
}

/// The pieces' shares by their ticks in each lap.
static CallProfile profileOf(const ClockedCode &clocked,
                             std::vector<std::vector<double>> ticks,
                             std::vector<double> seconds) {
  CallProfile profile{clocked.pieces, median(std::move(seconds))};
  double all = 0;
  for (auto [piece, laps] : llvm::zip_equal(profile.pieces, ticks)) {
    piece.share = median(std::move(laps));
    all += piece.share;
  }
  for (ProfiledPiece &piece : profile.pieces)
    piece.share = all > 0 ? piece.share / all : 0;
  return profile;
}

FailureOr<std::optional<CallProfile>>
JitExecutable::profile(const ClockedCode &clocked, ArrayRef<NamedTensor> inputs,
                       const SourceSpan &at, DiagnosticSink &sink) {
  auto loaded =
      JitCode::load(clocked.object, symbols,
                    {packedName(abi.entry.name), clocksName}, where, sink);
  FailureOr<BoundInputs> bound = copyInputs(inputs, at, sink);
  if (failed(loaded) || failed(bound))
    return failure();
  CallFrame frame = frameFor(*bound);
  CallFrame::PackedFunction function = packedEntry(**loaded, 0);
  auto *counters = static_cast<int64_t *>((*loaded)->entry(1));
  auto call = [&](uint64_t count) -> FailureOr<double> {
    auto begin = std::chrono::steady_clock::now();
    if (failed(frame.callOften(function, count, *arena, at, sink)))
      return failure();
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    return taken.count() / static_cast<double>(count);
  };
  FailureOr<double> once = call(1);
  once = succeeded(once) ? call(1) : once;
  if (failed(once))
    return failure();
  auto count = static_cast<uint64_t>(
      std::clamp(secondsPerLap / std::max(*once, 1e-9), 1.0, 1e6));
  std::vector<std::vector<double>> ticks(clocked.pieces.size());
  std::vector<double> seconds;
  for (size_t lap = 0; lap < profiledLaps; ++lap) {
    std::fill_n(counters, clocked.pieces.size(), 0);
    FailureOr<double> each = call(count);
    if (failed(each))
      return failure();
    seconds.push_back(*each);
    for (auto [piece, counter] :
         llvm::zip_equal(ticks, ArrayRef(counters, clocked.pieces.size())))
      piece.push_back(static_cast<double>(counter));
  }
  return std::optional(
      profileOf(clocked, std::move(ticks), std::move(seconds)));
}

FailureOr<std::unique_ptr<BoundCall>>
JitExecutable::bind(ArrayRef<NamedTensor> inputs, const SourceSpan &at,
                    DiagnosticSink &sink) {
  FailureOr<BoundInputs> bound = copyInputs(inputs, at, sink);
  if (failed(bound))
    return failure();
  std::unique_ptr<BoundCall> call =
      std::make_unique<Call>(*this, std::move(*bound), at);
  return call;
}

LogicalResult JitExecutable::Call::check(ArrayRef<NamedTensor> expected,
                                         DiagnosticSink &sink) {
  const EntryAbi &entry = executable.abi.entry;
  double seconds = 0;
  RunOutput output;
  auto results = executable.callOnce(frame, true, seconds, output, where, sink);
  if (failed(results) ||
      failed(checkSameBits(entry, expected, *results, where, sink)))
    return failure();
  return checkUntouched(entry, bound, where, sink);
}

uint64_t JitExecutable::Call::bytesRead() const {
  return bytesToRead(executable.abi, bound.given);
}

FailureOr<std::unique_ptr<Executable>>
lh::loadExecutable(CompiledCode compiled, const SourceSpan &where,
                   DiagnosticSink &sink) {
  auto arena = std::make_unique<Arena>();
  std::vector<RuntimeSymbol> symbols = runtimeSymbols(*arena);
  FailureOr<std::vector<RuntimeSymbol>> ofKernels =
      openLibraries(compiled.libraries, where, sink);
  if (failed(ofKernels))
    return failure();
  llvm::append_range(symbols, *ofKernels);
  const ModuleAbi &abi = compiled.abi;
  std::vector<std::string> entries{packedName(abi.entry.name)};
  if (abi.prepare)
    entries.push_back(packedName(abi.prepare->name));
  auto code = JitCode::load(std::exchange(compiled.object, {}), symbols,
                            entries, where, sink);
  if (failed(code))
    return failure();
  std::unique_ptr<Executable> executable = std::make_unique<JitExecutable>(
      std::move(compiled), std::move(arena), std::move(symbols),
      std::move(*code), where);
  return executable;
}
