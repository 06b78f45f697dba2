// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns diagnostics into the one reason that a seat's reply has room for.
#include "runtime/abi/CallSitter.h"

#include "runtime/abi/RunData.h"

using namespace lh;

namespace {
/// Without outputs: these are told in the end.
class CallSitter : public Sitter {
public:
  CallSitter(Executable &executable, ArrayRef<NamedTensor> inputs,
             const SourceSpan &where)
      : executable(executable) {
    auto made = executable.bind(inputs, where, sink);
    if (succeeded(made))
      bound = std::move(*made);
  }

  std::string call(uint64_t count) override {
    if (bound && succeeded(bound->call(count, sink)))
      return "";
    return reason();
  }

  bool callsElsewhere() const override {
    return bound && bound->callsElsewhere();
  }

  std::optional<double> deviceSeconds() const override {
    return bound ? bound->deviceSeconds() : std::nullopt;
  }

protected:
  std::string check(ArrayRef<NamedTensor> outputs) {
    if (bound && succeeded(bound->check(outputs, sink)))
      return "";
    return reason();
  }

  std::string reason() {
    std::vector<Diagnostic> all = sink.take();
    return all.empty() ? "it can't be called" : all.front().message;
  }

  uint64_t bytesRead() const { return bound ? bound->bytesRead() : 0; }

  Executable &executable;
  CollectingSink sink;

private:
  std::unique_ptr<BoundCall> bound;
};

class LateSitter : public CallSitter {
public:
  LateSitter(Executable &executable, ArrayRef<NamedTensor> inputs,
             ArrayRef<NamedTensor> outputs, const SourceSpan &where)
      : CallSitter(executable, inputs, where), outputs(outputs) {}

  std::string finish() override { return check(outputs); }

  uint64_t bytes() const override {
    uint64_t total = bytesRead();
    for (const NamedTensor &output : outputs)
      total += output.tensor.sizeInBytes();
    return total;
  }

private:
  ArrayRef<NamedTensor> outputs;
};

class EarlySitter : public CallSitter {
public:
  EarlySitter(Executable &executable, ArrayRef<NamedTensor> inputs,
              StringRef folder, StepId step, const SourceSpan &where)
      : CallSitter(executable, inputs, where), folder(folder), step(step) {}

  std::string finish() override {
    auto outputs = readOutputs(executable.signature(), folder, step, sink);
    return failed(outputs) ? reason() : check(*outputs);
  }

  /// Results of open size aren't known yet, and not counted.
  uint64_t bytes() const override {
    uint64_t total = bytesRead();
    for (const TensorSignature &result : executable.signature().results)
      if (llvm::all_of(result.shape, [](int64_t size) { return size >= 0; }))
        total += Tensor(result.dtype, result.shape).sizeInBytes();
    return total;
  }

private:
  std::string folder;
  StepId step;
};
} // namespace

std::unique_ptr<Sitter> lh::makeCallSitter(Executable &executable,
                                           ArrayRef<NamedTensor> inputs,
                                           ArrayRef<NamedTensor> outputs,
                                           const SourceSpan &where) {
  return std::make_unique<LateSitter>(executable, inputs, outputs, where);
}

std::unique_ptr<Sitter> lh::makeEarlyCallSitter(Executable &executable,
                                                ArrayRef<NamedTensor> inputs,
                                                StringRef folder, StepId step,
                                                const SourceSpan &where) {
  return std::make_unique<EarlySitter>(executable, inputs, folder, step, where);
}
