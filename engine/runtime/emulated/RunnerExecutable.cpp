// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills jobs, starts runners and takes the results out of them.
#include "runtime/emulated/RunnerExecutable.h"

#include "core/support/FileSystem.h"
#include "runtime/abi/InputBinding.h"
#include "runtime/abi/ResultChecks.h"
#include "runtime/abi/WrittenCheck.h"
#include "runtime/cpu/AllowedSymbols.h"
#include "runtime/cpu/RuntimeSymbols.h"
#include "runtime/cpu/TargetMachine.h"
#include "runtime/emulated/CountedCode.h"
#include "runtime/emulated/Emulation.h"
#include "runtime/emulated/JobMemory.h"
#include "runtime/emulated/Linker.h"
#include "runtime/emulated/Outcome.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <sys/resource.h>

#include <cstring>

using namespace lh;

namespace {

class RunnerExecutable : public Executable {
public:
  RunnerExecutable(ModuleAbi abi, TargetSpec target, const HostFacts &host,
                   MemoryFile library)
      : RunnerExecutable(std::move(abi), std::move(target), host,
                         RunnerLibrary{library.path(), ""}) {
    linked.emplace(std::move(library));
  }
  RunnerExecutable(ModuleAbi abi, TargetSpec target, const HostFacts &host,
                   RunnerLibrary library)
      : abi(std::move(abi)), target(std::move(target)),
        runner(runnerPath(this->target, host)),
        countingPlugin(countingPluginPath(host)), library(std::move(library)),
        isOnHost(missingOnHost(this->target, host).empty()) {}

  const EntryAbi &signature() const override { return abi.entry; }
  /// Weights are mapped, and `@prepare` is called, where the code runs.
  LogicalResult prepare(DiagnosticSink &) override { return success(); }
  FailureOr<RunOutput> run(ArrayRef<NamedTensor> inputs,
                           const RunOptions &options,
                           DiagnosticSink &sink) override;
  FailureOr<std::unique_ptr<BoundCall>> bind(ArrayRef<NamedTensor> inputs,
                                             const SourceSpan &where,
                                             DiagnosticSink &sink) override;

private:
  /// What one runner did; its outputs stay without names.
  struct Done {
    std::vector<Tensor> results;
    RunOutput output;
  };
  FailureOr<Done> runOnce(ArrayRef<const NamedTensor *> given,
                          const RunOptions &options, Poison poison,
                          DiagnosticSink &sink);
  LogicalResult checkPoisons(ArrayRef<const NamedTensor *> given,
                             ArrayRef<Tensor> results,
                             const RunOptions &options, DiagnosticSink &sink);
  LogicalResult start(const JobMemory &memory, const JobRequest &request,
                      const RunOptions &options, DiagnosticSink &sink);
  LogicalResult check(const JobMemory &memory,
                      ArrayRef<const NamedTensor *> given,
                      const SourceSpan &where, DiagnosticSink &sink) const;
  FailureOr<std::vector<Tensor>> takeResults(const JobMemory &memory,
                                             const MemoryFile &results,
                                             const SourceSpan &where,
                                             DiagnosticSink &sink) const;

  ModuleAbi abi;
  TargetSpec target;
  std::string runner, countingPlugin;
  RunnerLibrary library;
  std::optional<MemoryFile> linked; ///< the library, where it is no file
  bool isOnHost;                    ///< it needs no emulator
};

} // namespace

LogicalResult RunnerExecutable::start(const JobMemory &memory,
                                      const JobRequest &request,
                                      const RunOptions &options,
                                      DiagnosticSink &sink) {
  FailureOr<std::vector<std::string>> words = std::vector<std::string>();
  if (!isOnHost)
    words = emulatorWords(target, options.sweepPoint, sink);
  if (failed(words))
    return failure();
  RunnerContext context;
  context.entry = abi.entry.name;
  context.target = target.name;
  context.machine = llvm::join(*words, " ");
  context.features = llvm::join(target.features, ", ");
  std::vector<const MemoryFile *> keeps = {&request.results, &memory.memory()};
  if (linked)
    keeps.push_back(&*linked);
  if (request.counts) {
    keeps.push_back(request.counts);
    words->insert(
        words->begin() + 1,
        {"-plugin", countingPlugin + ",counts=" +
                        std::to_string(request.counts->descriptor())});
  }
  words->push_back(runner);
  words->push_back(std::to_string(memory.memory().descriptor()));
  LaunchResult launched = launch(*words, keeps);
  if (failed(
          checkOutcome(launched, memory.job(), context, options.where, sink)))
    return failure();
  if (!request.counts)
    return success();
  return writeFileAtomically(options.countsFile, packCounts(*request.counts),
                             options.where, sink);
}

