// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads host code against a device and calls it.
#include "runtime/gpu/DeviceProgram.h"

#include "runtime/cpu/GuardedCall.h"
#include "runtime/gpu/HostCode.h"

using namespace lh;

DeviceProgram::DeviceProgram(DeviceOpener opener, bool simulated,
                             std::vector<std::string> entries, SourceSpan where)
    : opener(std::move(opener)), simulated(simulated),
      entries(std::move(entries)), where(std::move(where)) {
  // After all entries, so that those keep their numbers.
  this->entries.push_back(setUpName());
}

DeviceProgram::~DeviceProgram() = default;

LogicalResult DeviceProgram::load(DiagnosticSink &sink) {
  if (code) {
    source.attach(opened.get(), &sink);
    return success();
  }
  FailureOr<std::unique_ptr<Device>> device = opener(where, sink);
  if (failed(device))
    return failure();
  opened = std::move(*device);
  source.attach(opened.get(), &sink);
  runtime = std::make_unique<HostRuntime>(*opened);
  std::vector<RuntimeSymbol> symbols = runtimeSymbols(blocks);
  for (const RuntimeSymbol &symbol : hostRuntimeSymbols())
    symbols.push_back(symbol);
  auto loaded = JitCode::load(std::move(object), symbols, entries, where, sink);
  if (failed(loaded))
    return failure();
  code = std::move(*loaded);
  return run(entries.size() - 1, nullptr, 1, where, sink);
}

void DeviceProgram::setPoison(std::optional<Poison> poison) {
  blocks.setPoison(poison);
  runtime->setPoison(poison);
  opened->setPoison(poison.value_or(Poison::NotANumber));
}

/// Calls; the device may not have done it all by then.
LogicalResult DeviceProgram::run(size_t entry, void **arguments, uint64_t count,
                                 const SourceSpan &at, DiagnosticSink &sink) {
  auto function =
      reinterpret_cast<CallFrame::PackedFunction>(code->entry(entry));
  HostRuntime::Scope scope(*runtime, sink);
  source.attach(opened.get(), &sink);
  unsigned errors = sink.errorCount();
  std::optional<std::string> complaint = callGuarded([&] {
    for (uint64_t i = 0; i < count; ++i) {
      function(arguments);
      if (i + 1 < count && blocks.liveBlocks() > 0)
        blocks.reclaim();
    }
  });
  if (!complaint)
    return success();
  // What was begun works on memory that will go now.
  CollectingSink ignored;
  (void)runtime->wait(ignored);
  // What failed in the runtime has said so.
  if (sink.errorCount() != errors)
    return failure();
  return sink.error(DiagKind::BackendBadOutput, at,
                    "the host's code gave up: " + *complaint);
}

LogicalResult DeviceProgram::call(size_t entry, void **arguments,
                                  uint64_t count, const SourceSpan &at,
                                  DiagnosticSink &sink) {
  if (failed(run(entry, arguments, count, at, sink)))
    return failure();
  return runtime->wait(sink);
}

FailureOr<double> DeviceProgram::time(size_t entry, void **arguments,
                                      uint64_t count, const SourceSpan &at,
                                      DiagnosticSink &sink) {
  FailureOr<DeviceEvent> begin = opened->record(sink);
  if (failed(begin))
    return failure();
  LogicalResult called = run(entry, arguments, count, at, sink);
  FailureOr<DeviceEvent> end = failure();
  if (succeeded(called))
    end = opened->record(sink);
  if (failed(runtime->wait(sink)) && succeeded(end)) {
    opened->releaseEvent(*end);
    end = failure();
  }
  FailureOr<double> seconds = failure();
  if (succeeded(end)) {
    seconds = opened->secondsBetween(*begin, *end, sink);
    opened->releaseEvent(*end);
  }
  opened->releaseEvent(*begin);
  return seconds;
}
