!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile(
      %root: !op {transform.readonly},
      %rows: !transform.param<i64> {lh.name = "rows"}) {
    %products = transform.structured.match ops{["linalg.batch_matmul"]} in %root
        : (!op) -> !op
    %tiled, %rows_loop, %columns_loop = transform.structured.tile_using_for %products
        tile_sizes [%rows, 5] : (!op, !transform.param<i64>) -> (!op, !op, !op)
    transform.yield
  }
}
