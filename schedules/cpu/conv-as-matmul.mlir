// Convolutions as matrix products, through im2col.
//
// Expects: linalg on tensors, convolutions as linalg.conv_2d_nchw_fchw.
// Leaves:  each f32 one that has static shapes and no dilation as a gather of
//   its input's windows, [N][C*KH*KW][OH*OW], and a contraction of rank 4 with
//   the filter. The rest stays: dynamic batch, dilations, other types, grouped
//   and depthwise convolutions.
// Parameters: none.
// Source:  the transform dialect's convert_conv2d_to_img2col. Don't tile the
//   gather: its map has floordiv and mod, which tiling takes for linear.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @static_f32_convolution(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["linalg.conv_2d_nchw_fchw"]
        : !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %bits = transform.param.constant 32 : i64 -> !transform.param<i64>
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %bits : !transform.param<i64>
      // A dynamic dimension is negative.
      %n = transform.match.structured.dim %s[0]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %n, %one : !transform.param<i64>
      %f = transform.match.structured.dim %s[1]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %f, %one : !transform.param<i64>
      %oh = transform.match.structured.dim %s[2]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %oh, %one : !transform.param<i64>
      %ow = transform.match.structured.dim %s[3]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %ow, %one : !transform.param<i64>
      %c = transform.match.structured.dim %s[4]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %c, %one : !transform.param<i64>
      %kh = transform.match.structured.dim %s[5]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %kh, %one : !transform.param<i64>
      %kw = transform.match.structured.dim %s[6]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %kw, %one : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @conv_as_matmul(
      %root: !transform.any_op {transform.readonly}) {
    %dense = transform.structured.match ops{["linalg.conv_2d_nchw_fchw"]}
        attributes{dilations = dense<1> : tensor<2xi64>} in %root
        : (!transform.any_op) -> !transform.any_op
    %convolutions = transform.collect_matching @static_f32_convolution in %dense
        : (!transform.any_op) -> !transform.any_op
    %windows, %product = transform.structured.convert_conv2d_to_img2col %convolutions
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
