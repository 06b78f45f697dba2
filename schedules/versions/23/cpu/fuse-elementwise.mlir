// fuse-elementwise.mlir for LLVM 23, which has no named elementwise ops.
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
        "linalg.elementwise"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %generic = transform.structured.generalize %named
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
