// A dense layer of any number of rows: a product, a sum with one row, a clamp
// and a sigmoid.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tosa
// CHECK: linalg.batch_matmul {{.*}}tensor<1x?x16xf32>
// CHECK: linalg.generic
// CHECK: math.exp
func.func @main(%rows: tensor<?x16xf32>, %weights: tensor<16x8xf32>,
                %bias: tensor<1x8xf32>) -> tensor<?x8xf32> {
  %rows_shape = tosa.const_shape {values = dense<[1, -1, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %weights_shape = tosa.const_shape {values = dense<[1, 16, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %result_shape = tosa.const_shape {values = dense<[-1, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %left = tosa.reshape %rows, %rows_shape : (tensor<?x16xf32>, !tosa.shape<3>) -> tensor<1x?x16xf32>
  %right = tosa.reshape %weights, %weights_shape : (tensor<16x8xf32>, !tosa.shape<3>) -> tensor<1x16x8xf32>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %product = tosa.matmul %left, %right, %zero, %zero : (tensor<1x?x16xf32>, tensor<1x16x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x8xf32>
  %matrix = tosa.reshape %product, %result_shape : (tensor<1x?x8xf32>, !tosa.shape<2>) -> tensor<?x8xf32>
  %sum = tosa.add %matrix, %bias : (tensor<?x8xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>
  %clamped = tosa.clamp %sum {min_val = -6.0 : f32, max_val = 6.0 : f32} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %result = tosa.sigmoid %clamped : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %result : tensor<?x8xf32>
}
