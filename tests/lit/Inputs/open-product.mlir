func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  %rows = tensor.dim %a, %i : tensor<?x?xf32>
  %columns = tensor.dim %b, %j : tensor<?x?xf32>
  %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
                     outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
