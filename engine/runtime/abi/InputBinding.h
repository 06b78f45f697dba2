// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fits the tensors a caller has to the inputs an entry takes.
#ifndef LH_RUNTIME_ABI_INPUTBINDING_H
#define LH_RUNTIME_ABI_INPUTBINDING_H

#include "runtime/abi/EntryAbi.h"

namespace lh {

/// For each input of `abi`, in order, the index of its tensor in `given`:
/// matched by name when every given tensor has one that the entry knows, else
/// by position. Reports every mistake in count, names, types and shapes, and
/// dimensions of one symbol that differ.
FailureOr<std::vector<size_t>> bindInputs(const EntryAbi &abi,
                                          ArrayRef<NamedTensor> given,
                                          const SourceSpan &where,
                                          DiagnosticSink &sink);

/// A warning for each dimension of `outputs` (those of `abi`, in order) that
/// isn't of the size which its symbol has in `inputs`: the model declares what
/// it doesn't do.
void warnOfOutputSymbols(const EntryAbi &abi, ArrayRef<const Tensor *> inputs,
                         ArrayRef<NamedTensor> outputs, const SourceSpan &where,
                         DiagnosticSink &sink);

/// The bytes of the inputs `given` and of all weights, those of `@prepare`
/// included.
uint64_t bytesToRead(const ModuleAbi &abi, ArrayRef<const NamedTensor *> given);

/// "x: float32 ?x1x8x8, y: int64 3", for messages.
std::string describeInputs(const EntryAbi &abi);

} // namespace lh

#endif // LH_RUNTIME_ABI_INPUTBINDING_H
