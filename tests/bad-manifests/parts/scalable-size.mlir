module attributes {transform.with_named_sequence} {
  transform.named_sequence @cut(%root: !transform.any_op {transform.readonly}) {
    %rows = transform.structured.match ops{["linalg.generic"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %rows vector_sizes [4, [16]]
        {lh.bind = {static_vector_sizes = [4, "lanes"]}} : !transform.any_op
    transform.yield
  }
}
