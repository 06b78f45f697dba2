// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of a sparse tensor are there: seeded patterns.
#ifndef LH_CORE_NUMERICS_SPARSEPATTERN_H
#define LH_CORE_NUMERICS_SPARSEPATTERN_H

#include "core/numerics/SparseFormat.h"

namespace lh {

/// Uniform: in each row about the same number, at random places. Banded: those
/// beside the diagonal. PowerLaw: few long rows and many short ones, as in
/// graphs.
enum class SparsePattern { Uniform, Banded, PowerLaw };

struct PatternOptions {
  SparsePattern pattern = SparsePattern::Uniform;
  /// Of all elements, about how many are stored; of uniform and power-law.
  double density = 0.1;
  /// How far from the diagonal there are some; of banded.
  int64_t band = 1;
  /// Which of the cases that loops over rows get wrong is there, by turns: an
  /// empty first row; a full last row; one column alone; one element alone.
  unsigned draw = 0;
};

/// The indices of elements of a tensor of `format`, each once. A row is an
/// index of the first dimension; a tensor of rank 1 is one row. Of a format
/// with blocks whole blocks are drawn; of one with a structured level every
/// group is full, whatever the pattern. Equal arguments draw equal indices.
std::vector<std::vector<int64_t>> drawPattern(const SparseFormat &format,
                                              const PatternOptions &options,
                                              uint64_t seed);

} // namespace lh

#endif // LH_CORE_NUMERICS_SPARSEPATTERN_H
