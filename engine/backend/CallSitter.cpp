// Turns diagnostics into the one reason that a seat's reply has room for.
#include "backend/CallSitter.h"

using namespace lh;

namespace {
class CallSitter : public Sitter {
public:
  CallSitter(Executable &executable, ArrayRef<NamedTensor> inputs,
             ArrayRef<NamedTensor> outputs, const SourceSpan &where)
      : outputs(outputs) {
    auto made = executable.bind(inputs, where, sink);
    if (succeeded(made))
      bound = std::move(*made);
  }

  std::string call(uint64_t count) override {
    if (bound && succeeded(bound->call(count, sink)))
      return "";
    return reason();
  }

  std::string finish() override {
    if (bound && succeeded(bound->check(outputs, sink)))
      return "";
    return reason();
  }

  uint64_t bytes() const override {
    uint64_t total = bound ? bound->bytesRead() : 0;
    for (const NamedTensor &output : outputs)
      total += output.tensor.sizeInBytes();
    return total;
  }

private:
  std::string reason() {
    std::vector<Diagnostic> all = sink.take();
    return all.empty() ? "it can't be called" : all.front().message;
  }

  ArrayRef<NamedTensor> outputs;
  CollectingSink sink;
  std::unique_ptr<BoundCall> bound;
};
} // namespace

std::unique_ptr<Sitter> lh::makeCallSitter(Executable &executable,
                                           ArrayRef<NamedTensor> inputs,
                                           ArrayRef<NamedTensor> outputs,
                                           const SourceSpan &where) {
  return std::make_unique<CallSitter>(executable, inputs, outputs, where);
}