/// Reads the sizes and bytes that the runner wrote for each returned result.
static FailureOr<std::vector<Tensor>> readReturned(const EntryAbi &abi,
                                                   StringRef bytes,
                                                   const SourceSpan &where,
                                                   DiagnosticSink &sink) {
  std::vector<Tensor> tensors;
  for (const TensorSignature &result : abi.results) {
    std::vector<int64_t> shape(result.shape.size());
    size_t sizes = shape.size() * sizeof(int64_t);
    if (bytes.size() < sizes)
      return sink.error(DiagKind::BackendRunnerFailed, where,
                        "the runner returned less than its results");
    if (sizes > 0)
      std::memcpy(shape.data(), bytes.data(), sizes);
    bytes = bytes.drop_front(sizes);
    if (failed(checkReturnedShape(result, shape, where, sink)))
      return failure();
    Tensor &tensor = tensors.emplace_back(result.dtype, shape);
    if (bytes.size() < tensor.sizeInBytes())
      return sink.error(DiagKind::BackendRunnerFailed, where,
                        "the runner returned less than its results");
    if (tensor.sizeInBytes() > 0)
      std::memcpy(tensor.data(), bytes.data(), tensor.sizeInBytes());
    bytes = bytes.drop_front(tensor.sizeInBytes());
  }
  return tensors;
}

FailureOr<std::vector<Tensor>> RunnerExecutable::takeResults(
    const JobMemory &memory, const MemoryFile &results, const SourceSpan &where,
    DiagnosticSink &sink) const {
  if (abi.entry.convention == EntryConvention::Returned)
    return readReturned(abi.entry, results.read(), where, sink);
  std::vector<Tensor> tensors;
  std::vector<const std::byte *> bytes = memory.outputBytes();
  for (size_t i = 0; i < bytes.size(); ++i) {
    const TensorSignature &result = abi.entry.results[i];
    Tensor &tensor = tensors.emplace_back(result.dtype, result.shape);
    if (tensor.sizeInBytes() > 0)
      std::memcpy(tensor.data(), bytes[i], tensor.sizeInBytes());
  }
  return tensors;
}

/// What the code did to memory, and whether it did the same each time.
LogicalResult RunnerExecutable::check(const JobMemory &memory,
                                      ArrayRef<const NamedTensor *> given,
                                      const SourceSpan &where,
                                      DiagnosticSink &sink) const {
  const LhJob &job = memory.job();
  LogicalResult result =
      checkInputsUntouched(abi.entry, given, memory.inputBytes(), where, sink);
  if (failed(checkOutputFences(abi.entry, memory.outputBytes(), where, sink)))
    result = failure();
  if (job.damagedBytes > 0)
    result = reportDamage(abi.entry, job.damagedBytes - 1, where, sink);
  if (job.differs != 0)
    result = reportDifference(abi.entry, where, sink);
  if (job.leakedBlocks > 0)
    warnOfLeak(abi.entry, job.leakedBlocks, job.leakedBytes, where, sink);
  return result;
}

static RunOutput measuresOf(const JobMemory &memory) {
  RunOutput output;
  output.seconds = memory.seconds().vec();
  output.peakBytes = memory.job().peakBytes;
  output.leakedBytes = memory.job().leakedBytes;
  output.freshBlocks = memory.job().freshBlocks;
  return output;
}

/// This process's limit holds for what it has called elsewhere, too: an
/// emulator sets its memory aside before, and need not ask for it again. 0:
/// none.
static uint64_t memoryLimit() {
  rlimit limit{};
  bool isLimited =
      getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return isLimited ? limit.rlim_cur : 0;
}

