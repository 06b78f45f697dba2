// Sums in 16 partial sums, which are added at the end.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    %sum = transform.structured.match ops{["linalg.reduce"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %generic = transform.structured.generalize %sum
        : (!transform.any_op) -> !transform.any_op
    %fill, %partial, %combine, %loop =
        transform.structured.tile_reduction_using_for %generic
        by tile_sizes = [0, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op,
                                  !transform.any_op, !transform.any_op)
    transform.yield
  }
}
