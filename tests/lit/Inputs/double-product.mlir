// Added to what is there, in f64.
func.func @main(%a: tensor<37x19xf64>, %b: tensor<19x145xf64>, %c: tensor<37x145xf64>) -> tensor<37x145xf64> {
  %r = linalg.matmul ins(%a, %b : tensor<37x19xf64>, tensor<19x145xf64>)
                     outs(%c : tensor<37x145xf64>) -> tensor<37x145xf64>
  return %r : tensor<37x145xf64>
}
