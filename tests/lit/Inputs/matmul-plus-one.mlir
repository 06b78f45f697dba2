func.func @main(%a: tensor<5x7xf32>, %b: tensor<7x3xf32>) -> tensor<5x3xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<5x3xf32>
  %fill = linalg.fill ins(%one : f32) outs(%empty : tensor<5x3xf32>)
    -> tensor<5x3xf32>
  %c = linalg.matmul ins(%a, %b : tensor<5x7xf32>, tensor<7x3xf32>)
    outs(%fill : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %c : tensor<5x3xf32>
}
