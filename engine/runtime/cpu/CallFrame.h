// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of a packed entry: descriptors in, tensors out.
#ifndef LH_RUNTIME_CPU_CALLFRAME_H
#define LH_RUNTIME_CPU_CALLFRAME_H

#include "runtime/abi/EntryAbi.h"
#include "runtime/abi/Fence.h"

namespace lh {

class Arena;

/// The memory of the arguments of one entry, reusable for repeated calls.
class CallFrame {
public:
  using PackedFunction = void (*)(void **);

  /// `buffers`: the bytes of each argument, `shapes` their actual shapes.
  /// Allocates the out-parameters from `memory`; where there is no room,
  /// isUsable() tells.
  CallFrame(const EntryAbi &abi, ArrayRef<const std::byte *> buffers,
            ArrayRef<ArrayRef<int64_t>> shapes,
            MemorySource &memory = systemMemory());

  bool isUsable() const;

  /// What call() does, for callers that call by themselves: what the function
  /// is called with, poison in and round the results, and a look at their
  /// fences.
  void **packedArguments() { return arguments.data(); }
  void poisonResults(Poison poison);
  LogicalResult checkFences(const SourceSpan &where,
                            DiagnosticSink &sink) const;

  /// Poisons the results and calls; the seconds that the call took. Fails
  /// with a diagnostic when the code gives up at a `cf.assert`, or writes
  /// beside a result.
  FailureOr<double> call(PackedFunction function, const SourceSpan &where,
                         DiagnosticSink &sink,
                         Poison poison = Poison::NotANumber);

  /// Calls `count` times and has `arena` take back all that each call left
  /// there. Fails with a diagnostic when the code gives up.
  LogicalResult callOften(PackedFunction function, uint64_t count, Arena &arena,
                          const SourceSpan &where, DiagnosticSink &sink);

  /// The results of the last call, once. Returned ones are copied and their
  /// buffers given back to `arena`. Fails with a diagnostic when the code
  /// returned a shape that its signature excludes.
  FailureOr<std::vector<Tensor>>
  takeResults(Arena &arena, const SourceSpan &where, DiagnosticSink &sink);

  /// The same for a frame that isn't called again: each result's own memory is
  /// freed as soon as it is copied, so that never all of them exist twice.
  FailureOr<std::vector<Tensor>>
  takeLastResults(Arena &arena, const SourceSpan &where, DiagnosticSink &sink);

private:
  /// An MLIR descriptor: allocated, aligned, offset, sizes, strides.
  using Descriptor = std::vector<int64_t>;

  FailureOr<std::vector<Tensor>> copyResults(Arena &arena, bool frees,
                                             const SourceSpan &where,
                                             DiagnosticSink &sink);
  std::vector<const std::byte *> outBytes() const;
  FailureOr<Tensor> copyReturned(const TensorSignature &result,
                                 const int64_t *descriptor,
                                 const SourceSpan &where,
                                 DiagnosticSink &sink) const;

  const EntryAbi &abi;
  std::vector<Descriptor> descriptors;
  std::vector<FencedBuffer> outParams; ///< as `abi.results`
  Descriptor returned; ///< all results' descriptors, one after the other
  std::vector<void *> arguments;
};

} // namespace lh

#endif // LH_RUNTIME_CPU_CALLFRAME_H
