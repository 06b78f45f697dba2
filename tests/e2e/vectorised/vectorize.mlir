// Products in register tiles: the marked one, or both.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @first(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} attributes{first} in %root
        : (!transform.any_op) -> !transform.any_op
    %tile, %loops:3 = transform.structured.tile_using_for %op tile_sizes [4, 32, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %tile {create_named_contraction} : !transform.any_op
    transform.yield
  }
  // Sums over a dimension of vectors, with no contraction in between.
  transform.named_sequence @sums(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %generic = transform.structured.generalize %op
        : (!transform.any_op) -> !transform.any_op
    %turned = transform.structured.interchange %generic iterator_interchange = [0, 2, 1]
        : (!transform.any_op) -> !transform.any_op
    %tile, %loops:3 = transform.structured.tile_using_for %turned tile_sizes [1, 4, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %tile : !transform.any_op
    transform.yield
  }
}
