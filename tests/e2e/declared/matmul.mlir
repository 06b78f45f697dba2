func.func @main(%a: tensor<17x257xf32>, %b: tensor<257x33xf32>)
    -> tensor<17x33xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<17x33xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<17x33xf32>)
      -> tensor<17x33xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<17x257xf32>, tensor<257x33xf32>)
      outs(%init : tensor<17x33xf32>) -> tensor<17x33xf32>
  return %product : tensor<17x33xf32>
}
