// Removes dimensions of one element, which importers insert between a reduction
// and its users, by reshapes around the ops.
//
// Expects: linalg on tensors.
// Result:  the same ops without such dimensions.
// Source:  upstream's fold_unit_extent_dims_via_reshapes.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @drop_unit_dimensions(
      %root: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_reshapes
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
