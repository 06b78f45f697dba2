// Passes on rows, beside lh-fuse-rows; docs/upstream-gaps.md says why each
// exists.
#ifndef LH_IR_GAPS_ROWPASSES_H
#define LH_IR_GAPS_ROWPASSES_H

namespace lh {

/// `lh-vectorize-rows` (functions, on tensors, of linalg ops of one loop):
/// reductions of rows, and what is computed beside them, become loops over
/// strips of vectors `vector-bits` wide; with `scalable`, where rows aren't
/// short, as long as the machine has them.
void registerVectorizeRowsPass();

/// `lh-call-lanes` (any op, before convert-math-to-funcs and
/// convert-math-to-libm): math functions of scalable vectors that are no
/// instructions become loops over the lanes.
void registerCallLanesPass();

/// `lh-overlap-rows` (functions, on memrefs, vectorized): rows are written in
/// the loops that compute the rows after them.
void registerOverlapRowsPass();

} // namespace lh

#endif // LH_IR_GAPS_ROWPASSES_H
