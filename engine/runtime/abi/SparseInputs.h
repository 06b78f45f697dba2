// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sparse input as its user gives it, and the arrays that an entry takes.
#ifndef LH_RUNTIME_ABI_SPARSEINPUTS_H
#define LH_RUNTIME_ABI_SPARSEINPUTS_H

#include "core/numerics/MatrixMarket.h"
#include "core/plan/RunRecord.h"
#include "runtime/abi/EntryAbi.h"

namespace lh {

/// A sparse tensor among an entry's inputs.
struct SparseInput {
  std::string name;
  SparseFormat format;
  /// Its values or elements, which have the tensor's type and marks.
  TensorSignature numbers;
  std::vector<TensorSignature> arrays; ///< all that the entry takes of it
};

/// In the order in which the entry takes them.
std::vector<SparseInput> sparseInputs(const EntryAbi &abi);

/// Fails with errors where a tensor of this type and shape isn't the input's.
LogicalResult checkSparse(const SparseInput &input, DType dtype,
                          ArrayRef<int64_t> shape, const SourceSpan &where,
                          DiagnosticSink &sink);

/// What of the file at `path` isn't zero: Matrix Market, or a tensor of any
/// format. Fails as checkSparse() does.
FailureOr<SparseElements> readSparse(const SparseInput &input, StringRef path,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink);

/// The arrays of a tensor of the input's shape with these elements. Fails with
/// an error at one that the format has no place for.
FailureOr<std::vector<NamedTensor>> storeSparse(const SparseInput &input,
                                                const SparseElements &elements,
                                                const SourceSpan &where,
                                                DiagnosticSink &sink);

/// Draws which elements there are, those that the format stores along with them
/// among them; their values are 0.
SparseElements drawSparse(const SparseInput &input,
                          const GeneratedInput *declared, unsigned draw,
                          uint64_t seed);

} // namespace lh

#endif // LH_RUNTIME_ABI_SPARSEINPUTS_H
