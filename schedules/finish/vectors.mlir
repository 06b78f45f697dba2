// Converts vector operations of several dimensions to ones of one dimension.
//
// Expects: buffers; vectors of any rank, or none.
// Result:  contractions as fused multiply-adds row by row, sums of lanes,
//   transposes as shuffles. convert-vector-to-llvm alone would convert them
//   element by element, to code so large that it takes minutes to compile.
// Parameters: none.
// Source:  MLIR's vector lowerings.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @lower_vectors(%root: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root
        {lh.optional = "they may be in the LLVM dialect already"}
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
