module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile_rows(
      %module: !transform.any_op {transform.readonly},
      %rows: !transform.param<i64> {lh.name = "rows"}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %product
        tile_sizes [%rows]
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
