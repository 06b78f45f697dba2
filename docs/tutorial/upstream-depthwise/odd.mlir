// Windows of 3 x 3 that move by two over 32 channels, 21 x 37, with zeros around them;
// rectified before and behind.
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @depthwise_layer(%image: tensor<1x32x21x37xf32>, %windows: tensor<32x3x3xf32>,
    %bias: tensor<32xf32>) -> tensor<1x32x11x19xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x32x21x37xf32>
  %before = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%image : tensor<1x32x21x37xf32>) outs(%empty : tensor<1x32x21x37xf32>) {
  ^bb0(%x: f32, %y: f32):
    %max = arith.maximumf %x, %zero : f32
    linalg.yield %max : f32
  } -> tensor<1x32x21x37xf32>
  %padded = tensor.pad %before low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero : f32
  } : tensor<1x32x21x37xf32> to tensor<1x32x23x39xf32>
  %less = tensor.empty() : tensor<1x32x11x19xf32>
  %start = linalg.broadcast ins(%bias : tensor<32xf32>)
      outs(%less : tensor<1x32x11x19xf32>) dimensions = [0, 2, 3]
  %sums = linalg.depthwise_conv_2d_nchw_chw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%padded, %windows : tensor<1x32x23x39xf32>, tensor<32x3x3xf32>)
      outs(%start : tensor<1x32x11x19xf32>) -> tensor<1x32x11x19xf32>
  %behind = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : tensor<1x32x11x19xf32>) outs(%less : tensor<1x32x11x19xf32>) {
  ^bb0(%x: f32, %y: f32):
    %max = arith.maximumf %x, %zero : f32
    linalg.yield %max : f32
  } -> tensor<1x32x11x19xf32>
  return %behind : tensor<1x32x11x19xf32>
}
