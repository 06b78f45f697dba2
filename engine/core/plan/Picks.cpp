// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions that ArgMax or TopK picked, as the values they name.
#include "core/plan/Picks.h"

#include <algorithm>

using namespace lh;

namespace {
/// Element (outer, position, inner) of the scores.
struct ScoreLayout {
  int64_t outer = 1, length = 1, inner = 1, picked = 0;

  ScoreLayout(const PickSource &source, int64_t positions) {
    ArrayRef<int64_t> shape = source.scores.shape();
    for (size_t dim = 0; dim < shape.size(); ++dim)
      (int64_t(dim) < source.axis   ? outer
       : int64_t(dim) > source.axis ? inner
                                    : length) *= shape[dim];
    int64_t lines = outer * inner;
    picked = lines > 0 ? positions / lines : 0;
  }

  /// Where the score is that element `i` of the positions names.
  int64_t place(int64_t i, int64_t position) const {
    int64_t line = i / (picked * inner);
    return (line * length + position) * inner + i % inner;
  }
  bool contains(int64_t position) const {
    return position >= 0 && position < length;
  }
};
} // namespace

PickedValues lh::readPicks(const Tensor &actual, const Tensor &expected,
                           const PickSource &source, double allowed) {
  std::vector<int64_t> shape(actual.shape().begin(), actual.shape().end());
  PickedValues values{Tensor(DType::Float64, shape),
                      Tensor(DType::Float64, shape),
                      Tensor(DType::Float64, shape)};
  ScoreLayout layout(source, actual.elementCount());
  for (int64_t i = 0, e = actual.elementCount(); i < e; ++i) {
    auto got = int64_t(actual.at(i)), wanted = int64_t(expected.at(i));
    bool isKnown = layout.contains(got) && layout.contains(wanted);
    int64_t there = isKnown ? layout.place(i, got) : 0;
    int64_t here = isKnown ? layout.place(i, wanted) : 0;
    values.actual.set(i, isKnown ? source.scores.at(there) : double(got));
    values.expected.set(i, isKnown ? source.scores.at(here) : double(wanted));
    double bound = !isKnown ? 0
                   : source.bounds
                       ? source.bounds->at(there) + source.bounds->at(here)
                       : allowed;
    values.bounds.set(i, bound);
    if (got == wanted)
      continue;
    ++values.moved;
    values.wrong += bound == 0;
  }
  return values;
}
