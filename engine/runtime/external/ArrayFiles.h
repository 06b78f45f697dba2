// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays by position in a folder, for programs that are no part of lh-run.
#ifndef LH_RUNTIME_EXTERNAL_ARRAYFILES_H
#define LH_RUNTIME_EXTERNAL_ARRAYFILES_H

#include "core/plan/RunRecord.h"
#include "runtime/abi/EntryAbi.h"

namespace lh {

/// "<folder>/3.npy": of the argument or result at this position.
std::string fileAt(StringRef folder, size_t index);

/// A program that writes results, for messages.
struct ResultWriter {
  std::string who; ///< "'serve' of tool 'torch'"
  SourceSpan where;
};

/// Reads a file for each result of `abi` from `folder`. One that is missing, or
/// isn't of the signature's type and shape, is one error.
FailureOr<std::vector<Tensor>> readResults(const EntryAbi &abi,
                                           StringRef folder,
                                           const ResultWriter &writer,
                                           DiagnosticSink &sink);

/// The results by the names that `abi` gives them.
std::vector<NamedTensor> namedResults(const EntryAbi &abi,
                                      std::vector<Tensor> results);

} // namespace lh

#endif // LH_RUNTIME_EXTERNAL_ARRAYFILES_H
