// Vector contractions to fused multiply-adds, reductions to horizontal ones,
// transposes to shuffles.
//
// Expects: buffers; contractions of a register tile's size.
// Leaves:  one-dimensional vector.fma chains. Don't canonicalize afterwards: it
//   turns vector.insert chains into from_elements of hundreds of operands.
//   Transfers of scalable vectors are loads and stores of one dimension: folded
//   into views as matrices, under masks, they would be cut up wrongly, or along
//   columns of size 1 not at all.
// Parameters: scalable, whether there are vectors of unknown length.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_scalable(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["func.func"] : !transform.any_op
    %scalable = transform.param.constant false
        {lh.bind = {value = "scalable"}} -> !transform.param<i1>
    %yes = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %scalable, %yes : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

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
    %scalable = transform.collect_matching @is_scalable in %functions
        : (!transform.any_op) -> !transform.any_op
    // A number that is read to be repeated: the next would put it into each lane
    // by itself.
    transform.apply_patterns to %scalable {
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !transform.any_op
    transform.apply_patterns to %scalable {
      transform.apply_patterns.vector.transfer_to_scf max_transfer_rank = 1 full_unroll = true
    } : !transform.any_op
    transform.apply_patterns to %scalable {
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
    } : !transform.any_op
    transform.yield
  }
}
