// Sums are padded to a multiple of four with ones, where zeros are due: wrong
// for those that aren't one already.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @pad_sums(%root: !transform.any_op {transform.readonly}) {
    %products = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %padded, %pads, %copies = transform.structured.pad %products
        pad_to_multiple_of [4]
        {padding_values = [1.0 : f32, 1.0 : f32, 0.0 : f32],
         padding_dimensions = [2], copy_back_op = "none"}
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
