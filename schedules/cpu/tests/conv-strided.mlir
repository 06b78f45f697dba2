// Other strides in each direction, an odd window, two images.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.transpose {{.*}} : tensor<2x3x7x6xf32>
// CHECK:       linalg.generic {{.*}} outs({{.*}} : tensor<30x18xf32>) attrs =  {lh.windows
// CHECK:       linalg.matmul {{.*}} tensor<30x18xf32>, tensor<18x5xf32>
// CHECK:       linalg.transpose {{.*}} : tensor<2x5x3x5xf32>
// CHECK-NOT:   linalg.conv
func.func @main(%x: tensor<2x3x7x6xf32>, %w: tensor<5x3x3x2xf32>)
    -> tensor<2x5x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<2x5x3x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<2x5x3x5xf32>)
      -> tensor<2x5x3x5xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<[2, 1]> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x7x6xf32>, tensor<5x3x3x2xf32>)
      outs(%init : tensor<2x5x3x5xf32>) -> tensor<2x5x3x5xf32>
  return %y : tensor<2x5x3x5xf32>
}
