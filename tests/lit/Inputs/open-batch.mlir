// A batch of unknown size of matrices of known ones.
func.func @main(%a: tensor<?x37x19xf32>, %b: tensor<?x19x45xf32>) -> tensor<?x37x45xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x37x19xf32>
  %e = tensor.empty(%n) : tensor<?x37x45xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x37x45xf32>) -> tensor<?x37x45xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<?x37x19xf32>, tensor<?x19x45xf32>)
                           outs(%f : tensor<?x37x45xf32>) -> tensor<?x37x45xf32>
  return %r : tensor<?x37x45xf32>
}
