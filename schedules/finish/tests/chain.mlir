// A product, what follows it, and a sum of rows.
func.func @main(%a: tensor<5x7xf32>, %b: tensor<7x8xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x8xf32>) -> tensor<5x8xf32>
  %p = linalg.matmul ins(%a, %b : tensor<5x7xf32>, tensor<7x8xf32>)
      outs(%f : tensor<5x8xf32>) -> tensor<5x8xf32>
  %s = linalg.sub ins(%p, %f : tensor<5x8xf32>, tensor<5x8xf32>)
      outs(%e : tensor<5x8xf32>) -> tensor<5x8xf32>
  %r = tensor.empty() : tensor<5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<5xf32>) -> tensor<5xf32>
  %t = linalg.reduce { arith.addf } ins(%s : tensor<5x8xf32>)
      outs(%z : tensor<5xf32>) dimensions = [1]
  return %t : tensor<5xf32>
}
