// Images of 6 x 5: with filters that fit the second-level cache once they are
// transformed.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.winograd_input_transform fmr(F_4_3)
// CHECK:       linalg.batch_matmul {{.*}} tensor<36x{{[0-9]+}}x9xf32>, tensor<36x9x24xf32>
func.func @main(%x: tensor<3x9x8x7xf32>, %w: tensor<24x9x3x3xf32>)
    -> tensor<3x24x6x5xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<3x24x6x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<3x24x6x5xf32>)
      -> tensor<3x24x6x5xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<3x9x8x7xf32>, tensor<24x9x3x3xf32>)
      outs(%init : tensor<3x24x6x5xf32>) -> tensor<3x24x6x5xf32>
  return %y : tensor<3x24x6x5xf32>
}
