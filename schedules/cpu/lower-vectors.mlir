// Transfers of scalable vectors become loads and stores.
//
// Expects: buffers; vectors of one dimension, and their transfers.
// Leaves:  where there are vectors of unknown length, loads and stores of one
//   dimension: folded into views as matrices, under masks, transfers would be
//   cut up wrongly, or along columns of size 1 not at all. Don't canonicalize
//   afterwards: it turns vector.insert chains into from_elements of hundreds of
//   operands.
// Parameters: scalable, whether there are vectors of unknown length.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @lower_transfers(%root: !op {transform.readonly}) {
    %scalable = transform.param.constant false
        {lh.bind = {value = "scalable"}} -> !transform.param<i1>
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.lh.if %scalable : !transform.param<i1> {
      // A number that is read to be repeated: the next would put it into each
      // lane by itself.
      transform.apply_patterns to %functions {
        transform.apply_patterns.vector.transfer_permutation_patterns
      } : !op
      transform.apply_patterns to %functions {
        transform.apply_patterns.vector.transfer_to_scf max_transfer_rank = 1 full_unroll = true
      } : !op
      transform.apply_patterns to %functions {
        transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
      } : !op
    }
    transform.yield
  }
}
