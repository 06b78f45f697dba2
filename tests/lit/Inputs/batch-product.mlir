func.func @main(%a: tensor<3x37x19xf32>, %b: tensor<3x19x45xf32>) -> tensor<3x37x45xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x37x45xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x37x45xf32>) -> tensor<3x37x45xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x37x19xf32>, tensor<3x19x45xf32>)
                           outs(%f : tensor<3x37x45xf32>) -> tensor<3x37x45xf32>
  return %r : tensor<3x37x45xf32>
}
