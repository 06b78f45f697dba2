// Converts transfers of scalable vectors to loads and stores.
//
// Expects: buffers; vectors of one dimension, and their transfers.
// Result:  for vectors of unknown length, one-dimensional loads and stores.
//   Masked transfers that are folded into matrix views would be split wrongly, or
//   not at all along columns of size 1. Don't canonicalize afterwards: that turns
//   vector.insert chains into from_elements with hundreds of operands.
// Parameters: scalable, whether there are vectors of unknown length.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @lower_transfers(%root: !op {transform.readonly}) {
    %scalable = transform.param.constant false
        {lh.bind = {value = "scalable"}} -> !transform.param<i1>
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.lh.if %scalable : !transform.param<i1> {
      // A scalar that is read and broadcast. The next pattern would insert it into
      // each lane separately.
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
