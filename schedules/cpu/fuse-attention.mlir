// Drops the dimensions that the loop over heads has reduced to one element, from
// one head's tile of rows.
//
// Expects: what lh-fuse-attention leaves: scf.forall with lh.attention.
// Result:  products of two matrices, and softmax on rows, in that loop.
// Parameters: none.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @simplify_heads(
      %root: !transform.any_op {transform.readonly}) {
    %heads = transform.structured.match ops{["scf.forall"]}
        attributes{lh.attention} in %root
        {lh.optional = "there may be no attention"}
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %heads {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
