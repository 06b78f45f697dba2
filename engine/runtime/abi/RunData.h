// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a data set to an entry's inputs, and from its outputs to files.
#ifndef LH_RUNTIME_ABI_RUNDATA_H
#define LH_RUNTIME_ABI_RUNDATA_H

#include "core/plan/RunRecord.h"
#include "runtime/abi/EntryAbi.h"

namespace lh {

/// Why `data` has no meaning for this entry: no range is exact, or no input
/// takes special numbers. "" when it has.
std::string whyNotApplicable(const EntryAbi &abi, const DataSet &data);

/// Reads the data set's files; what they don't give is generated, if the data
/// set says so: from its declaration, else from the entry's static signature.
/// Reports every file and every input that can't be had.
FailureOr<std::vector<NamedTensor>> makeInputs(const EntryAbi &abi,
                                               const DataSet &data,
                                               const SourceSpan &where,
                                               DiagnosticSink &sink);

/// Writes each tensor to `<folder>/<step>-<position>-<name>.npy`; what a file
/// name can't hold becomes '_'.
FailureOr<std::vector<OutputFile>> writeOutputs(ArrayRef<NamedTensor> outputs,
                                                StringRef folder, StepId step,
                                                DiagnosticSink &sink);

/// Reads what writeOutputs() has written of all of an entry's results.
FailureOr<std::vector<NamedTensor>> readOutputs(const EntryAbi &abi,
                                                StringRef folder, StepId step,
                                                DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_ABI_RUNDATA_H
