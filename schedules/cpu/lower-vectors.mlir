// Vector contractions to fused multiply-adds, reductions to horizontal ones,
// transposes to shuffles.
//
// Expects: buffers; contractions of a register tile's size.
// Leaves:  one-dimensional vector.fma chains. Don't canonicalize afterwards: it
//   turns vector.insert chains into from_elements of hundreds of operands.
// Parameters: none.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @lower_vectors(%root: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_contraction lowering_strategy = outerproduct
      transform.apply_patterns.vector.lower_outerproduct
    } : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_multi_reduction lowering_strategy = innerreduction
    } : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_transpose lowering_strategy = shuffle_1d
    } : !transform.any_op
    transform.yield
  }
}
