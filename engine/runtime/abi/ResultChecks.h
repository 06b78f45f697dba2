// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every run of compiled code is checked for, wherever it ran.
#ifndef LH_RUNTIME_ABI_RESULTCHECKS_H
#define LH_RUNTIME_ABI_RESULTCHECKS_H

#include "runtime/abi/EntryAbi.h"

namespace lh {

/// Whether `shape`, which the code returned, is one that `result` allows.
LogicalResult checkReturnedShape(const TensorSignature &result,
                                 ArrayRef<int64_t> shape,
                                 const SourceSpan &where, DiagnosticSink &sink);

/// Whether every boolean of `results` (those of `abi`, in order) is 0 or 1.
LogicalResult checkBooleans(const EntryAbi &abi, ArrayRef<Tensor> results,
                            const SourceSpan &where, DiagnosticSink &sink);

/// Whether the fences round each out-parameter stand; `bytes` are the results'
/// in order.
LogicalResult checkOutputFences(const EntryAbi &abi,
                                ArrayRef<const std::byte *> bytes,
                                const SourceSpan &where, DiagnosticSink &sink);

/// Whether the code left its inputs, `used` with fences round them, as they
/// were `given`; both in the entry's order. Compiled code has no right to its
/// inputs' memory: a step that computes in place there would make every
/// repetition start from other numbers.
LogicalResult checkInputsUntouched(const EntryAbi &abi,
                                   ArrayRef<const NamedTensor *> given,
                                   ArrayRef<const std::byte *> used,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink);

/// Says that the code writes outside a buffer of `size` bytes of its own.
LogicalResult reportDamage(const EntryAbi &abi, size_t size,
                           const SourceSpan &where, DiagnosticSink &sink);

/// Warns that the code didn't free `blocks` buffers of `bytes` together.
void warnOfLeak(const EntryAbi &abi, size_t blocks, size_t bytes,
                const SourceSpan &where, DiagnosticSink &sink);

bool haveSameBits(const Tensor &a, const Tensor &b);

/// Whether a later call gives `now` the bits that the first one gave.
LogicalResult checkSameBits(const EntryAbi &abi, ArrayRef<Tensor> first,
                            ArrayRef<Tensor> now, const SourceSpan &where,
                            DiagnosticSink &sink);
LogicalResult checkSameBits(const EntryAbi &abi, ArrayRef<NamedTensor> first,
                            ArrayRef<Tensor> now, const SourceSpan &where,
                            DiagnosticSink &sink);

/// Says that a later call gave other bits than the first.
LogicalResult reportDifference(const EntryAbi &abi, const SourceSpan &where,
                               DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_ABI_RESULTCHECKS_H
