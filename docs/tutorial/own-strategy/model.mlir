// A 1-D depthwise convolution, batch and channels outermost and innermost, with a
// stride and a dilation: y[n, w, c] = sum over k of x[n, 2 w + 3 k, c] f[k, c].
func.func @main(%x: tensor<2x61x75xf32>, %f: tensor<4x75xf32>)
    -> tensor<2x26x75xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x26x75xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x26x75xf32>)
      -> tensor<2x26x75xf32>
  %y = linalg.depthwise_conv_1d_nwc_wc
      {strides = dense<2> : tensor<1xi64>, dilations = dense<3> : tensor<1xi64>}
      ins(%x, %f : tensor<2x61x75xf32>, tensor<4x75xf32>)
      outs(%start : tensor<2x26x75xf32>) -> tensor<2x26x75xf32>
  return %y : tensor<2x26x75xf32>
}
