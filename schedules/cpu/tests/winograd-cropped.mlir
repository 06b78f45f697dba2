// 11 x 10 results: the last tiles reach beyond them, and nothing is padded
// but for that. Strided convolutions, and those of few channels, stay.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.winograd_input_transform
// CHECK:       tensor.extract_slice {{.*}}[0, 0, 0, 0] [1, 11, 10, 16]
// CHECK-NOT:   linalg.winograd_input_transform
func.func @main(%x: tensor<1x16x13x12xf32>, %w: tensor<16x16x3x3xf32>,
                %v: tensor<3x16x3x3xf32>) -> tensor<1x3x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<1x16x11x10xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<1x16x11x10xf32>)
      -> tensor<1x16x11x10xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x16x13x12xf32>, tensor<16x16x3x3xf32>)
      outs(%init : tensor<1x16x11x10xf32>) -> tensor<1x16x11x10xf32>
  %few = tensor.empty() : tensor<1x3x9x8xf32>
  %few.init = linalg.fill ins(%zero : f32) outs(%few : tensor<1x3x9x8xf32>)
      -> tensor<1x3x9x8xf32>
  %z = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%y, %v : tensor<1x16x11x10xf32>, tensor<3x16x3x3xf32>)
      outs(%few.init : tensor<1x3x9x8xf32>) -> tensor<1x3x9x8xf32>
  return %z : tensor<1x3x9x8xf32>
}
