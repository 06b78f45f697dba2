// C = A * B in f32, 127 x 513 x 259 (M x N x K).
func.func @main(%arg0: tensor<127x259xf32>, %arg1: tensor<259x513xf32>) -> tensor<127x513xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<127x513xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<127x513xf32>) -> tensor<127x513xf32>
  %product = linalg.matmul
      ins(%arg0, %arg1 : tensor<127x259xf32>, tensor<259x513xf32>)
      outs(%init : tensor<127x513xf32>) -> tensor<127x513xf32>
  return %product : tensor<127x513xf32>
}
