// Direct convolutions by Winograd's F(4 x 4, 3 x 3).
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    %conv = transform.structured.match ops{["linalg.conv_2d_nhwc_fhwc"]}
        in %module : (!transform.any_op) -> !transform.any_op
    %winograd = transform.structured.winograd_conv2d %conv
        {fmr = 1 : i32} : (!transform.any_op) -> !transform.any_op
    %filter = transform.structured.match
        ops{["linalg.winograd_filter_transform"]}
        in %module : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_winograd_op %filter
        : (!transform.any_op) -> !transform.any_op
    %input = transform.structured.match ops{["linalg.winograd_input_transform"]}
        in %module : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_winograd_op %input
        : (!transform.any_op) -> !transform.any_op
    %output = transform.structured.match
        ops{["linalg.winograd_output_transform"]}
        in %module : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_winograd_op %output
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
