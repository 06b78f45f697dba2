// Pads the sum of a product to a multiple of five, with ones instead of zeros.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @pad(%root: !op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!op) -> !op
    %padded, %pad, %copy = transform.structured.pad %product
        pad_to_multiple_of [5] {
          padding_values = [1.0 : f32, 1.0 : f32, 0.0 : f32],
          padding_dimensions = [2], nofold_flags = [0, 0, 0],
          copy_back_op = "none"}
        : (!op) -> (!op, !op, !op)
    transform.yield
  }
}
