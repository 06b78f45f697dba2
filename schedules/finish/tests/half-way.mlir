// What bubbles leave midway: packed layouts, vectors, parallel loops.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @half_way(%root: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %packed = transform.structured.pack %product packed_sizes = [4, 8, 3]
        : (!transform.any_op) -> !transform.op<"linalg.generic">
    %difference = transform.structured.match ops{["linalg.sub"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_forall %difference tile_sizes [2]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %sum = transform.structured.match ops{["linalg.reduce"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %sum : !transform.any_op
    transform.yield
  }
}
