// Small enough for registers as a whole: one contraction, one chain of fused
// multiply-adds per element of the sum.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-15: vector.fma {{.*}} : vector<7xf32>
// CHECK-NOT:   vector.{{contract|outerproduct|fma}}
func.func @main(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<3x7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<3x7xf32>)
      -> tensor<3x7xf32>
  %product = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>)
                           outs(%init : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %product : tensor<3x7xf32>
}
