// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads sparse matrices from Matrix Market files (.mtx).
#ifndef LH_CORE_NUMERICS_MATRIXMARKET_H
#define LH_CORE_NUMERICS_MATRIXMARKET_H

#include "core/numerics/Tensor.h"

namespace lh {

/// The elements of a sparse tensor; indices are within the shape and differ.
struct SparseElements {
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> indices;
  std::vector<double> values;
};

/// Reads the coordinate format (Boisvert, Pozo, Remington, "The Matrix Market
/// Exchange Formats: Initial Design", NISTIR 5935, 1996) of real, integer and
/// pattern matrices, whose elements are 1; general, symmetric and
/// skew-symmetric ones, of which both halves are given back. Elements that a
/// file has several times are summed. Everything else is an error at its line.
FailureOr<SparseElements> parseMatrixMarket(StringRef text, StringRef path,
                                            DiagnosticSink &sink);

/// The same of a regular file.
FailureOr<SparseElements> readMatrixMarket(StringRef path,
                                           DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_NUMERICS_MATRIXMARKET_H
