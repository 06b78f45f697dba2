// Makes generic what lh.match.product matches.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is(%op: !transform.any_op {transform.readonly})
      -> !transform.any_op {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"] : !transform.any_op
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @rename(%root: !transform.any_op) {
    %products = transform.collect_matching @is in %root
      : (!transform.any_op) -> !transform.any_op
    %generic = transform.structured.generalize %products
      : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