/// Starts one runner; it counts only where `options` says so.
FailureOr<RunnerExecutable::Done>
RunnerExecutable::runOnce(ArrayRef<const NamedTensor *> given,
                          const RunOptions &options, Poison poison,
                          DiagnosticSink &sink) {
  auto bits = wantedVectorBits(target, options.sweepPoint, sink);
  if (failed(bits))
    return failure();
  MemoryFile returned;
  JobRequest request{abi,   given,   library.path, library.name, options.repeat,
                     *bits, returned};
  std::optional<MemoryFile> counts;
  if (!options.countsFile.empty())
    request.counts = &counts.emplace(makeCountsMemory());
  request.mostBytes = memoryLimit();
  request.poison = poison;
  JobMemory memory(request);
  if (!memory.isUsable())
    return sink.error(DiagKind::BackendRunnerMemory, options.where,
                      "there is no memory for the runner's job");
  if (failed(start(memory, request, options, sink)) ||
      failed(check(memory, given, options.where, sink)))
    return failure();
  auto results = takeResults(memory, returned, options.where, sink);
  if (failed(results))
    return failure();
  return Done{std::move(*results), measuresOf(memory)};
}

/// Each other poison is another runner's.
LogicalResult RunnerExecutable::checkPoisons(
    ArrayRef<const NamedTensor *> given, ArrayRef<Tensor> results,
    const RunOptions &options, DiagnosticSink &sink) {
  RunOptions once = options;
  once.repeat = 0;
  once.countsFile.clear();
  auto again = [&](Poison poison) -> FailureOr<std::vector<Tensor>> {
    FailureOr<Done> done = runOnce(given, once, poison, sink);
    if (failed(done))
      return failure();
    return std::move(done->results);
  };
  return checkWritten(abi.entry, results, again, options, sink);
}

FailureOr<RunOutput> RunnerExecutable::run(ArrayRef<NamedTensor> inputs,
                                           const RunOptions &options,
                                           DiagnosticSink &sink) {
  auto order = bindInputs(abi.entry, inputs, options.where, sink);
  if (failed(order))
    return failure();
  std::vector<const NamedTensor *> given;
  std::vector<const Tensor *> tensors;
  for (size_t i : *order) {
    given.push_back(&inputs[i]);
    tensors.push_back(&inputs[i].tensor);
  }
  FailureOr<Done> done = runOnce(given, options, Poison::NotANumber, sink);
  if (failed(done) ||
      (options.checksWritten && library.name.empty() &&
       failed(checkPoisons(given, done->results, options, sink))) ||
      failed(checkBooleans(abi.entry, done->results, options.where, sink)))
    return failure();
  RunOutput &output = done->output;
  for (size_t i = 0; i < done->results.size(); ++i)
    output.outputs.push_back(
        {abi.entry.results[i].name, std::move(done->results[i])});
  warnOfOutputSymbols(abi.entry, tensors, output.outputs, options.where, sink);
  return std::move(output);
}

FailureOr<std::unique_ptr<BoundCall>>
RunnerExecutable::bind(ArrayRef<NamedTensor>, const SourceSpan &where,
                       DiagnosticSink &sink) {
  return sink.error(DiagKind::BackendUnavailable, where,
                    "target '" + target.name +
                        "' runs under an emulator here, whose times say "
                        "nothing of the machine it stands for");
}

/// What runner/symbols.c and runner/memory.c have for code, beside what the C
/// library has.
static bool isOfRunner(StringRef name) {
  return llvm::is_contained(
      {StringRef("memrefCopy"), StringRef("lh_note_reason"),
       StringRef("lh_give_up"), StringRef(arenaAllocateName),
       StringRef(arenaReleaseName)},
      name);
}

FailureOr<std::unique_ptr<Executable>>
lh::loadForRunner(StringRef object, ModuleAbi abi, const TargetSpec &target,
                  const HostFacts &host, const SourceSpan &where,
                  DiagnosticSink &sink) {
  if (failed(checkSymbols(object, isOfRunner, where, sink)))
    return failure();
  FailureOr<MemoryFile> library = linkSharedLibrary(object, where, sink);
  if (failed(library))
    return failure();
  std::unique_ptr<Executable> executable = std::make_unique<RunnerExecutable>(
      std::move(abi), target, host, std::move(*library));
  return executable;
}

FailureOr<std::unique_ptr<Executable>>
lh::loadLibraryForRunner(RunnerLibrary library, ModuleAbi abi,
                         const TargetSpec &target, const HostFacts &host,
                         const SourceSpan &where, DiagnosticSink &sink) {
  std::string runner = runnerPath(target, host);
  if (!llvm::sys::fs::can_execute(runner))
    return sink.error(DiagKind::BackendToolNotFound, where,
                      "there is no '" + runner +
                          "', by which built libraries are tried; it is built "
                          "where there is a C compiler for that architecture");
  std::unique_ptr<Executable> executable = std::make_unique<RunnerExecutable>(
      std::move(abi), target, host, std::move(library));
  return executable;
}
