module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match opps{["scf.for"]} in %root
    transform.yield
  }
}
