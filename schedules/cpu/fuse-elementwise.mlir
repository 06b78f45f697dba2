// Converts named elementwise ops to generics, for linalg-fuse-elementwise-ops.
//
// Expects: linalg on tensors; contractions packed (pack-contractions).
// Result:  maps, broadcasts, transposes, reductions and named arithmetic as
//   linalg.generic. Fills, packs, pools and convolutions keep their names,
//   because later steps match them.
// Parameters: none.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @generalize_elementwise(
      %root: !transform.any_op {transform.readonly}) {
    %named = transform.structured.match ops{[
        "linalg.map", "linalg.broadcast", "linalg.transpose", "linalg.reduce",
        "linalg.elementwise", "linalg.select", "linalg.add", "linalg.sub",
        "linalg.mul", "linalg.div", "linalg.div_unsigned", "linalg.max",
        "linalg.min", "linalg.powf", "linalg.abs", "linalg.ceil", "linalg.erf",
        "linalg.exp", "linalg.floor", "linalg.log", "linalg.negf",
        "linalg.reciprocal", "linalg.round", "linalg.rsqrt", "linalg.sqrt",
        "linalg.square", "linalg.tanh"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %generic = transform.structured.generalize %named
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
