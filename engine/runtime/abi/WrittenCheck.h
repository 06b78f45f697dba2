// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether results depend on memory that nobody has written.
#ifndef LH_RUNTIME_ABI_WRITTENCHECK_H
#define LH_RUNTIME_ABI_WRITTENCHECK_H

#include "runtime/abi/Backend.h"
#include "runtime/abi/Poison.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lh {

/// Calls the entry once more on the same inputs, all memory that it gets
/// filled with this poison; gives its results.
using PoisonedCall =
    llvm::function_ref<FailureOr<std::vector<Tensor>>(Poison poison)>;

/// Whether `results`, of a call with Poison::NotANumber, are the same with
/// other poison. An element that isn't is unwritten: an error that names the
/// first one of each output. What a repetition with the same poison changes
/// as much (threads that add up in another order, something kept between
/// calls) is no sign of it. Calls once when all is well.
LogicalResult checkWritten(const EntryAbi &abi, ArrayRef<Tensor> results,
                           PoisonedCall call, const RunOptions &options,
                           DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_ABI_WRITTENCHECK_H
