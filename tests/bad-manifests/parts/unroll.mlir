// A schedule with one parameter.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @unroll(
      %root: !transform.any_op {transform.readonly},
      %factor: !transform.param<i64> {transform.readonly, lh.name = "k_unroll"}) {
    transform.yield
  }
}
