// A padded convolution of an image with channels last, its maximum over
// windows, and a sum of all rows.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tosa
// CHECK: linalg.conv_2d_nhwc
// CHECK: linalg.pooling_nhwc_max
// CHECK: linalg.reduce
func.func @main(%image: tensor<1x8x8x4xf32>, %filters: tensor<6x3x3x4xf32>,
                %bias: tensor<6xf32>) -> tensor<1x1x4x6xf32> {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %conv = tosa.conv2d %image, %filters, %bias, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<6x3x3x4xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x6xf32>
  %pool = tosa.max_pool2d %conv {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x6xf32>) -> tensor<1x4x4x6xf32>
  %sum = tosa.reduce_sum %pool {axis = 1 : i32} : (tensor<1x4x4x6xf32>) -> tensor<1x1x4x6xf32>
  return %sum : tensor<1x1x4x6xf32>
}
