// Sums of 8, 6 and 4 products.
func.func @main(%x: tensor<5x8xf32>, %a: tensor<8x6xf32>, %b: tensor<6x4xf32>,
                %c: tensor<4x3xf32>) -> tensor<5x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<5x6xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<5x6xf32>) -> tensor<5x6xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<5x8xf32>, tensor<8x6xf32>)
    outs(%z0 : tensor<5x6xf32>) -> tensor<5x6xf32>
  %e1 = tensor.empty() : tensor<5x4xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<5x6xf32>, tensor<6x4xf32>)
    outs(%z1 : tensor<5x4xf32>) -> tensor<5x4xf32>
  %e2 = tensor.empty() : tensor<5x3xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<5x3xf32>) -> tensor<5x3xf32>
  %2 = linalg.matmul ins(%1, %c : tensor<5x4xf32>, tensor<4x3xf32>)
    outs(%z2 : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}
