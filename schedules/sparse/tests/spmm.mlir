// A sparse matrix times a dense one.
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @main(%a: tensor<37x53xf32, #CSR> {lh.name = "a"}, %x: tensor<53x19xf32> {lh.name = "x"})
    -> (tensor<37x19xf32> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<37x19xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<37x19xf32>) -> tensor<37x19xf32>
  %y = linalg.matmul ins(%a, %x : tensor<37x53xf32, #CSR>, tensor<53x19xf32>)
      outs(%init : tensor<37x19xf32>) -> tensor<37x19xf32>
  return %y : tensor<37x19xf32>
}
