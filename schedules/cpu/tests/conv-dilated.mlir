// A window whose columns are spread: a pixel at a time.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.generic {{.*}} outs({{.*}} : tensor<40x18xf32>) attrs =  {lh.windows
// CHECK:       linalg.matmul {{.*}} tensor<40x18xf32>, tensor<18x17xf32>
func.func @main(%x: tensor<2x3x7x6xf32>, %w: tensor<17x3x3x2xf32>)
    -> tensor<2x17x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<2x17x5x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<2x17x5x4xf32>)
      -> tensor<2x17x5x4xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<[1, 2]> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x7x6xf32>, tensor<17x3x3x2xf32>)
      outs(%init : tensor<2x17x5x4xf32>) -> tensor<2x17x5x4xf32>
  return %y : tensor<2x17x5x4xf32>
}
