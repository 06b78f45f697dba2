// The first product is a buffer of its own once tensors are gone.
func.func @main(%a: tensor<6x8xf32>, %b: tensor<8x10xf32>,
                %c: tensor<10x6xf32>) -> tensor<6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<6x10xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6x10xf32>)
      -> tensor<6x10xf32>
  %p1 = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x10xf32>)
      outs(%z1 : tensor<6x10xf32>) -> tensor<6x10xf32>
  %e2 = tensor.empty() : tensor<6x6xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6x6xf32>)
      -> tensor<6x6xf32>
  %p2 = linalg.matmul ins(%p1, %c : tensor<6x10xf32>, tensor<10x6xf32>)
      outs(%z2 : tensor<6x6xf32>) -> tensor<6x6xf32>
  return %p2 : tensor<6x6xf32>
}
