// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loaded code that sits in a seat and is called when told to.
#ifndef LH_RUNTIME_ABI_CALLSITTER_H
#define LH_RUNTIME_ABI_CALLSITTER_H

#include "core/bench/Seat.h"
#include "core/plan/RunRecord.h"
#include "runtime/abi/Backend.h"

namespace lh {

/// Calls `executable`'s entry on `inputs`; in the end its results must be
/// `outputs`, which were judged. All are borrowed.
std::unique_ptr<Sitter> makeCallSitter(Executable &executable,
                                       ArrayRef<NamedTensor> inputs,
                                       ArrayRef<NamedTensor> outputs,
                                       const SourceSpan &where);

/// The same for who sits down before the run (Executable::survivesFork): in
/// the end it reads the outputs that step `step` has written to `folder`.
std::unique_ptr<Sitter> makeEarlyCallSitter(Executable &executable,
                                            ArrayRef<NamedTensor> inputs,
                                            StringRef folder, StepId step,
                                            const SourceSpan &where);

} // namespace lh

#endif // LH_RUNTIME_ABI_CALLSITTER_H
