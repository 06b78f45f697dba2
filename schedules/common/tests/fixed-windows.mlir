// A convolution is a product of its filters with a matrix of windows.
// CHECK-LABEL: func.func @main
// CHECK-NOT:   linalg.conv
// CHECK:       linalg.matmul {lh.choice = #dlti.map<{{.*}}"fixed"{{.*}}>} ins(%{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK-NOT:   linalg.{{matmul|batch_matmul|conv}}
func.func @main(%image: tensor<2x3x12x11xf32>, %filters: tensor<20x3x3x3xf32>,
    %bias: tensor<2x20x10x9xf32>) -> tensor<2x20x10x9xf32> {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%image, %filters : tensor<2x3x12x11xf32>, tensor<20x3x3x3xf32>)
      outs(%bias : tensor<2x20x10x9xf32>) -> tensor<2x20x10x9xf32>
  return %0 : tensor<2x20x10x9xf32>
}
